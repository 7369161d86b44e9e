// @ts-check
/** Proof that an answer arrived: in the tool part, at the model, once, and only then on the page. */
import { expect } from "@playwright/test";
import { until } from "./api.js";

const ANSWERED = /^answered\b(?! elsewhere)/i;

/**
 * Waits for the proof in the tool part, and for the page to say so, not earlier.
 *
 * @param {import("./pages/desk.js").Desk} desk
 * @param {import("./api.js").Api} api
 * @param {{ id: string }} session
 * @param {string} question
 * @param {string[][]} answers
 */
export async function expectAnswered(desk, api, session, question, answers) {
  const proof = await api.untilAnswered(session, question);
  expect(proof.answers).toEqual(answers);
  const said = await until(`the page says that ${question} is answered`, () => firstSaid(desk, question, ANSWERED));
  expect(said.at, "the page says answered after the tool part does").toBeGreaterThanOrEqual(proof.at);
}

/**
 * Returns the first moment at which the page showed this state of a request.
 *
 * @param {import("./pages/desk.js").Desk} desk
 * @param {string} question
 * @param {RegExp} state
 */
export async function firstSaid(desk, question, state) {
  return (await desk.historyOf(question)).find((entry) => state.test(entry.state));
}

/**
 * Returns everything that the model received as result of the call that asked this question.
 *
 * @param {import("../../www/npm/serve/model.mjs").Model} model
 * @param {string} question
 * @returns {string[]}
 */
export function receivedFor(model, question) {
  const asked = JSON.stringify(question).slice(1, -1);
  const last = model.log.findLast((entry) => callsIn(entry, asked).length > 0);
  if (!last) return [];
  const calls = new Set(callsIn(last, asked).map((call) => call.id));
  return last.messages.filter((message) => calls.has(message.tool_call_id ?? "")).map((message) => String(message.content));
}

/**
 * Returns the texts that people wrote in the last conversation that holds this one.
 *
 * @param {import("../../www/npm/serve/model.mjs").Model} model
 * @param {string} text
 */
export function conversationsWith(model, text) {
  return model.log.filter((entry) => entry.kind === "turn" && entry.messages.some((message) => message.role === "user" && JSON.stringify(message.content).includes(text)));
}

/**
 * @param {import("../../www/npm/serve/model.mjs").LoggedRequest} entry
 * @param {string} asked
 */
function callsIn(entry, asked) {
  return entry.messages.flatMap((message) => message.tool_calls ?? []).filter((call) => call.function.arguments.includes(asked));
}
