// @ts-check
/** How requests of a real OpenCode end when they are not simply answered. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStorage } from "../../../dist/npm/lib/index.js";
import { asIfAsleep, asTimeFlies, asks, runs, script, startDesk, until, using } from "./desk.mjs";

/** @typedef {import("../../../dist/npm/lib/index.js").Board} Board */

const MINUTE = 60_000;

const desk = await startDesk();

/** R5, R6, R7 */
test("a request that nobody answers frees who waits, after a warning, and stays answerable", async () => {
  await using(desk.connect({ requestTimeout: "20m" }), async (board) => {
    const { session, requests: [request], replying } = await asked(board, asks("Which?", "Red", "Blue"));
    const waiting = request?.wait();
    const unanswered = () => session.requests()[0]?.view.unanswered;
    await asIfAsleep(15 * MINUTE, async () => {
      await until(board, () => unanswered()?.warned === true);
      assert.equal(unanswered()?.timedOut, null);
    });
    await asIfAsleep(20 * MINUTE, async () => assert.deepEqual(await waiting, { kind: "timedOut" }));
    assert.equal((await request?.answer([["Blue"]]))?.kind, "confirmed");
    assert.equal((await replying).ending, "done");
  });
});

/** R5 */
test("a policy turns away what nobody answers, and says that it was no person", async () => {
  const unattended = /** @type {const} */ ({ questions: { after: "1m", then: "reject" }, permissions: { after: "never" } });
  await using(desk.connect({ unattended, storage: new MemoryStorage() }), async (board) => {
    const { session, requests: [request], replying } = await asked(board, asks("Which?", "Red", "Blue"));
    await asTimeFlies(board, 2 * MINUTE, async () => void (await until(board, () => session.requests().length === 0)));
    assert.equal((await replying).ending, "dismissed");
    assert.equal(board.figures().requests.find((figure) => figure.request === request?.id)?.by, "policy");
  });
});

/** R25: a bot that a click starts in a process of its own */
test("a board that is ready shows all that waits, and one that was just opened answers by id", async () => {
  await using(desk.connect(), async (board) => {
    const { requests: [first], replying } = await asked(board, asks("Which?", "Red", "Blue"));
    const { requests: [second], replying: running } = await asked(board, runs("touch ready"));
    assert.ok(first && second);
    for (let times = 0; times < 5; times += 1) {
      await using(desk.connect(), async (late) => {
        await late.ready();
        assert.ok(late.view().server.listed);
        assert.deepEqual(late.requests().map(({ id }) => id), [first.id, second.id]);
      });
    }
    await using(desk.connect(), async (late) => assert.equal((await late.answer(first.id, [["Blue"]])).kind, "confirmed"));
    await using(desk.connect(), async (late) => {
      const request = await late.request(second.id);
      assert.equal(request?.permission?.kind, "bash");
      assert.equal(await late.request(second.id), request);
      assert.equal((await request?.answer("once"))?.kind, "confirmed");
    });
    assert.match((await replying).text, /You answered: Blue/);
    assert.equal((await running).ending, "done");
  });
});

/** R25 */
test("an id that is not found is not asked, and where that cannot be known the call says so", async () => {
  let isDown = false;
  const failing = (/** @type {any} */ input, /** @type {any} */ init) =>
    isDown ? Promise.reject(new TypeError("down")) : fetch(input, init);
  await using(desk.connect({ fetch: failing }), async (board) => {
    const { requests: [request], replying } = await asked(board, asks("Which?", "Red", "Blue"));
    assert.ok(request);
    await using(desk.connect(), async (late) => {
      assert.equal(await late.request("que_unknown"), undefined);
      await assert.rejects(late.answer("que_unknown", [["Blue"]]), { code: "UNKNOWN_REQUEST", message: /no request que_unknown is known/ });
      await assert.rejects(late.request("que_unknown", { signal: AbortSignal.abort("no") }), (reason) => reason === "no");
      await assert.rejects(late.answer("que_unknown", [["Blue"]], { signal: AbortSignal.abort("no") }), (reason) => reason === "no");
    });
    assert.equal((await request.answer([["Blue"]])).kind, "confirmed");
    await replying;
    await using(desk.connect(), async (late) => assert.equal(await late.request(request.id), undefined));

    isDown = true;
    await assert.rejects(board.request("que_unknown"), { code: "NOT_CONNECTED", message: /que_unknown was not found|cannot be reached/ });
    await assert.rejects(board.answer("que_unknown", [["Blue"]]), { code: "NOT_CONNECTED" });
    const looking = board.request("que_unknown");
    await board.close();
    await assert.rejects(looking, { code: "DISPOSED" });
    await assert.rejects(board.request("que_unknown"), { code: "DISPOSED" });
  });
});

/** R10 */
test("requests that wait at once are answered in any order", async () => {
  await using(desk.connect(), async (board) => {
    const one = asks("First?", "Red", "Blue").tools?.[0];
    const other = asks("Second?", "Red", "Blue").tools?.[0];
    assert.ok(one && other);
    const { requests, replying } = await asked(board, { tools: [one, other] }, 2);
    const byText = (/** @type {string} */ text) => requests.find((request) => request.questions[0]?.text === text);
    assert.equal((await byText("Second?")?.answer([["Blue"]]))?.kind, "confirmed");
    assert.equal((await byText("First?")?.answer([["Red"]]))?.kind, "confirmed");
    assert.match((await replying).text, /You answered: Red[^]*You answered: Blue/);
  });
});

/** R12, R2: the server goes on listing it */
test("a request of a session that is stopped ends as cancelled, and is shown no more", async () => {
  await using(desk.connect(), async (board) => {
    const { session, requests: [request], replying } = await asked(board, asks("Which?", "Red", "Blue"));
    const waiting = request?.wait();
    await session.abort();
    assert.deepEqual(await waiting, { kind: "cancelled", byUs: true });
    assert.equal((await replying).ending, "aborted");
    assert.deepEqual(session.requests(), []);
  });
});

/** C6 */
test("questions that are dismissed end the run, and whoever waits hears it", async () => {
  await using(desk.connect(), async (board) => {
    const { requests: [request], replying } = await asked(board, asks("Which?", "Red", "Blue"));
    assert.equal((await request?.dismiss())?.kind, "confirmed");
    assert.equal((await replying).ending, "dismissed");
  });
});

/** R19 */
test("a permission that is refused with a word lets the agent go on", async () => {
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    const reply = await session.prompt(script(runs("rm -r everything"), { text: "I leave it." }), {
      onPermission: () => ({ reply: "reject", message: "Not that." }),
    });
    assert.deepEqual([reply.ending, reply.text], ["done", "I leave it."]);
    assert.match(reply.messages[0]?.tools[0]?.error ?? "", /Not that\./);
  });
});

/** R4 */
test("an answer that the server refuses says so as data, and waits for another one", async () => {
  let isSpoilt = true;
  const spoiling = async (/** @type {any} */ input, /** @type {any} */ init) =>
    fetch(input, isSpoilt && /\/question\/[^/]+\/reply/.test(String(input)) ? { ...init, body: "{}" } : init);
  await using(desk.connect({ fetch: spoiling, storage: new MemoryStorage() }), async (board) => {
    const { session, requests: [request], replying } = await asked(board, asks("Which?", "Red", "Blue"));
    const answering = request?.answer([["Blue"]]);
    await until(board, () => session.requests()[0]?.view.state.kind === "notSent");
    const message = 'Missing key\n  at ["answers"]';
    assert.deepEqual(session.requests()[0]?.view.state, {
      kind: "notSent",
      reason: { kind: "refused", status: 400, message },
      text: `${message} (400)`,
    });
    isSpoilt = false;
    await session.requests()[0]?.answer([["Red"]]);
    assert.match((await replying).text, /You answered: Red/);
    await answering;
  });
});

/**
 * Lets an agent take a step that asks.
 *
 * @param {Board} board @param {import("../serve/script.mjs").Step} step @param {number} [count] How many requests it makes.
 */
async function asked(board, step, count = 1) {
  const session = await board.createSession({ directory: desk.directory });
  const replying = session.prompt(script(step));
  await until(board, () => session.requests().length === count);
  return { session, requests: session.requests(), replying };
}
