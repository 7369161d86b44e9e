// @ts-check
/** An agent asks, a person answers, and OpenCode has nothing to do with it. Time passes only when a test says so. */
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { DisposedError, InvalidArgumentError, Rendezvous } from "../../../dist/npm/lib/index.js";

const MINUTE = 60_000;

/** R2, R4: what is asked and answered passes through as it is */
test("a question is published once and ends once, for any number of waiters", async () => {
  /** @type {Rendezvous<{ text: string }, { colour: string }>} */
  const desk = new Rendezvous();
  const question = { text: "Which colour?" };
  const asking = desk.ask("colour", question);
  assert.equal(desk.waiting()[0]?.question, question);
  await assert.rejects(desk.ask("colour", { text: "Again?" }), InvalidArgumentError);
  const leaving = new AbortController();
  const left = desk.wait("colour", { signal: leaving.signal });
  leaving.abort("gone");
  await assert.rejects(left, (reason) => reason === "gone");
  const answer = { colour: "blue" };
  assert.deepEqual(desk.answer("colour", answer), { status: "taken" });
  assert.deepEqual(desk.answer("colour", { colour: "red" }).status, "already");
  const outcomes = await Promise.all([asking, desk.wait("colour")]);
  for (const outcome of outcomes) assert.ok(outcome?.status === "answered" && outcome.answer === answer && outcome.by === "person");
  assert.equal(desk.answer("size", answer).status, "unknown");
  assert.equal(await desk.wait("size"), undefined);
  assert.deepEqual(desk.waiting(), []);
});

/** R9, R10, R11 */
test("questions are answered in any order, also one after the other", async () => {
  /** @type {Rendezvous<string, number>} */
  const desk = new Rendezvous();
  const asking = Array.from({ length: 100 }, (_, at) => desk.ask(`question ${at}`, "How many?"));
  for (const { key } of desk.waiting().reverse()) desk.answer(key, Number(key.split(" ")[1]));
  const answers = (await Promise.all(asking)).map((outcome) => outcome.status === "answered" && outcome.answer);
  assert.deepEqual(answers, Array.from({ length: 100 }, (_, at) => at));
  const nested = desk.ask("nested", "And then?");
  desk.answer("nested", 1);
  assert.equal((await nested).status, "answered");
});

/** R5, R6, R7 */
test("a question whose time is up frees who waits, stays answerable, and its answer is late", async () => {
  await atOnesOwnPace(async (pass) => {
    /** @type {Rendezvous<string, string>} */
    const desk = new Rendezvous();
    const [usual, patient, eager] = [
      desk.ask("usual", "?"),
      desk.ask("patient", "?", { timeout: "never" }),
      desk.ask("eager", "?", { timeout: "8m", then: { answer: "no" } }),
    ];
    assert.deepEqual(desk.waiting().map(({ until, asked }) => until && until - asked), [30 * MINUTE, null, 8 * MINUTE]);
    const warned = () => desk.waiting().filter((asked) => asked.warned).map(({ key }) => key);
    pass(4 * MINUTE);
    assert.deepEqual(warned(), ["eager"]);
    pass(4 * MINUTE);
    assert.deepEqual(await eager, { status: "answered", answer: "no", by: "policy" });
    assert.deepEqual(warned(), []);
    pass(17 * MINUTE);
    assert.deepEqual(warned(), ["usual"]);
    pass(5 * MINUTE);
    assert.deepEqual(await usual, { status: "timedOut" });
    assert.deepEqual(desk.waiting().map(({ key, timedOut }) => [key, timedOut !== null]), [["usual", true], ["patient", false]]);
    pass(MINUTE);
    const answered = desk.answer("usual", "yes");
    assert.ok(answered.status === "late" && answered.lateBy === MINUTE);
    assert.deepEqual(desk.takeLate(), [{ key: "usual", question: "?", answer: "yes", lateBy: MINUTE }]);
    assert.deepEqual(desk.takeLate(), []);
    assert.deepEqual(await desk.wait("usual"), { status: "timedOut" });
    desk.answer("patient", "at last");
    assert.equal((await patient).status, "answered");
  });
});

/** R6: a warning is news to who looks on */
test("a slow reader sees the newest state, warnings and time-outs too", async () => {
  await atOnesOwnPace(async (pass) => {
    /** @type {Rendezvous<number, string>} */
    const desk = new Rendezvous();
    const views = desk.views();
    assert.deepEqual((await views.next()).value, []);
    for (let at = 0; at < 1_000; at += 1) void desk.ask(`question ${at}`, at, { timeout: "2m" });
    for (let at = 1; at < 1_000; at += 1) desk.answer(`question ${at}`, "ok");
    assert.deepEqual((await views.next()).value?.map(({ question }) => question), [0]);
    const warning = views.next();
    pass(MINUTE);
    assert.deepEqual((await warning).value?.map(({ warned, timedOut }) => [warned, timedOut]), [[true, null]]);
    const ending = views.next();
    pass(MINUTE);
    assert.ok((await ending).value?.[0]?.timedOut);
    const last = views.next();
    await views.return?.();
    assert.deepEqual(await last, { done: true, value: undefined });
    assert.equal((await views.next()).done, true);
  });
});

/** R12, R7 */
test("a question that is cancelled ends, and an answer to it is late", async () => {
  const desk = new Rendezvous();
  const asking = desk.ask("colour", "Which?");
  assert.equal(desk.cancel("colour", "the agent was stopped"), true);
  assert.equal(desk.cancel("colour"), false);
  assert.deepEqual(await asking, { status: "cancelled", reason: "the agent was stopped" });
  assert.equal(desk.answer("colour", "blue").status, "late");
});

test("closing frees everybody, twice is fine, and a signal that was aborted asks nothing", async () => {
  const desk = new Rendezvous();
  await assert.rejects(desk.ask("size", "Which?", { signal: AbortSignal.abort("never mind") }), (reason) => reason === "never mind");
  assert.deepEqual(desk.waiting(), []);
  const [asking, views] = [desk.ask("colour", "Which?"), desk.views()];
  await assert.rejects(desk.ask("no span", "?", { timeout: /** @type {any} */ ("soon") }), InvalidArgumentError);
  desk.close();
  desk[Symbol.dispose]();
  assert.deepEqual(await asking, { status: "closed" });
  assert.equal(desk.answer("colour", "blue").status, "closed");
  await assert.rejects(desk.ask("size", "Which?"), DisposedError);
  for await (const waiting of views) assert.deepEqual(waiting, []);
});

/** @param {(pass: (span: number) => void) => Promise<void>} story */
async function atOnesOwnPace(story) {
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: Date.now() });
  const steady = mock.method(performance, "now", () => Date.now());
  try {
    await story((span) => mock.timers.tick(span));
  } finally {
    steady.mock.restore();
    mock.timers.reset();
  }
}
