// @ts-check
/**
 * Asked → visible in the open session: from the moment the server says that a question was asked to the moment it is in
 * the page.
 *
 * Asked is when `question.asked` arrives on an event stream of ours, visible when a mutation observer in the page finds
 * the question inside a request. Both clocks are the machine's, in whole milliseconds.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../api.js";
import { randomFrom } from "../random.js";
import { ask, question, script } from "../say.js";
import { openTab } from "./browser.mjs";
import { watchEvents } from "./event-times.mjs";
import { tries } from "./tries.mjs";

export const QUESTIONS = { most: 10, least: 5 };
/** So long a question may take to become visible before it counts as not shown. */
const LIMIT_MS = 20_000;
/** Up to so long nobody asks, so that questions come at any moment of the page's own rhythm. */
const PAUSE_MAX_MS = 2000;

/**
 * @param {import("./lab.mjs").Lab} lab
 * @param {import("@playwright/test").Browser} browser
 * @param {import("./subjects.mjs").Subject} subject
 * @returns {Promise<number[]>} Milliseconds; `Infinity` for one that was not shown.
 */
export async function measureAsked(lab, browser, subject) {
  const events = await watchEvents(lab.server.url);
  const session = await lab.api.createSession({ title: `Asked, seen in ${subject.name}` });
  const page = await openTab(browser);
  await page.addInitScript(noteQuestions, subject.requestSelector);
  await page.goto(subject.sessionUrl(lab.server.url, session));
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
    return visible - asked;
  }

  // The first prompt of a directory takes seconds, and proves that the page is there.
  await askOnce("Is the first question visible?");
  const taken = [];
  for (const number of tries(QUESTIONS)) taken.push(await askOnce(`Is question ${number} visible?`));
  await page.context().close();
  events.close();
  return taken;
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
 * @returns {Promise<number>}
 */
async function seenAt(page, text) {
  const look = (/** @type {string} */ wanted) => /** @type {any} */ (globalThis).questionsSeen[wanted];
  try {
    return await (await page.waitForFunction(look, text, { polling: 100, timeout: LIMIT_MS })).jsonValue();
  } catch (error) {
    if (page.isClosed()) throw error;
    return Infinity;
  }
}
