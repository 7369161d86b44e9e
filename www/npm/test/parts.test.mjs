// @ts-check
/** The parts for people with a loop of their own; nothing here needs a server. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import {
  CompletionDetector,
  DeferredTracker,
  EffectQueue,
  IncompleteError,
  InvalidArgumentError,
  readVerdict,
  rulesOf,
  tallyOf,
  usualConfig,
} from "../../../dist/npm/lib/index.js";
import { watchProcess } from "../../../dist/npm/lib/node.js";

/** D1, D2, D9 */
test("a deferred settles exactly once, and whoever waits hears it", async () => {
  /** @type {DeferredTracker<number>} */
  const tracker = new DeferredTracker();
  assert.equal(tracker.register(["list", "search", "list"]), 2);
  const waiting = [tracker.wait("list"), tracker.wait("list")];
  assert.deepEqual(tracker.settleMany(["list", "list", "nothing"], [1, 2, 3]), ["settled", "already", "unknown"]);
  assert.deepEqual(await Promise.all(waiting), Array(2).fill({ status: "completed", value: 1 }));
  assert.equal(tracker.fail("search", "no index"), "settled");
  assert.deepEqual(await tracker.wait("search"), { status: "failed", reason: "no index" });
  assert.equal(await tracker.wait("nothing"), undefined);
});

/** D3 */
test("work that throws settles its deferred, too", async () => {
  const tracker = new DeferredTracker();
  const settling = tracker.run("parse", () => Promise.reject(new Error("bad input")));
  assert.deepEqual(await tracker.wait("parse"), { status: "failed", reason: "bad input" });
  assert.equal(await settling, "settled");
});

/** D4, D5, D10 */
test("what is open at the end of a turn gets one grace, is reported by name, and its result is late", async () => {
  const tracker = new DeferredTracker();
  tracker.register(["a", "b", "c"]);
  tracker.settle("b", "B");
  assert.deepEqual(await tracker.settleAll(1), { settled: 1, abandoned: ["a", "c"] });
  assert.equal(tracker.settle("c", { late: true }), "late");
  assert.deepEqual(tracker.takeLate(), [{ key: "c", turn: 0, value: { late: true } }]);
  assert.deepEqual(tracker.takeLate(), []);
  assert.equal(tracker.open, 0);
});

/** E3, E5, E6 */
test("effects hold what they need alone, and the next in line gets it when they end", async () => {
  /** @type {EffectQueue<string>} */
  const queue = new EffectQueue();
  const preview = (/** @type {string} */ file) =>
    queue.submit({ poll: () => ({ status: "holding", value: file }), needs: ["preview slot"], session: "ses_1" });
  const [first, second, third] = [preview("a.rs"), preview("b.rs"), preview("c.rs")];
  queue.pollAll();
  assert.deepEqual(await first.answer, { status: "ready", value: "a.rs" });
  assert.equal(queue.holds(second.id), false);
  assert.equal(queue.release(first.id), true);
  assert.equal(queue.release(first.id), false);
  queue.pollAll();
  assert.deepEqual(await second.answer, { status: "ready", value: "b.rs" });
  assert.equal(queue.cancel({ session: "ses_1" }), 2);
  assert.deepEqual(await third.answer, { status: "cancelled" });
});

/** E8 */
test("a decision that comes before its effect is kept and used", async () => {
  const queue = new EffectQueue();
  queue.deny("ses_1", "per_1", "not here");
  const { answer } = queue.submit({
    session: "ses_1",
    request: "per_1",
    poll: ({ decision }) => (decision ? { status: "ready", value: decision } : { status: "pending" }),
  });
  queue.pollAll();
  assert.deepEqual(await answer, { status: "ready", value: { approved: false, reason: "not here" } });
});

/** E7 */
test("an effect whose poll throws has failed, and a queue is not used by its own polls", async () => {
  const queue = new EffectQueue();
  const thrown = queue.submit({ poll: () => { throw new Error("no screen"); } });
  const curious = queue.submit({ poll: () => { queue.pollAll(); return { status: "pending" }; } });
  queue.pollAll();
  assert.deepEqual(await thrown.answer, { status: "failed", reason: "no screen" });
  assert.match(JSON.stringify(await curious.answer), /cannot use the queue/);
});

/** C1 */
test("an output is complete at its end marker, and no more of it is asked for", async () => {
  let isLeft = false;
  async function* output() {
    try {
      yield "p: security\nv: GO\n";
      yield "i: []\n...\n";
      await new Promise(() => {});
    } finally {
      isLeft = true;
    }
  }
  const texts = output();
  const found = await CompletionDetector.over(texts, { minLength: 10 });
  assert.deepEqual(found, { text: "p: security\nv: GO\ni: []\n...\n", by: "marked", exit: null });
  await texts.return(undefined);
  assert.ok(isLeft);
});

/** C3 */
test("an output that takes too long ends as an error that carries it", async () => {
  const endless = { [Symbol.asyncIterator]: () => ({ n: 0, next() { return this.n++ ? new Promise(() => {}) : Promise.resolve({ done: false, value: "half" }); } }) };
  await assert.rejects(CompletionDetector.over(/** @type {any} */ (endless), { timeout: "20ms" }), (error) => {
    assert.ok(error instanceof IncompleteError);
    return error.text === "half" && error.reason === "timedOut";
  });
});

/** C5 */
test("rules come from a configuration, and a wrong one names its field", () => {
  assert.equal(rulesOf(usualConfig()).timeout, 180_000);
  const config = JSON.stringify({ overrides: { review: { dispatch_timeout: 7 } } });
  assert.equal(rulesOf(config, "review").timeout, 7_000);
  assert.throws(() => rulesOf('{"polling": {"interval": "1"}}'), (error) => error instanceof InvalidArgumentError && /polling\.interval/.test(error.message));
  assert.throws(() => new CompletionDetector(/** @type {any} */ ({ format: "xml" })), InvalidArgumentError);
});

/** C10 */
test("a process is watched until its output is complete, and ended then", async () => {
  const program = "process.stderr.write('thinking'); process.stdout.write('p: tests\\nv: GO\\ni: []\\n...\\n'); setInterval(() => {}, 1000)";
  const child = spawn(process.execPath, ["--eval", program]);
  const watched = await watchProcess(child, { minLength: 10 });
  assert.equal(watched.by, "marked");
  assert.equal(watched.stderr, "thinking");
  assert.equal(watched.verdict.verdict?.vote, "GO");
  assert.equal(child.signalCode, "SIGTERM");
  assert.equal(watched.exit, 143);
});

/** C3, C10 */
test("a process that fails ends as an error with its output and its exit code", async () => {
  const child = spawn(process.execPath, ["--eval", "console.log('so far'); console.error('broken'); process.exitCode = 3"]);
  await assert.rejects(watchProcess(child), (error) => {
    assert.ok(error instanceof IncompleteError);
    assert.deepEqual([error.reason, error.exit, error.text, error.stderr], ["failed", 3, "so far\n", "broken\n"]);
    return true;
  });
});

/** C4 */
test("what is no verdict comes back as it is, with the place of the fault", async () => {
  const text = "v: GO\np: [a, b";
  const read = await readVerdict(text);
  assert.equal(read.text, text);
  assert.equal(read.fault?.line, 2);
  assert.equal((await readVerdict('{"v": "GO",\n "p": }', { format: "json" })).fault?.line, 2);
  assert.equal((await readVerdict("I do not know")).verdict, null);
});

/** C9 */
test("verdicts add up, and silence is counted", async () => {
  const { verdict } = await readVerdict("p: a\nv: CONDITIONAL\ni:\n  H: [slow, dear]\n");
  assert.deepEqual(tallyOf([verdict, null]), { vote: "CONDITIONAL", go: 0, conditional: 1, noGo: 0, silent: 1, issues: { C: 0, H: 2, M: 0, L: 0 } });
});
