// @ts-check
/** How busy a page is while many sessions stream: one of them is open, the others are not shown. */
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../api.js";
import { script } from "../say.js";
import { openTab } from "./browser.mjs";
import { noteLongTasks, takeLongTasks } from "./long-tasks.mjs";

export const SESSIONS = 10;
const SENTENCE = "The index moves in small steps, and every step leaves the tests green. ";
/** Some thirty words a second in each session, for longer than both pages are measured. */
const STEP = { text: SENTENCE.repeat(450), chunk: 6, chunkDelay: 33 };
const SETTLE_MS = 5000;
const WINDOW_MS = 20_000;
const START_LIMIT_MS = 60_000;

/**
 * Starts the sessions.
 *
 * @param {import("./lab.mjs").Lab} lab
 * @returns {Promise<import("../api.js").Session[]>}
 */
export async function startStreaming({ api }) {
  const sessions = [];
  for (let number = 1; number <= SESSIONS; number += 1) sessions.push(await api.begin(script(STEP), { title: `Streams ${number}` }));
  await until("all sessions stream", async () => Object.keys(await api.status()).length >= SESSIONS, START_LIMIT_MS);
  return sessions;
}

/**
 * Returns the share of the time in which the main thread of the page is busy, and its long tasks.
 *
 * @param {import("./lab.mjs").Lab} lab
 * @param {import("@playwright/test").Browser} browser
 * @param {import("./subjects.mjs").Subject} subject
 * @param {import("../api.js").Session[]} sessions They stream.
 * @returns {Promise<{ busy: number, longTasks: number, longest: number }>}
 */
export async function measureStreaming(lab, browser, subject, sessions) {
  const page = await openTab(browser);
  await noteLongTasks(page);
  await page.goto(subject.sessionUrl(lab.server.url, sessions[0]));
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  const read = async () => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    const value = (/** @type {string} */ name) => metrics.find((metric) => metric.name === name)?.value ?? 0;
    return { at: value("Timestamp"), busy: value("TaskDuration") };
  };
  const shown = () => page.evaluate(() => document.body.innerText);
  await until("the text in the page", async () => (await shown()).includes(SENTENCE.trim()), START_LIMIT_MS);
  await sleep(SETTLE_MS);
  const textBefore = await shown();
  const before = await read();
  await takeLongTasks(page);
  await sleep(WINDOW_MS);
  const after = await read();
  const tasks = await takeLongTasks(page);
  const isFollowing = (await shown()) !== textBefore;
  const running = await lab.api.status();
  await page.context().close();
  if (Object.keys(running).length < SESSIONS) throw new Error(`only ${Object.keys(running).length} of ${SESSIONS} sessions streamed to the end`);
  if (!isFollowing) throw new Error(`the page of ${subject.name} does not show what streams`);
  return { busy: (after.busy - before.busy) / (after.at - before.at), ...tasks };
}
