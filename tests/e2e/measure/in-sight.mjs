// @ts-check
/** When words are first in sight in a page. */

/**
 * Runs in the page, as an init script or later: notes when an element with these words is first in sight.
 *
 * @param {string} words
 */
export function noteInSight(words) {
  const times = ((/** @type {any} */ (globalThis)).inSight ??= {});
  const look = () => {
    const found = document.evaluate(`//text()[contains(., "${words}")]`, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue;
    const box = found?.parentElement?.getBoundingClientRect();
    if (box && box.height > 0 && box.top >= 0 && box.bottom <= innerHeight) times[words] = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/**
 * Resolves with the milliseconds from navigation until the words were in sight.
 *
 * @param {import("@playwright/test").Page} page A page in which {@link noteInSight} runs.
 * @param {string} words
 * @param {number} [timeout]
 * @returns {Promise<number>}
 */
export async function untilInSight(page, words, timeout = 60_000) {
  const look = (/** @type {string} */ wanted) => /** @type {any} */ (globalThis).inSight?.[wanted];
  return (await page.waitForFunction(look, words, { polling: 100, timeout })).jsonValue();
}
