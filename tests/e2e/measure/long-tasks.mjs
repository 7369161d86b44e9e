// @ts-check
/** Tasks of the main thread that take longer than 50 ms. */

/**
 * Has a page note its long tasks from its beginning.
 *
 * @param {import("@playwright/test").Page} page
 */
export async function noteLongTasks(page) {
  await page.addInitScript(() => {
    /** @type {number[]} */
    const tasks = [];
    Object.assign(globalThis, { longTasks: tasks });
    new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => tasks.push(duration))).observe({ entryTypes: ["longtask"] });
  });
}

/**
 * The long tasks since the page began, or since they were last taken.
 *
 * @param {import("@playwright/test").Page} page
 * @returns {Promise<{ longTasks: number, longest: number }>} How many, and the milliseconds of the longest.
 */
export async function takeLongTasks(page) {
  /** @type {number[]} */
  const tasks = await page.evaluate(() => /** @type {any} */ (globalThis).longTasks.splice(0));
  return { longTasks: tasks.length, longest: Math.max(0, ...tasks) };
}
