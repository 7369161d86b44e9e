// @ts-check
/** The parts for people with a loop of their own; nothing here needs a server. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import {
  CompletionDetector,
  DeferredTracker,
  EffectQueue,
  IncompleteError,
  InvalidArgumentError,
  Rendezvous,
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

/** D6, D7, D8 */
test("a turn that is cancelled ends at once, waiting holds nobody up, and a waiter that leaves disturbs nobody", async () => {
  /** @type {DeferredTracker<string>} */
  const tracker = new DeferredTracker();
  tracker.register(["list", "search"]);
  const leaving = new AbortController();
  const [left, stayed] = [tracker.wait("list", { signal: leaving.signal }), tracker.wait("list")];
  const [ending, given] = [tracker.settleAll("10m"), new AbortController()];
  const givenUp = tracker.settleAll("10m", { signal: given.signal });
  leaving.abort("gone");
  given.abort("no more");
  await assert.rejects(left, (reason) => reason === "gone");
  await assert.rejects(givenUp, (reason) => reason === "no more");
  tracker.register("late comer");
  tracker.settle("list", "a.txt");
  assert.deepEqual(await stayed, { status: "completed", value: "a.txt" });
  assert.deepEqual(tracker.openKeys(), ["search", "late comer"]);
  assert.deepEqual(tracker.abandonAll(), ["search", "late comer"]);
  await ending;
  assert.equal(tracker.open, 0);
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

/** E1, E2, E9, E10 */
test("effects that are ready, that wait, and that have nothing to act on go through one queue", async () => {
  /** @type {EffectQueue<string>} */
  const queue = new EffectQueue();
  let [isOpen, polls] = [false, 0];
  const at_once = queue.submit({ poll: () => ({ status: "ready", value: "done" }) });
  const later = queue.submit({
    poll: () => {
      polls += 1;
      return isOpen ? { status: "ready", value: "open" } : { status: "pending" };
    },
  });
  const nowhere = queue.submit({ targetExists: false, poll: () => assert.fail("it has no target") });
  queue.pollAll();
  assert.deepEqual(await at_once.answer, { status: "ready", value: "done" });
  assert.deepEqual(await nowhere.answer, { status: "nothingToDo" });
  isOpen = true;
  queue.pollAll();
  assert.deepEqual(await later.answer, { status: "ready", value: "open" });
  queue.pollAll();
  assert.equal(polls, 2);
});

/** E4 */
test("an effect gets all that it needs or none, in whatever order it names them", async () => {
  /** @type {EffectQueue<string>} */
  const queue = new EffectQueue();
  const holding = (/** @type {string[]} */ ...needs) => queue.submit({ needs, poll: () => ({ status: "holding", value: needs.join() }) });
  const [one, two, both, reverse] = [holding("a"), holding("b"), holding("a", "b"), holding("b", "a")];
  queue.pollAll();
  assert.deepEqual([one, two, both, reverse].map(({ id }) => queue.holds(id)), [true, true, false, false]);
  queue.release(one.id);
  queue.pollAll();
  assert.equal(queue.holds(both.id), false);
  queue.release(two.id);
  queue.pollAll();
  assert.deepEqual(await both.answer, { status: "ready", value: "a,b" });
  assert.equal(queue.holds(reverse.id), false);
  queue.release(both.id);
  queue.pollAll();
  assert.deepEqual(await reverse.answer, { status: "ready", value: "b,a" });
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

/** C1, C2: the time-out of 180 s is a safety net, not a wait */
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

/** C1 */
test("an output comes as bytes, too, wherever they are cut", async () => {
  const bytes = Buffer.from("p: tëst\nv: GO\ni: []\n...\n");
  const { text, by } = await CompletionDetector.over([bytes.subarray(0, 5), bytes.subarray(5)], { minLength: 10 });
  assert.deepEqual([text, by], [bytes.toString(), "marked"]);
  const cut = await CompletionDetector.over([bytes.subarray(0, 5)]);
  assert.deepEqual([cut.text, cut.by], ["p: t\ufffd", "ended"]);
  const child = spawn(process.execPath, ["--eval", "process.stdout.write('p: tests\\nv: GO\\ni: []\\n...\\n')"]);
  assert.equal((await CompletionDetector.over(child.stdout, { minLength: 10 })).by, "marked");
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

/** C3, C10 */
test("a process is ended although it ignores SIGTERM", { timeout: 30_000 }, async () => {
  const child = spawn("sh", ["-c", "trap '' TERM; printf 'p: tests\\nv: GO\\ni: []\\n...\\n'; while :; do sleep 1; done"]);
  const watched = await watchProcess(child, { minLength: 10 });
  assert.deepEqual([watched.by, child.signalCode, watched.exit], ["marked", "SIGKILL", 137]);
});

/** C3, C10 */
test("nobody waits for who inherited the output of a process", { timeout: 30_000 }, async () => {
  const child = spawn("sh", ["-c", "sleep 60; :"]);
  await assert.rejects(watchProcess(child, { timeout: "200ms" }), (error) => error instanceof IncompleteError && error.reason === "timedOut");
  assert.equal(child.signalCode, "SIGTERM");
  assert.ok(child.stdout.destroyed && child.stderr.destroyed);
});

/** C1, C3, C10 */
test("a process is over when it has ended, whoever holds its output open", { timeout: 30_000 }, async () => {
  const done = await watchProcess(spawn("sh", ["-c", "echo 'p: tests'; sleep 60 & exit 0"]));
  assert.deepEqual([done.by, done.exit, done.text], ["ended", 0, "p: tests\n"]);
  const failing = spawn("sh", ["-c", "echo 'v: GO'; echo broken >&2; sleep 60 & exit 3"]);
  await assert.rejects(watchProcess(failing), (error) => {
    assert.ok(error instanceof IncompleteError);
    assert.deepEqual([error.reason, error.exit, error.text, error.stderr], ["failed", 3, "v: GO\n", "broken\n"]);
    return true;
  });
});

/** C1, C3, C10 */
test("a process that had ended before is not waited for", { timeout: 30_000 }, async () => {
  for (const [command, reason, exit] of /** @type {const} */ ([["exit 0", "empty", 0], ["exit 4", "failed", 4], ["kill -9 $$", "failed", 137]])) {
    const closed = spawn("sh", ["-c", command]);
    closed.stdout.resume();
    closed.stderr.resume();
    await once(closed, "close");
    await assert.rejects(watchProcess(closed), (error) => {
      assert.ok(error instanceof IncompleteError);
      assert.deepEqual([error.reason, error.exit], [reason, exit]);
      return true;
    });
  }
});

/** C10 */
test("what is no process, or has no output to read, is refused", { timeout: 30_000 }, async () => {
  for (const wrong of [undefined, null, 5, "sh", {}, { on() {}, kill() {} }]) {
    await assert.rejects(watchProcess(/** @type {any} */ (wrong)), InvalidArgumentError);
  }
  const silent = spawn("sleep", ["60"], { stdio: "ignore" });
  const exit = once(silent, "exit");
  await assert.rejects(watchProcess(silent), InvalidArgumentError);
  assert.deepEqual(await exit, [null, "SIGTERM"]);
});

/** C3, C10 */
test("a signal is heard while a process takes its time to end", { timeout: 30_000 }, async () => {
  const child = spawn("sh", ["-c", "trap 'echo asked >&2' TERM; printf 'p: tests\\nv: GO\\ni: []\\n...\\n'; while :; do sleep 0.1; done"]);
  const leaving = new AbortController();
  const watching = watchProcess(child, { minLength: 10, signal: leaving.signal });
  child.stderr.once("data", () => leaving.abort("enough"));
  await assert.rejects(watching, (reason) => reason === "enough");
  assert.equal(child.signalCode, "SIGKILL");
});

/** C3, C10 */
test("a process that is not to be watched after all is ended", { timeout: 30_000 }, async () => {
  const wrong = /** @type {const} */ ([
    [{ signal: AbortSignal.abort("no") }, (/** @type {unknown} */ reason) => reason === "no"],
    [{ format: /** @type {any} */ ("xml") }, InvalidArgumentError],
    [{ timeout: /** @type {any} */ ("soon") }, InvalidArgumentError],
  ]);
  for (const [options, expected] of wrong) {
    const child = spawn("sh", ["-c", "sleep 60; :"]);
    const exit = once(child, "exit");
    await assert.rejects(watchProcess(child, options), expected);
    assert.deepEqual(await exit, [null, "SIGTERM"]);
    const missing = spawn("/is/not/there");
    await assert.rejects(watchProcess(missing, options), expected);
  }
  await assert.rejects(watchProcess(spawn("/is/not/there")), { code: "ENOENT" });
});

/** C3 */
test("a wait that is longer than timers know does not spin", async (context) => {
  const timers = context.mock.method(globalThis, "setTimeout");
  const long = /** @type {const} */ ({ timeout: "1000h", interval: "1000h" });
  const leaving = new AbortController();
  const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
  const reading = CompletionDetector.over(/** @type {any} */ (silent), { ...long, signal: leaving.signal });
  leaving.abort("enough");
  await assert.rejects(reading, (reason) => reason === "enough");
  const child = spawn(process.execPath, ["--eval", "console.log('p: tests')"]);
  assert.equal((await watchProcess(child, long)).by, "ended");
  const delays = timers.mock.calls.map(({ arguments: [, delay] }) => delay ?? 0);
  assert.equal(Math.max(...delays), 2 ** 31 - 1);
});

test("a span is a number of milliseconds, or a text with its unit", async () => {
  for (const wrong of ["30", "", "1e3ms", "-1s", -1, Number.NaN, Number.POSITIVE_INFINITY, null, {}]) {
    await assert.rejects(new DeferredTracker().settleAll(/** @type {any} */ (wrong)), { code: "INVALID_ARGUMENT" }, String(wrong));
  }
  for (const right of /** @type {const} */ ([0, 1e-7, 1.5, 1e21, "1.5ms", "0s", "10m", "2h"])) {
    assert.deepEqual(await new DeferredTracker().settleAll(right), { settled: 0, abandoned: [] });
  }
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

/** C4, C9 */
test("a verdict that says something else is told where, in words about verdicts", async () => {
  for (const [text, line, column, message, format] of /** @type {[string, number, number, RegExp, ("json" | "yaml")?][]} */ ([
    ["p: tests\nv: MAYBE\n", 2, 4, /`MAYBE` is not a vote/],
    ["p: tests\nv: GO\ni:\n  - X: what\n", 4, 5, /`X` is not a severity/],
    ["p: tests\nv: GO\ni:\n  - C: {}\n", 4, 8, /an issue is a text/],
    ["p: tests\nv: GO\ni: slow\n", 3, 4, /begins with its severity/],
    ["p: [a]\nv: GO\n", 1, 4, /`p`/],
    ["p: tests\n", 1, 1, /`v` is missing/],
    ["I do not know", 1, 1, /a verdict is a mapping/],
    ["Here it is:\n\n  v: GO\n p: x", 4, 1, /./],
    ["```yaml\np: tests\nv: MAYBE\n```\n", 3, 4, /`MAYBE`/],
    ['{\n  "p": "tests",\n  "v": "MAYBE"\n}', 3, 8, /`MAYBE`/, "json"],
    ['{\n  "p": "tests",\n  v: "GO"\n}', 3, 3, /not JSON/, "json"],
    ["p: tests\nv: GO\n", 1, 1, /not JSON/, "json"],
  ])) {
    const { verdict, fault } = await readVerdict(text, { format });
    assert.equal(verdict, null, text);
    assert.deepEqual([fault?.line, fault?.column], [line, column], `${text}: ${fault?.message}`);
    assert.match(fault?.message ?? "", message);
    assert.doesNotMatch(fault?.message ?? "", /struct|Record|expected|at line/);
  }
});

/** C9 */
test("a verdict is read in all the forms that reviewers use", async () => {
  const one = [{ severity: "H", text: "slow" }];
  for (const [text, issues] of /** @type {const} */ ([
    ["i:\n  - H: slow\n", one],
    ['i:\n  - "h: slow"\n', one],
    ["i:\n  H: slow\n", one],
    ["i:\n  H: [slow]\n", one],
    ["i: {H: slow}\n", one],
    ["", []],
    ["i:\n", []],
    ["i: []\n", []],
  ])) {
    assert.deepEqual((await readVerdict(`p: 5\nv: no-go\n${text}`)).verdict, { persona: "5", vote: "NO-GO", issues });
  }
  const json = '{"p": "tests", "v": "GO", "i": [{"C": "no check"}, {"L": ["a", "b"]}]}';
  assert.equal((await readVerdict(json, { format: "json" })).verdict?.issues.length, 3);
});

/** E8 */
test("the first decision on a request counts", async () => {
  const queue = new EffectQueue();
  assert.deepEqual([queue.approve("ses_1", "per_1"), queue.deny("ses_1", "per_1", "no"), queue.approve("ses_1", "per_1")], [true, false, false]);
  const effect = queue.submit({
    session: "ses_1",
    request: "per_1",
    poll: ({ decision }) => ({ status: "ready", value: decision?.approved }),
  });
  queue.pollAll();
  assert.deepEqual(await effect.answer, { status: "ready", value: true });
});

test("an option that is not known is refused by its name", async () => {
  const typo = /** @type {any} */ ({ timeuot: 1 });
  const wrong = { code: "INVALID_ARGUMENT", message: /no option "timeuot"/ };
  const [tracker, queue, desk] = [new DeferredTracker(), new EffectQueue(), new Rendezvous()];
  for (const call of [
    () => new CompletionDetector(typo),
    () => new CompletionDetector({ markers: typo }),
    () => queue.submit({ ...typo, poll: () => ({ status: "pending" }) }),
    () => desk.views(typo),
  ]) assert.throws(call, wrong, String(call));
  for (const call of [
    () => tracker.wait("read", typo),
    () => tracker.settleAll(1, typo),
    () => desk.ask("deploy", "Deploy?", typo),
    () => CompletionDetector.over([], typo),
    () => readVerdict("v: GO", typo),
    () => watchProcess(spawn("sleep", ["60"]), typo),
  ]) await assert.rejects(call(), wrong, String(call));
  assert.deepEqual(desk.waiting(), []);
});

test("what must be a text and is none is an argument of the wrong form", async () => {
  const five = /** @type {any} */ (5);
  const wrong = { code: "INVALID_ARGUMENT", message: /must be/ };
  const [tracker, queue, desk, detector] = [new DeferredTracker(), new EffectQueue(), new Rendezvous(), new CompletionDetector()];
  for (const call of [
    () => tracker.register(["read", five]),
    () => tracker.register(five),
    () => tracker.settle(five, 1),
    () => tracker.fail("read", five),
    () => tracker.settleMany([five], [1]),
    () => queue.approve(five, "per_1"),
    () => queue.deny("ses_1", "per_1", five),
    () => queue.endTurn(five),
    () => desk.answer(five, 1),
    () => desk.cancel("deploy", five),
    () => detector.push(five),
    () => rulesOf(five),
    () => rulesOf("{}", five),
  ]) assert.throws(call, wrong, String(call));
  for (const call of [
    () => tracker.run(five, () => 1),
    () => tracker.wait(five),
    () => desk.ask(five, "Deploy?"),
    () => desk.wait(five),
    () => CompletionDetector.over(five),
    () => CompletionDetector.over([five]),
    () => readVerdict(five),
  ]) await assert.rejects(call(), wrong, String(call));
  assert.deepEqual([tracker.openKeys(), desk.waiting()], [[], []]);
});

/** C9 */
test("verdicts add up, and silence is counted", async () => {
  const { verdict } = await readVerdict("p: a\nv: CONDITIONAL\ni:\n  H: [slow, dear]\n");
  assert.deepEqual(tallyOf([verdict, null]), { vote: "CONDITIONAL", go: 0, conditional: 1, noGo: 0, silent: 1, issues: { C: 0, H: 2, M: 0, L: 0 } });
  const votes = ["NO-GO", "GO", "MAYBE"].map((vote) => ({ ...verdict, vote }));
  assert.deepEqual(tallyOf(votes), { vote: "NO-GO", go: 1, conditional: 0, noGo: 1, silent: 1, issues: { C: 0, H: 4, M: 0, L: 0 } });
  assert.equal(tallyOf([null]).vote, null);
});
