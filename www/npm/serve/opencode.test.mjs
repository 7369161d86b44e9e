// @ts-check
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { startModel } from "./model.mjs";
import { basicAuthorization, startOpenCode } from "./opencode.mjs";

/**
 * @typedef {{ type: string, tool?: string, text?: string, state?: { status: string, metadata?: { answers?: string[][] } } }} Part
 * @typedef {{ id: string, sessionID: string }} Question
 */

/** @param {import("./opencode.mjs").OpenCode} server */
function client(server) {
  const headers = { authorization: basicAuthorization(server.username, server.password), "content-type": "application/json" };
  /**
   * @param {string} path
   * @param {unknown} [body]
   */
  const call = async (path, body) => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(server.url + path, { headers, ...init, signal: AbortSignal.timeout(10_000) });
    return response.status === 204 ? null : response.json();
  };
  return {
    call,
    /** @param {string} sessionId @returns {Promise<Part[]>} */
    async parts(sessionId) {
      const messages = await call(`/session/${sessionId}/message`);
      return messages.flatMap((/** @type {{ parts: Part[] }} */ message) => message.parts);
    },
    /** @returns {Promise<Question>} */
    question: () => until(async () => (await call("/question"))[0]),
  };
}

/**
 * @template T
 * @param {() => Promise<T | undefined | false>} look
 * @returns {Promise<T>}
 */
async function until(look) {
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    const found = await look();
    if (found) return found;
    await sleep(50);
  }
  throw new Error(`not seen within 20 s: ${look}`);
}

/** @param {Part[]} parts */
const questionPart = (parts) => parts.find((part) => part.tool === "question");

test("a real server asks, takes the answer, and forgets a question when it is killed", { timeout: 90_000 }, async (t) => {
  const model = await startModel();
  t.after(() => model.close());
  const server = await startOpenCode({ modelUrl: model.url });
  t.after(() => server.stop());
  const { call, parts, question } = client(server);

  const session = await call("/session", {});
  const prompt = { parts: [{ type: "text", text: "Ask me a question" }] };
  await call(`/session/${session.id}/prompt_async`, prompt);
  assert.equal(await call(`/question/${(await question()).id}/reply`, { answers: [["Green"]] }), true);
  const answered = await until(async () => questionPart(await parts(session.id))?.state?.metadata?.answers);
  assert.deepEqual(answered, [["Green"]]);
  await until(async () => (await parts(session.id)).some((part) => part.text === "You answered: Green."));

  const other = await call("/session", {});
  await call(`/session/${other.id}/prompt_async`, prompt);
  await question();
  await server.kill();
  await assert.rejects(call("/question"));
  await server.restart();
  assert.deepEqual(await call("/question"), []);
  assert.equal(questionPart(await parts(other.id))?.state?.status, "running");
});
