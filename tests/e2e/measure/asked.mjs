// @ts-check
/**
 * Asked → visible: from the moment the server says that a question was asked to the moment it is in the page.
 *
 * Asked is when `question.asked` arrives on an event stream of ours, visible when a mutation observer in the page finds
 * the question inside a request. Both clocks are the machine's, in whole milliseconds.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../api.js";
import { startFaultProxy } from "../fault-proxy.mjs";
import { randomFrom } from "../random.js";
import { ask, question, script } from "../say.js";
import { openTab } from "./browser.mjs";
import { watchEvents } from "./event-times.mjs";

const FLOWING = 20;
const STALLED = 10;
/** So long a question may take to become visible before it counts as not shown. */
const LIMIT_MS = 60_000;
/** Up to so long nobody asks, so that questions come at any moment of the page's own rhythm. */
const PAUSE_MAX_MS = 3000;

/**
 * With events flowing, and with an event stream that is open and silent.
 *
 * @param {import("./lab.mjs").Lab} lab
 * @param {import("./subjects.mjs").Subject} subject
 * @returns {Promise<{ flowing: (number | null)[], stalled: (number | null)[] }>} Milliseconds; `null` for one that was not shown.
 */
export async function measureAsked(lab, subject) {
  const faults = await startFaultProxy({ target: lab.server.url });
  const events = await watchEvents(lab.server.url);
  const session = await lab.api.createSession({ title: `Asked, seen in ${subject.name}` });
  const page = await openTab(lab.browser);
  await page.addInitScript(noteQuestions, subject.requestSelector);
  await page.goto(subject.waitingUrl(faults.url, session));
  const random = randomFrom(20);

  /** @param {string} text */
  async function askOnce(text) {
    await lab.api.prompt(session, script(ask(question(text, ["Yes", "No"]))));
    const request = await lab.api.untilAsked(text);
    const asked = await until(`the event of ${text}`, async () => events.askedAt(text));
    const visible = await seenAt(page, text);
    await lab.api.reply(request.id, [["Yes"]]);
    await lab.api.untilIdle(session);
    await sleep(random() * PAUSE_MAX_MS);
    return visible === null ? null : visible - asked;
  }

  /** @param {string} how @param {number} count */
  async function askMany(how, count) {
    const taken = [];
    for (let number = 1; number <= count; number += 1) taken.push(await askOnce(`Is ${how} question ${number} visible?`));
    return taken;
  }

  // The first prompt of a directory takes seconds, and proves that the page is there.
  await askMany("the warming", 1);
  const flowing = await askMany("flowing", FLOWING);
  faults.set({ events: "stall" });
  const stalled = await askMany("stalled", subject.name === "ours" ? STALLED : 1);
  await page.context().close();
  events.close();
  await faults.close();
  return { flowing, stalled };
}

/**
 * Runs in the page: notes when each question is first inside something that matches.
 *
 * @param {string} selector
 */
function noteQuestions(selector) {
  /** @type {Record<string, number>} */
  const seen = {};
  Object.assign(globalThis, { questionsSeen: seen });
  const look = () => {
    for (const element of document.querySelectorAll(selector)) {
      for (const [text] of element.textContent?.matchAll(/Is [\w ]+ visible\?/g) ?? []) seen[text] ??= Date.now();
    }
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
}

/**
 * @param {import("@playwright/test").Page} page
 * @param {string} text
 * @returns {Promise<number | null>}
 */
async function seenAt(page, text) {
  const look = (/** @type {string} */ wanted) => /** @type {any} */ (globalThis).questionsSeen[wanted];
  try {
    return await (await page.waitForFunction(look, text, { polling: 100, timeout: LIMIT_MS })).jsonValue();
  } catch {
    return null;
  }
}
