// @ts-check
/** What changes between two looks at a real OpenCode, what stays the same object, and who is told of it. */
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Board as EngineBoard } from "../../../dist/npm/wasm/switchboard.js";
import { asks, script, startDesk, until, using } from "./desk.mjs";

const desk = await startDesk();

test("a new view has the same objects as the one before for what has not changed", async () => {
  const ids = await newSessions(20);
  await using(desk.connect(), async (board) => {
    const before = await listed(board, ids);
    board.session(ids[0] ?? "").keepDraft("typed");
    const drafted = await until(board, ({ promptDrafts }) => promptDrafts[ids[0] ?? ""] === "typed");
    assert.notEqual(drafted, before);
    assert.equal(drafted.sessions, before.sessions);

    const replying = board.session(ids[1] ?? "").prompt(script(asks("Which?", "Red")), { timeout: "2m" });
    const asked = await until(board, ({ requests }) => requests.length > 0);
    const changed = asked.sessions.filter((session) => ids.includes(session.id) && !before.sessions.includes(session));
    assert.deepEqual(changed.map(({ id }) => id), [ids[1]]);
    board.session(ids[0] ?? "").keepDraft("typed on");
    const later = await until(board, ({ promptDrafts }) => promptDrafts[ids[0] ?? ""] === "typed on");
    assert.equal(later.requests[0], asked.requests[0]);
    assert.equal(board.requests()[0], board.requests()[0]);
    await board.requests()[0]?.answer([["Red"]]);
    assert.equal((await replying).ending, "done");
  });
});

test("a look at every session costs as much for each, however many there are", async () => {
  await using(desk.connect(), async (board) => {
    const looks = [];
    for (const count of [20, 60]) {
      const ids = await newSessions(count);
      const view = await listed(board, ids);
      const given = mock.method(EngineBoard.prototype, "view");
      for (const id of ids) assert.ok(view.sessions.includes(board.session(id).view ?? assert.fail(id)));
      assert.equal(new Set(given.mock.calls.map(({ result }) => result)).size, 1);
      looks.push(given.mock.callCount() / count);
      given.mock.restore();
    }
    assert.equal(looks[0], looks[1]);
  });
});

test("a callback hears of each change until it is taken back, and nobody hears of what others do", async (context) => {
  const [one = "", other = ""] = await newSessions(2);
  const reported = context.mock.method(console, "error", () => {});
  await using(desk.connect(), async (board) => {
    await listed(board, [one, other]);
    const { subscribe, getSnapshot } = board;
    const { subscribe: follow, getSnapshot: look } = board.session(one);
    /** @type {unknown[]} */
    const [views, states, early] = [[getSnapshot()], [look()], []];
    const ends = [
      subscribe(() => void views.push(getSnapshot())),
      follow(() => void states.push(look())),
      subscribe(() => {
        throw new Error("broken");
      }),
    ];
    const leave = subscribe(() => void early.push(getSnapshot()));
    leave();
    leave();
    const changed = new Promise((resolve) => ends.push(subscribe(() => getSnapshot().promptDrafts[other] === "typed" && resolve(undefined))));
    assert.equal((await board.session(other).prompt(script({ text: "hello" }))).text, "hello");
    board.session(other).keepDraft("typed");
    await changed;
    assert.deepEqual([states.length, early.length], [1, 0]);
    assert.equal((await board.session(one).prompt(script({ text: "hello" }))).text, "hello");
    await until(board, () => board.session(one).view?.state.kind === "ended");
    assert.equal(look(), board.session(one).view);
    for (const seen of [views, states]) assert.ok(seen.length > 1 && seen.every((shown, at) => shown !== seen[at - 1]));
    assert.match(String(reported.mock.calls[0]?.arguments), /a callback failed,Error: broken/);
    for (const end of ends) end();
    assert.throws(() => subscribe(/** @type {any} */ (undefined)), /subscribe: the callback must be a function/);
  });
});

test("a board that is closed is told of no more, and lets its program end", async () => {
  await using(desk.connect(), async (board) => {
    board.subscribe(() => assert.ok(board.getSnapshot()));
    await board.ready();
    await board.close();
    board.subscribe(() => assert.fail("nothing changes any more"));
    assert.equal(board.getSnapshot(), board.view());
  });
});

test("the messages of a session that have not changed are the same objects while others come", async () => {
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    await session.prompt(script({ text: "first" }));
    /** @type {Map<string, Set<unknown>>} */
    const made = new Map();
    const replying = session.prompt(script({ text: "word ".repeat(200), chunkDelay: 100, chunk: 100 }));
    let first;
    for await (const { messages } of session.timeline()) {
      assert.ok(Object.isFrozen(messages[0]));
      for (const message of messages) made.set(message.id, (made.get(message.id) ?? new Set()).add(message));
      first ??= messages.find(({ text }) => text === "first");
      if (messages.at(-1)?.completed && messages.length === 4) break;
    }
    const { message } = await replying;
    assert.ok((made.get(message)?.size ?? 0) > 0 && first);
    assert.equal(made.get(first.id)?.size, 1);
  });
});

/** The view once it has these sessions. @param {import("../../../dist/npm/lib/index.js").Board} board @param {string[]} ids */
function listed(board, ids) {
  return until(board, ({ sessions }) => ids.every((id) => sessions.some((session) => session.id === id)));
}

/** @param {number} count @returns {Promise<string[]>} */
function newSessions(count) {
  return Promise.all(Array.from({ length: count }, async () => (await desk.api("/session", {})).id));
}
