// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { startModel } from "./model.mjs";

/**
 * @param {import("./model.mjs").Model} model
 * @param {unknown} script
 * @param {string} [name] The model that is asked.
 */
function ask(model, script, name) {
  const messages = [{ role: "system", content: "secret" }, { role: "user", content: JSON.stringify(script) }];
  return fetch(`${model.url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ stream: true, model: name, messages, tools: [{ function: { name: "question" } }] }),
  });
}

/** @param {Response} response */
async function chunksIn(response) {
  const lines = (await response.text()).split("\n\n").filter(Boolean).map((line) => line.replace("data: ", ""));
  assert.equal(lines.pop(), "[DONE]");
  return lines.map((line) => JSON.parse(line));
}

test("text, reasoning and tool calls arrive in chunks, and the reason comes last", async (t) => {
  const model = await startModel();
  t.after(() => model.close());
  const step = { reasoning: "hmm", text: "abcdef", chunk: 4, tools: [{ name: "bash", input: { command: "ls" } }] };
  const chunks = await chunksIn(await ask(model, { steps: [step] }));
  const choices = chunks.flatMap((chunk) => chunk.choices);
  assert.deepEqual(choices.map((choice) => choice.delta.content).filter(Boolean), ["abcd", "ef"]);
  assert.deepEqual(choices.map((choice) => choice.delta.reasoning_content).filter(Boolean), ["hmm"]);
  assert.equal(choices.find((choice) => choice.delta.tool_calls)?.delta.tool_calls[0].function.arguments, '{"command":"ls"}');
  assert.equal(choices.at(-1).finish_reason, "tool_calls");
});

test("a scripted error comes as often as the script says", async (t) => {
  const model = await startModel();
  t.after(() => model.close());
  const script = { steps: [{ status: 429, headers: { "retry-after": "1" }, times: 2, text: "hello" }] };
  const first = await ask(model, script);
  assert.equal(first.headers.get("retry-after"), "1");
  const statuses = [first.status, (await ask(model, script)).status, (await ask(model, script)).status];
  assert.deepEqual(statuses, [429, 429, 200]);
});

test("an error that is meant for one model comes to no other", async (t) => {
  const model = await startModel();
  t.after(() => model.close());
  const script = { steps: [{ status: 429, model: "first", text: "hello" }] };
  const statuses = [(await ask(model, script, "first")).status, (await ask(model, script, "second")).status];
  assert.deepEqual(statuses, [429, 200]);
});

test("the log holds the conversation and can be cleared from another process", async (t) => {
  const model = await startModel();
  t.after(() => model.close());
  await chunksIn(await ask(model, { steps: [{ text: "x" }] }));
  const log = await (await fetch(`${model.url}/log`)).json();
  assert.deepEqual(log[0].messages.map((/** @type {{ role: string }} */ message) => message.role), ["user"]);
  assert.deepEqual(log[0].tools, ["question"]);
  await fetch(`${model.url}/log`, { method: "DELETE" });
  assert.deepEqual(await (await fetch(`${model.url}/log`)).json(), []);
});
