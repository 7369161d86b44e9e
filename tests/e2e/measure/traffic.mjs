// @ts-check
/** Bytes per minute while a session of a thousand messages is open: idle, and while its agent writes for a minute. */
import { setTimeout as sleep } from "node:timers/promises";
import { openTab } from "./browser.mjs";
import { LAST_WORDS } from "./long-session.mjs";
import { startMeter } from "./meter.mjs";
import { noteLastMessage, untilLastMessage } from "./opening.mjs";

const WINDOW_MS = 60_000;
/** So long after a change nothing is counted: what the change itself loads is over. */
const SETTLE_MS = 5000;
const PROMPT = "Write for a minute and a half";
const CHARACTERS_PER_CHUNK = 24;
const CHUNK_DELAY_MS = 100;

/** Some sixty tokens a second. @type {import("../../../www/npm/serve/script.mjs").Script} */
export const STREAM_SCRIPT = {
  prompt: PROMPT,
  about: "Text that streams longer than the window in which it is measured.",
  steps: [
    {
      text: "The index moves in small steps, and every step leaves the tests green. ".repeat(300).slice(0, (CHARACTERS_PER_CHUNK * 90_000) / CHUNK_DELAY_MS),
      chunk: CHARACTERS_PER_CHUNK,
      chunkDelay: CHUNK_DELAY_MS,
    },
  ],
};

/**
 * @param {import("./lab.mjs").Lab} lab
 * @param {import("./subjects.mjs").Subject} subject
 * @param {import("../api.js").Session} session
 * @returns {Promise<{ idle: import("./meter.mjs").Bytes, busy: import("./meter.mjs").Bytes }>}
 */
export async function measureTraffic(lab, subject, session) {
  const meter = await startMeter(lab.server.url);
  const page = await openTab(lab.browser);
  await page.addInitScript(noteLastMessage, LAST_WORDS);
  await page.goto(subject.sessionUrl(meter.url, session));
  await untilLastMessage(page);
  const idle = await countFor(meter, WINDOW_MS);
  await lab.api.prompt(session, PROMPT);
  const busy = await countFor(meter, WINDOW_MS);
  await page.context().close();
  await meter.close();
  await lab.api.abort(session);
  return { idle, busy };
}

/**
 * @param {import("./meter.mjs").Meter} meter
 * @param {number} span
 */
async function countFor(meter, span) {
  await sleep(SETTLE_MS);
  const before = meter.read();
  await sleep(span);
  const after = meter.read();
  return { events: after.events - before.events, rest: after.rest - before.rest };
}
