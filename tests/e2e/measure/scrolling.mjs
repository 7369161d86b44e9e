// @ts-check
/** Opening a very long session, and turning the wheel until its first message is in sight. */
import { setTimeout as sleep } from "node:timers/promises";
import { openTab } from "./browser.mjs";
import { noteInSight, untilInSight } from "./in-sight.mjs";
import { LAST_WORDS } from "./long-session.mjs";
import { noteLongTasks, takeLongTasks } from "./long-tasks.mjs";
import { countElements } from "./opening.mjs";

const FIRST_WORDS = "Go on with step 0,";
/** What opening the session still does is over by then. */
const SETTLE_MS = 2000;
/** So long the wheel is turned at most. */
export const WHEEL_LIMIT_MS = 60_000;
const WHEEL_EVERY_MS = 60;
const WHEEL_PIXELS = 3000;

/**
 * @typedef {object} Scrolling Milliseconds, and numbers of elements.
 * @property {number} opened From navigation to the last message.
 * @property {number} longTasks
 * @property {number} longest
 * @property {number} reached From the first turn of the wheel to the first message, or `Infinity`.
 * @property {number} elements The most on the way.
 */

/**
 * @param {import("./lab.mjs").Lab} lab
 * @param {import("@playwright/test").Browser} browser
 * @param {import("./subjects.mjs").Subject} subject
 * @param {{ id: string }} session
 * @returns {Promise<Scrolling>}
 */
export async function measureScrolling(lab, browser, subject, session) {
  const page = await openTab(browser);
  await noteLongTasks(page);
  await page.addInitScript(noteInSight, LAST_WORDS);
  await page.goto(subject.sessionUrl(lab.server.url, session));
  const opened = await untilInSight(page, LAST_WORDS);
  await sleep(SETTLE_MS);
  const tasks = await takeLongTasks(page);
  const found = await scrollUp(page);
  await page.context().close();
  return { opened, ...tasks, ...found };
}

/** @param {import("@playwright/test").Page} page */
async function scrollUp(page) {
  await page.evaluate(noteInSight, FIRST_WORDS);
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  await page.mouse.move(width / 2, height / 2);
  const isThere = (/** @type {string} */ words) => /** @type {any} */ (globalThis).inSight[words] !== undefined;
  const begun = Date.now();
  let elements = 0;
  let reached = Infinity;
  while (reached === Infinity && Date.now() - begun < WHEEL_LIMIT_MS) {
    await page.mouse.wheel(0, -WHEEL_PIXELS);
    await sleep(WHEEL_EVERY_MS);
    elements = Math.max(elements, await countElements(page));
    if (await page.evaluate(isThere, FIRST_WORDS)) reached = Date.now() - begun;
  }
  return { elements, reached };
}
