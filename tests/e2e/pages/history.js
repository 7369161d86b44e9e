// @ts-check
/** What a page has shown and when: kept in the page, so that nothing between two looks is missed. */

/** A clock that differs more from the machine's has been moved by a test; less than this is how long a busy page takes to tell. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * @typedef {{ at: number, request: string, state: string }} Shown
 */

/**
 * Records, from the first moment of each load, every request on the page and every state it shows, by the clock of the
 * machine. A test that moves the clock of the page installs it later than this.
 *
 * @param {import("@playwright/test").Page} page
 */
export async function recordHistory(page) {
  await page.addInitScript(() => {
    /** @type {Map<string, string>} */
    const last = new Map();
    /** @type {Shown[]} */
    const shown = [];
    const { now } = Date;
    Object.assign(globalThis, { shownHistory: shown, machineNow: now });
    const look = () => {
      for (const article of document.querySelectorAll("article")) {
        const labelled = article.getAttribute("aria-labelledby");
        const request = article.getAttribute("aria-label") ?? (labelled && document.getElementById(labelled)?.textContent) ?? "";
        const state = article.querySelector('[data-testid="request-state"]')?.textContent?.trim() ?? "";
        if (last.get(request) === state) continue;
        last.set(request, state);
        shown.push({ at: now(), request, state });
      }
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  });
}

/**
 * Returns what was shown of a request since the page was loaded.
 *
 * @param {import("@playwright/test").Page} page
 * @param {string} request
 * @returns {Promise<Shown[]>}
 */
export async function historyOf(page, request) {
  const { shown, now } = await page.evaluate(() => {
    const { shownHistory, machineNow } = /** @type {{ shownHistory: Shown[], machineNow: () => number }} */ (/** @type {unknown} */ (globalThis));
    return { shown: shownHistory, now: machineNow() };
  });
  if (Math.abs(now - Date.now()) > CLOCKS_DIFFER_MS) throw new Error("the clock of the page was installed before its history was recorded");
  return shown.filter((entry) => entry.request.includes(request));
}
