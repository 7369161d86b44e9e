// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { demoScripts } from "./model.mjs";
import { chooseStep, titleOf } from "./script.mjs";

const scripts = demoScripts();
const user = (/** @type {string} */ text) => ({ role: "user", content: text });
const said = (/** @type {string} */ text) => ({ role: "assistant", content: text });
const called = (/** @type {string} */ id, /** @type {string} */ name, /** @type {unknown} */ input) => ({
  role: "assistant",
  content: "",
  tool_calls: [{ id, function: { name, arguments: JSON.stringify(input) } }],
});
const result = (/** @type {string} */ id, /** @type {string} */ content) => ({ role: "tool", tool_call_id: id, content });
const written = (/** @type {import("./script.mjs").Step[]} */ ...steps) => user(JSON.stringify({ title: "Written", steps }));

test("a named prompt begins its script, however it is spelled", () => {
  for (const text of ["Ask me a question", " ask me a question. "]) {
    assert.equal(chooseStep([user(text)], scripts).step.tools?.[0].name, "question");
  }
});

test("every demo script has a name, a description and a step", () => {
  for (const script of scripts) assert.ok(script.prompt && script.about && script.steps.length > 0);
});

test("the step is the number of assistant messages since the prompt", () => {
  const messages = [user("hello"), said("Hi"), written({ text: "one" }, { text: "two" }), said("one")];
  assert.equal(chooseStep(messages, scripts).step.text, "two");
});

test("the last prompt that names a script decides", () => {
  const messages = [user("Run a command"), said("x"), written({ text: "mine" })];
  assert.equal(chooseStep(messages, scripts).step.text, "mine");
});

test("a script in one part of a message is found among the other parts", () => {
  const parts = [{ type: "text", text: "<reminder>be brief</reminder>" }, { type: "text", text: "Run a command" }];
  assert.equal(chooseStep([{ role: "user", content: parts }], scripts).step.tools?.[0].name, "bash");
});

test("after the last step the answers are repeated", () => {
  const input = { questions: [{ question: 'Say "hi"?' }, { question: "Colour?" }] };
  const output = 'User has answered your questions: "Say "hi"?"="yes, "hi"", "Colour?"="Blue". You can now continue with the user\'s answers in mind.';
  const messages = [written({ tools: [] }), called("c1", "question", input), result("c1", output)];
  assert.equal(chooseStep(messages, scripts).step.text, 'You answered: yes, "hi" · Blue.');
});

test("after the last step a message sent in place of an answer is repeated", () => {
  const messages = [user("Ask me a question"), called("c1", "question", {}), result("c1", "interrupted"), user("My answer: Blue")];
  assert.match(chooseStep(messages, scripts).step.text ?? "", /You wrote: My answer: Blue/);
});

test("an unknown prompt gets the list of prompts, also when a script has ended", () => {
  const ended = [user("Run a command"), called("c1", "bash", {}), result("c1", "ok"), said("bash returned: ok"), user("hello")];
  for (const messages of [[user("hello")], ended]) {
    assert.match(chooseStep(messages, scripts).step.text ?? "", /I know these prompts[^]*Ask me a question/);
  }
});

test("JSON that is no script is an ordinary text", () => {
  assert.equal(chooseStep([user('{"steps": 3}'), user("{broken")], scripts).script, null);
});

test("a title comes from the script, else from the prompt", () => {
  const instruction = user("Generate a title for this conversation:\n");
  assert.equal(titleOf([instruction, written()], scripts), "Written");
  assert.equal(titleOf([instruction, user("ask me a question")], scripts), "Ask me a question");
  assert.equal(titleOf([instruction, user("Fix the build")], scripts), "Fix the build");
});
