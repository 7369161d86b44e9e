// @ts-check
/** The board against a real OpenCode: questions, permissions, replies, procedures. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestEndedError, DisposedError, InvalidAnswerError, InvalidArgumentError, TimedOutError } from "../../../dist/npm/lib/index.js";
import { asIfAsleep, asks, runs, script, startDesk, until, using } from "./desk.mjs";

const desk = await startDesk();

/** R4, R9 */
test("a prompt resolves with the reply after its questions were answered, one after the other", async () => {
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory, title: "Colours" });
    /** @type {string[]} */
    const asked = [];
    const reply = await session.prompt(script(asks("Which colour?", "Red", "Blue"), asks("Are you sure?", "Yes", "No")), {
      timeout: "2m",
      onQuestion: async (request) => {
        asked.push(request.questions[0]?.text ?? "");
        return [[request.questions[0]?.options.at(-1)?.label ?? ""]];
      },
    });
    assert.deepEqual(asked, ["Which colour?", "Are you sure?"]);
    assert.equal(reply.ending, "done");
    assert.match(reply.text, /You answered: Blue\..*You answered: No\./s);
    assert.ok(reply.messages.some((message) => message.tools.some((call) => call.tool === "question")));
  });
});

/** R4, R17, R18 */
test("an answer resolves when the tool part proves it, and its times are known", async () => {
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    const replying = session.prompt(script(asks("Which?", "Red", "Blue")), { timeout: "2m" });
    await until(board, () => session.requests().length > 0);
    const [request] = session.requests();
    assert.ok(request);
    for (const wrong of [[["Green", "Red"]], [["Red", "Blue"]], [[""]], [], [["Red"], ["Blue"]]]) {
      await assert.rejects(request.answer(wrong), InvalidAnswerError);
    }
    await assert.rejects(request.answer("once"), InvalidAnswerError);
    assert.deepEqual(await request.answer([["Blue"]]), { kind: "confirmed", note: null });
    assert.equal((await replying).ending, "done");
    await assert.rejects(request.answer([["Red"]]), RequestEndedError);
    const figure = board.figures().requests.find((figure) => figure.request === request.id);
    assert.equal(figure?.by, "here");
    assert.ok(figure.confirmed !== null);
  });
});

/** R1, R3, R11 */
test("one loop reads for all sessions, and goes on while one of them waits", async () => {
  let streams = 0;
  const [reading, overlapping] = [new Set(), /** @type {string[]} */ ([])];
  const watched = async (/** @type {any} */ input, /** @type {any} */ init) => {
    const url = String(input instanceof Request ? input.url : input);
    if (/event$/.test(new URL(url).pathname)) streams += 1;
    if (!/\/session\/status/.test(url)) return fetch(input, init);
    if (reading.has(url)) overlapping.push(url);
    reading.add(url);
    return fetch(input, init).finally(() => reading.delete(url));
  };
  await using(desk.connect({ fetch: watched }), async (board) => {
    const [waiting, other] = [await board.createSession({ directory: desk.directory }), await board.createSession({ directory: desk.directory })];
    const replying = waiting.prompt(script(asks("Which?", "Red", "Blue")));
    await until(board, () => waiting.requests().length > 0);
    assert.equal((await other.prompt(script({ text: "not held up" }))).text, "not held up");
    assert.equal(waiting.view?.state.kind, "waitingForHuman");
    await waiting.requests()[0]?.answer([["Blue"]]);
    assert.equal((await replying).ending, "done");
  });
  assert.deepEqual([streams, overlapping], [1, []]);
});

/** R16 */
test("a reply whose last message has no text falls back to what was said and done", async () => {
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    const said = await session.prompt(script({ ...runs("true"), text: "I begin." }, { text: "" }), { onPermission: () => "once" });
    assert.equal(said.text, "I begin.");
    const silent = await session.prompt(script(runs("echo quiet"), { text: "" }), { onPermission: () => "once" });
    assert.notEqual(silent.text, "");
    for (const { text } of [said, silent]) assert.doesNotMatch(text, /No response/);
  });
});

/** F2, F6 */
test("a long follow-up is cut, and logged in short", async () => {
  /** @type {string[]} */
  const records = [];
  const log = (/** @type {{ level: string, text: string }} */ { level, text }) => void (level === "debug" && records.push(text));
  await using(desk.connect({ log }), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    const message = "ä".repeat(60_000);
    await session.followUp(message);
    /** @type {{ info: { role: string }, parts: { text: string }[] }[]} */
    const messages = await desk.api(`/session/${session.id}/message`);
    const [sent = ""] = messages.filter(({ info }) => info.role === "user").map(({ parts }) => parts[0]?.text);
    assert.equal(sent, `${"ä".repeat(51_200)}...[truncated]`);
    const logged = records.filter((text) => text.includes("ääää"));
    assert.equal(logged.length, 1);
    assert.equal(logged[0]?.match(/ä/g)?.length, 100);
  });
});

/** R19 */
test("permissions are replied to by a handler", async () => {
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    const reply = await session.prompt(script(runs("echo hello from the test")), {
      timeout: "2m",
      onPermission: async (request) => {
        assert.equal(request.permission?.command, "echo hello from the test");
        return { reply: "once" };
      },
    });
    assert.match(reply.text, /hello from the test/);
  });
});

test("a handler that throws leaves the request waiting and is reported", async () => {
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    /** @type {unknown[]} */
    const reported = [];
    const replying = session.prompt(script(asks("Which?", "Red", "Blue")), {
      timeout: "2m",
      onQuestion: () => {
        throw new Error("no idea");
      },
      onHandlerError: (error) => reported.push(error),
    });
    await until(board, () => session.requests().length > 0 && reported.length > 0);
    assert.match(String(reported[0]), /no idea/);
    assert.equal((await session.requests()[0]?.answer([["Red"]]))?.kind, "confirmed");
    await replying;
  });
});

/** R4, R11 */
test("an answer of another client is told, and a handler that is too late changes nothing", async () => {
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    /** @type {unknown[]} */
    const reported = [];
    const reply = await session.prompt(script(asks("Which?", "Red", "Blue")), {
      timeout: "2m",
      onQuestion: async (request) => {
        await desk.api(`/question/${request.id}/reply`, { answers: [["Red"]] });
        const outcome = await request.wait();
        assert.deepEqual(outcome, { kind: "answeredElsewhere", answer: { kind: "answers", answers: [["Red"]] } });
        return [["Blue"]];
      },
      onHandlerError: (error) => reported.push(error),
    });
    assert.match(reply.text, /You answered: Red/);
    assert.deepEqual(reported, []);
  });
});

/**
 * Until a message to a session is known to be stored, which a board may learn after what was said to it.
 *
 * @param {import("../../../dist/npm/lib/index.js").Board} board
 * @param {import("../../../dist/npm/lib/index.js").Session} session
 */
function untilStored(board, session) {
  const is = (/** @type {{ session: string, state: { kind: string } }} */ prompt) => prompt.session === session.id && prompt.state.kind === "stored";
  return until(board, (view) => view.prompts.some(is));
}

/** F4, C3 */
test("a reply that takes too long says what was sent and what was said", async () => {
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    const slow = script({ ...runs("true"), text: "I begin." }, { text: "thinking", delay: 600_000 });
    const replying = session.prompt(slow, { timeout: "10m", stop: true, onPermission: () => "once" });
    const timedOut = assert.rejects(replying, (error) => {
      assert.ok(error instanceof TimedOutError);
      assert.deepEqual([error.code, error.sent, error.text], ["TIMED_OUT", "yes", "I begin."]);
      return true;
    });
    await untilStored(board, session);
    await until(board, () => session.view?.state.kind === "working" && session.view.lastText === "I begin.");
    await asIfAsleep(10 * 60_000, async () => {
      board.tryNow();
      await timedOut;
    });
    await until(board, () => session.view?.state.kind === "ended");
    assert.deepEqual(session.view?.state.kind === "ended" && session.view.state.ending, "timedOut");
  });
});

/** F4 */
test("an aborted reply rejects with the reason of its signal, and says what was sent", async () => {
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    const controller = new AbortController();
    const reason = new Error("enough");
    const sent = new Promise((resolve) => {
      const slow = script({ ...runs("true"), text: "I begin." }, { text: "thinking", delay: 600_000 });
      const options = { signal: controller.signal, stop: true, onAborted: resolve, onPermission: () => /** @type {const} */ ("once") };
      void assert.rejects(session.prompt(slow, options), reason);
    });
    await untilStored(board, session);
    await until(board, () => session.view?.lastText === "I begin.");
    controller.abort(reason);
    assert.equal(await sent, "yes");
    /** @type {unknown[]} */
    const told = [];
    const late = session.prompt("never sent", { signal: controller.signal, onAborted: (sent) => told.push(sent) });
    await assert.rejects(late, reason);
    assert.deepEqual(told, ["no"]);
  });
});

/** F1, F7 */
test("a loop of checks follows up with the output until the check passes", async () => {
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    /** @type {(boolean | undefined)[]} */
    const rounds = [];
    let checks = 0;
    const validated = await session.untilValid("Make it right", {
      check: () => (++checks < 2 ? { passed: false, output: "it is wrong" } : { passed: true }),
      rounds: 4,
      timeout: "2m",
      onRound: (round) => rounds.push(round.check?.passed),
    });
    assert.deepEqual(validated.end, { kind: "passed" });
    assert.deepEqual(rounds, [false, true]);
    const failing = await session.untilValid("Again", { check: "echo broken; exit 3", rounds: 1, timeout: "2m" });
    assert.deepEqual(failing.end, { kind: "roundsUsedUp" });
    assert.match(failing.rounds[0]?.check?.output ?? "", /broken\n\(exit code 3\)/);
  });
});

/** F7, F2 */
test("a loop whose command fails twice in the same way stalls, and the agent is told what failed at its end", async () => {
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    const check = "yes 'compiling something' | head -c 300000; echo 'FAILED test_a.py::test_b'; date '+finished in 0.%Ns'; exit 1";
    const { end, rounds } = await session.untilValid("Make it right", { check, timeout: "2m" });
    assert.deepEqual([end, rounds.length], [{ kind: "stalled" }, 2]);
    const messages = /** @type {{ parts: { text?: string }[] }[]} */ (await desk.api(`/session/${session.id}/message`));
    const texts = messages.flatMap(({ parts }) => parts.map(({ text }) => text ?? ""));
    const told = texts.filter((text) => text.startsWith("The check failed."));
    assert.equal(told.length, 1);
    assert.match(told[0] ?? "", /FAILED test_a.py::test_b\nfinished in 0.\d+s\n\(exit code 1\)$/);
    assert.ok((told[0] ?? "").length < 20_000, `${told[0]?.length}`);
    const late = await session.untilValid("Again", { check: "echo begun; sleep 600", commandTimeout: "3s", timeout: "2m", rounds: 1 });
    assert.deepEqual(late.end, { kind: "roundsUsedUp" });
    assert.match(late.rounds[0]?.check?.output ?? "", /begun\n\(it took too long, and was stopped\)/);
  });
});

/** F7, C3 */
test("a check that another client stops is no failure of the agent, and what it printed is told", async () => {
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    const looping = session.untilValid("Make it right", { check: "echo begun; sleep 600", timeout: "2m" });
    const check = () => board.view().sessions.find(({ parent }) => parent === session.id);
    await until(board, () => check() !== undefined);
    const printed = async () => JSON.stringify(await desk.api(`/session/${check()?.id}/message`)).includes("begun\\n");
    const patience = AbortSignal.timeout(60_000);
    while (!(await printed())) patience.throwIfAborted();
    await desk.api(`/session/${check()?.id}/abort`, {});
    const { end, rounds } = await looping;
    assert.equal(end.kind, "checkBroken");
    assert.match(end.kind === "checkBroken" ? `${end.reason}: ${end.output}` : "", /stopped by another client: begun/);
    assert.deepEqual(rounds.map(({ check }) => check), [null]);
  });
});

/** C8, C9 */
test("reviewers work side by side, and their verdicts are added up", async () => {
  await using(desk.connect(), async (board) => {
    const says = (/** @type {string} */ text) => ({ directory: desk.directory, prompt: script({ text }) });
    /** @type {number[]} */
    const told = [];
    const review = await board.dispatch(
      [says("```yaml\np: security\nv: NO-GO\ni:\n  - C: no check of the token\n```"), says("p: tests\nv: GO\n"), says("I do not know")],
      { timeout: "2m", onVerdict: ({ index }) => told.push(index) },
    );
    assert.deepEqual(told.sort(), [0, 1, 2]);
    assert.deepEqual(review.tally, { vote: "NO-GO", go: 1, conditional: 0, noGo: 1, silent: 1, issues: { C: 1, H: 0, M: 0, L: 0 } });
    assert.equal(review.results[0]?.verdict?.persona, "security");
  });
});

// C8, C9
test("reviewers of a session are told what to look at and how to answer, and are linked to it", async () => {
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    const reviewer = (/** @type {string} */ name, /** @type {string} */ says) => ({ name, prompt: `Look for ${name}.\n${script({ text: says })}` });
    const review = await board.review(session.id, {
      reviewers: [reviewer("security", "v: NO-GO\ni:\n  - C: no check of the token"), reviewer("tests", "v: GO")],
      material: "src/window.rs",
      timeout: "2m",
    });
    assert.deepEqual([review.tally.vote, review.tally.issues.C], ["NO-GO", 1]);
    const made = board.view().sessions.filter(({ parent }) => parent === session.id);
    assert.deepEqual(made.map(({ title }) => title.replace(/ \(.*/, "")).sort(), ["Review: security", "Review: tests"]);
    const messages = /** @type {{ parts: { text?: string }[] }[]} */ (await desk.api(`/session/${made[0]?.id}/message`));
    const asked = messages.flatMap(({ parts }) => parts.map(({ text }) => text ?? ""));
    assert.ok(asked.some((text) => text.includes("What to review:\n\nsrc/window.rs")), asked.join("\n"));
    await assert.rejects(board.review(session.id, { reviewers: [{ name: "x", prompt: /** @type {any} */ (5) }], material: "x" }), InvalidArgumentError);
  });
});

for (const [how, fail] of /** @type {const} */ ([
  ["throw", () => { throw new Error("broken callback"); }],
  ["reject", () => Promise.reject(new Error("broken callback"))],
])) {
  test(`callbacks that ${how} change nothing, and are reported`, async (context) => {
    const report = context.mock.method(console, "error", () => {});
    /** @type {unknown[]} */
    const unhandled = [];
    const onUnhandled = (/** @type {unknown} */ reason) => unhandled.push(reason);
    process.on("unhandledRejection", onUnhandled);
    context.after(() => process.off("unhandledRejection", onUnhandled));
    const reported = () => report.mock.calls.filter(({ arguments: [, error] }) => error.message === "broken callback").length;
    await using(desk.connect(), async (board) => {
      const said = { directory: desk.directory, prompt: script({ text: "p: tests\nv: GO" }) };
      const review = await board.dispatch([said, said], { timeout: "2m", onVerdict: fail });
      assert.deepEqual([review.tally.go, reported()], [2, 2]);
      const session = await board.createSession({ directory: desk.directory });
      const validated = await session.untilValid("Make it right", { check: () => ({ passed: true }), onRound: fail, timeout: "2m" });
      assert.deepEqual([validated.end.kind, reported()], ["passed", 3]);
      const [leaving, reason] = [new AbortController(), new Error("enough")];
      const late = session.prompt("never sent", { signal: AbortSignal.abort(reason), onAborted: fail });
      await assert.rejects(late, (error) => error === reason);
      const other = await board.createSession({ directory: desk.directory });
      const slow = other.prompt(script({ text: "x", delay: 60_000 }), { signal: leaving.signal, stop: true, onAborted: fail });
      await untilStored(board, other);
      leaving.abort(reason);
      await assert.rejects(slow, (error) => error === reason);
      assert.equal(reported(), 5);
      const asked = new Promise((resolve) => {
        const onHandlerError = () => {
          resolve(undefined);
          return fail();
        };
        void session.prompt(script(asks("Which?", "Red", "Blue")), { onQuestion: fail, onHandlerError });
      });
      await asked;
      await session.requests()[0]?.answer([["Red"]]);
      assert.equal(reported(), 6);
    });
    const before = reported();
    await using(desk.connect({ log: fail }), async (board) => {
      const session = await board.createSession({ directory: desk.directory });
      assert.equal((await session.prompt(script({ text: "hello" }))).ending, "done");
    });
    assert.ok(reported() > before);
    assert.deepEqual(unhandled, []);
  });
}

/** C5 */
test("agents take as long as the rules of completion say, and a wrong rule names its field", async () => {
  await using(desk.connect(), async (board) => {
    const job = { directory: desk.directory, prompt: script({ text: "late", delay: 60_000 }), agent: "plan" };
    const completion = JSON.stringify({ overrides: { plan: { dispatch_timeout: 2 } } });
    for await (const { reply, error } of board.dispatched([job], { completion })) {
      assert.equal(reply, undefined);
      assert.ok(error instanceof TimedOutError);
    }
    const wrong = { completion: '{"polling": {"interval": "soon"}}' };
    await assert.rejects(board.dispatch([job], wrong), (error) => error instanceof InvalidArgumentError && /polling\.interval/.test(error.message));
  });
});

/** F3 */
test("a closed board says so, closing twice is fine, and nothing is left unhandled", async () => {
  const board = await desk.connect();
  const session = await board.createSession({ directory: desk.directory });
  const views = board.views();
  void session.prompt(script({ text: "x", delay: 60_000 }), { stop: true });
  await until(board, (view) => view.sessions.some((seen) => seen.id === session.id && seen.state.kind === "working"));
  await session.abort();
  await board.close();
  await board[Symbol.asyncDispose]();
  await assert.rejects(session.prompt("hello"), (error) => error instanceof DisposedError && /cannot send follow-up/.test(error.message));
  await assert.rejects(board.createSession({ directory: desk.directory }), DisposedError);
  for await (const view of views) assert.ok(view);
});

test("an aborted loop over views rejects with the reason, and one that is left ends", async () => {
  await using(desk.connect(), async (board) => {
    const controller = new AbortController();
    const views = board.views({ signal: controller.signal });
    await views.next();
    controller.abort("enough");
    await assert.rejects(async () => {
      for await (const view of views) assert.ok(view);
    }, (reason) => reason === "enough");
    const left = board.views();
    for await (const view of left) if (view) break;
    assert.equal((await left.next()).done, true);
  });
});

/** R21 */
test("the log and the way to the server can be replaced, and no password is ever logged", async () => {
  /** @type {string[]} */
  const records = [];
  let requests = 0;
  const options = {
    log: (/** @type {import("../../../dist/npm/lib/index.js").LogRecord} */ record) => records.push(JSON.stringify(record)),
    fetch: (/** @type {any} */ input, /** @type {any} */ init) => {
      requests += 1;
      return fetch(input, init);
    },
  };
  await using(desk.connect(options), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    await session.prompt("hello", { timeout: "2m" });
  });
  assert.ok(requests > 0 && records.length > 0);
  assert.ok(!records.some((record) => record.includes(desk.server.password)));
});
