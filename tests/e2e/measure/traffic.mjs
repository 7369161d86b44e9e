// @ts-check
/** What a page reads from the server in a minute: when nothing happens, when requests wait, and when a reply streams. */
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../api.js";
import { ask, question, script } from "../say.js";
import { openTab } from "./browser.mjs";
import { noteInSight, untilInSight } from "./in-sight.mjs";
import { LAST_WORDS } from "./long-session.mjs";
import { startMeter } from "./meter.mjs";

/** A whole minute: what a page reads seldom is in it. */
const WINDOW_MS = 60_000;
/** So long after a change nothing is counted: what it loads is over, and the dashboard has come to trust the event stream. */
const SETTLE_MS = 45_000;
export const WAITING = 10;
const ASK_LIMIT_MS = 60_000;
const CHARACTERS_PER_CHUNK = 24;
const CHUNK_DELAY_MS = 100;
/** Some forty words a second, for longer than what settles and the window take together. */
const REPLY_MS = 125_000;
const REPLY = {
  text: "The index moves in small steps, and every step leaves the tests green. ".repeat(400).slice(0, (CHARACTERS_PER_CHUNK * REPLY_MS) / CHUNK_DELAY_MS),
  chunk: CHARACTERS_PER_CHUNK,
  chunkDelay: CHUNK_DELAY_MS,
};

/**
 * Counts what each page reads in a minute with this session open, both in the same minute.
 *
 * @template {string} Name
 * @param {import("./lab.mjs").Lab} lab
 * @param {import("@playwright/test").Browser} browser
 * @param {Record<Name, import("./subjects.mjs").Subject>} subjects
 * @param {import("../api.js").Session} session It ends with {@link LAST_WORDS}.
 * @param {{ isReplying: boolean }} options Whether its agent writes meanwhile.
 * @returns {Promise<Record<Name, import("./meter.mjs").Traffic>>}
 */
export async function measureTraffic(lab, browser, subjects, session, { isReplying }) {
  const names = /** @type {Name[]} */ (Object.keys(subjects));
  const meters = await Promise.all(names.map(() => startMeter(lab.server.url)));
  for (const [at, name] of names.entries()) {
    const page = await openTab(browser);
    await page.addInitScript(noteInSight, LAST_WORDS);
    await page.goto(subjects[name].sessionUrl(meters[at].url, session));
    await untilInSight(page, LAST_WORDS);
  }
  if (isReplying) {
    await lab.api.prompt(session, script(REPLY));
    await until("the agent writes", async () => (await lab.api.status())[session.id]);
  }
  const counts = await countAll(meters);
  const isStillReplying = session.id in (await lab.api.status());
  for (const meter of meters) await meter.close();
  if (isStillReplying !== isReplying) throw new Error(`the agent ${isReplying ? "did not write" : "wrote"} all the time`);
  return /** @type {Record<Name, import("./meter.mjs").Traffic>} */ (Object.fromEntries(names.map((name, at) => [name, counts[at]])));
}

/**
 * Counts what a page reads in a minute at its home while requests wait, and nothing else happens on the server.
 *
 * @param {import("./lab.mjs").Lab} lab Nothing else has been done on its server.
 * @param {import("@playwright/test").Browser} browser
 * @param {import("./subjects.mjs").Subject} subject
 */
export async function measureWaiting(lab, browser, subject) {
  const text = (/** @type {number} */ number) => `Which is number ${number}?`;
  for (let number = 1; number <= WAITING; number += 1) await lab.api.beginNow(script(ask(question(text(number), ["This", "That"]))), { title: `Waits ${number}` });
  await until("all have asked", async () => (await lab.api.questions()).length === WAITING, ASK_LIMIT_MS);
  const meter = await startMeter(lab.server.url);
  const page = await openTab(browser);
  await page.addInitScript(noteInSight, text(1));
  await page.goto(subject.homeUrl(meter.url));
  await untilInSight(page, text(1));
  const [count] = await countAll([meter]);
  await meter.close();
  return count;
}

/** @param {import("./meter.mjs").Meter[]} meters */
async function countAll(meters) {
  await sleep(SETTLE_MS);
  const before = meters.map((meter) => meter.read());
  await sleep(WINDOW_MS);
  return meters.map((meter, at) => {
    const { bytes, requests } = meter.read();
    return { bytes: bytes - before[at].bytes, requests: requests - before[at].requests };
  });
}
