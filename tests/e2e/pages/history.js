// @ts-check
/** What a page has shown and when: kept in the page, so that nothing between two looks is missed. */

/**
 * @typedef {{ at: number, request: string, state: string }} Shown
 */

/**
 * Records, from the first moment of each load, every request on the page and every state it shows.
 *
 * @param {import("@playwright/test").Page} page
 */
export async function recordHistory(page) {
  await page.addInitScript(() => {
    /** @type {Map<string, string>} */
    const last = new Map();
    /** @type {Shown[]} */
    const shown = [];
    Object.assign(globalThis, { shownHistory: shown });
    const look = () => {
      for (const article of document.querySelectorAll("article")) {
        const labelled = article.getAttribute("aria-labelledby");
        const request = article.getAttribute("aria-label") ?? (labelled && document.getElementById(labelled)?.textContent) ?? "";
        const state = article.querySelector('[data-testid="request-state"]')?.textContent?.trim() ?? "";
        if (last.get(request) === state) continue;
        last.set(request, state);
        shown.push({ at: Date.now(), request, state });
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
  const shown = await page.evaluate(() => /** @type {{ shownHistory: Shown[] }} */ (/** @type {unknown} */ (globalThis)).shownHistory);
  return shown.filter((entry) => entry.request.includes(request));
}
