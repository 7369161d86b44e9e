// @ts-check
/** What breaks on the way to a real OpenCode: everything ends proven or told, and nothing is applied twice. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startFaultProxy } from "../../../tests/e2e/fault-proxy.mjs";
import { InDoubtError, MemoryStorage } from "../../../dist/npm/lib/index.js";
import { asIfAsleep, asks, runs, script, startDesk, until, using } from "./desk.mjs";

const desk = await startDesk();
const proxy = await startFaultProxy({ target: desk.server.url });
after(() => proxy.close());

/** A board behind the proxy, with a ledger of its own. @param {Partial<import("../../../dist/npm/lib/index.js").ConnectOptions>} options */
const connect = (options = {}) => desk.connect({ baseUrl: proxy.url, storage: new MemoryStorage(), ...options });

const REPLY = /\/(reply|reject)$/;

for (const [what, faults] of /** @type {const} */ ([
  ["takes effect while its response is lost", { losing: 1 }],
  ["is refused with 500", { failing: 1 }],
  ["is lost with the whole connection", { offline: true }],
])) {
  /** R4, R8 */
  test(`an answer that ${what} arrives once and is proven`, async () => {
    await using(connect(), async (board) => {
      const { session, request, replying } = await asked(board);
      proxy.set(faults);
      const answering = request.answer([["Blue"]]);
      await until(board, (view) => {
        const state = view.requests.find(({ id }) => id === request.id)?.state;
        return state?.kind === "answered" || (state?.kind === "sending" && state.problem !== null);
      });
      proxy.clear();
      assert.deepEqual(await answering, { kind: "confirmed", note: null });
      assert.match((await replying).text, /You answered: Blue/);
      assert.equal(await answersOf(session.id), 1);
    });
  });
}

/** R4 */
test("an answer that hangs is tried again, and arrives once although both attempts do", async () => {
  await using(connect(), async (board) => {
    const { session, request, replying } = await asked(board);
    proxy.set({ held: REPLY });
    const answering = request.answer([["Blue"]]);
    await until(board, () => posts(REPLY).length === 1);
    await asIfAsleep(60_000, async () => void (await until(board, () => posts(REPLY).length === 2)));
    proxy.clear();
    assert.equal((await answering).kind, "confirmed");
    await replying;
    assert.equal(await answersOf(session.id), 1);
  });
});

/** R19, E7 */
test("a permission whose response is lost is given once", async () => {
  await using(connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    const replying = session.prompt(script(runs("echo once >> given.txt; wc -l < given.txt")), {
      onPermission: () => {
        proxy.set({ losing: 1 });
        return "once";
      },
    });
    assert.match((await replying).text, /returned: 1\b/);
  });
});

/** F5, F1 */
test("a prompt whose response is lost is stored once, and gets its reply", async () => {
  await using(connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    for (const [text, fault] of /** @type {const} */ ([["one", { losing: 1 }], ["two", { failing: 1 }]])) {
      const before = posts(/\/prompt_async$/).length;
      proxy.set(fault);
      const replying = session.prompt(script({ text: `reply ${text}` }));
      await until(board, () => posts(/\/prompt_async$/).length > before);
      proxy.clear();
      assert.equal((await replying).text, `reply ${text}`);
    }
    const prompts = (await messages(session.id)).filter(({ info }) => info.role === "user");
    assert.equal(prompts.length, 2);
  });
});

/** E7 */
test("a session whose response is lost is in doubt, is not made again, and shows", async () => {
  const losing = async (/** @type {any} */ input, /** @type {any} */ init) => {
    const response = await fetch(input, init);
    if (init?.method !== "POST") return response;
    throw new TypeError("lost");
  };
  await using(connect({ fetch: losing }), async (board) => {
    await assert.rejects(board.createSession({ directory: desk.directory, title: "In doubt" }), InDoubtError);
    const named = () => board.view().sessions.filter(({ title }) => title === "In doubt");
    await until(board, () => named().length > 0);
    assert.equal(named().length, 1);
  });
});

/** R4, R11 */
test("of two clients that answer at once one is confirmed, and the other is told what it was", async () => {
  await using(connect(), async (one) => {
    await using(connect(), async (other) => {
      const { request, replying } = await asked(one);
      assert.ok(await other.request(request.id));
      const ends = await Promise.all([request.answer([["Blue"]]), other.answer(request.id, [["Red"]])]);
      const { text } = await replying;
      const won = text.includes("Blue") ? "Blue" : "Red";
      assert.match(text, new RegExp(`You answered: ${won}`));
      const [winner, loser] = won === "Blue" ? ends : [...ends].reverse();
      assert.equal(winner?.kind, "confirmed");
      assert.deepEqual(loser, { kind: "answeredElsewhere", answer: { kind: "answers", answers: [[won]] } });
    });
  });
});

/** R14, C6 */
test("a server that restarts during a question leaves nobody waiting", async () => {
  await using(connect(), async (board) => {
    const { session, request, replying } = await asked(board);
    await desk.server.restart();
    assert.deepEqual(await request.wait(), { kind: "gone", reason: { kind: "restarted" } });
    assert.equal((await replying).ending, "interrupted");
    const reply = await session.prompt(script({ text: "on we go" }));
    assert.deepEqual([reply.ending, reply.text], ["done", "on we go"]);
  });
});

/** R14, C6: more than one refresh has room to look at */
test("a server that restarts during twelve questions leaves nobody waiting", async () => {
  await using(connect(), async (board) => {
    const all = await Promise.all(Array.from({ length: 12 }, () => asked(board)));
    const [answered] = all;
    await desk.server.kill();
    const answering = answered?.request.answer([["Blue"]]);
    await desk.server.restart();
    const gone = { kind: "gone", reason: { kind: "restarted" } };
    for (const { request, replying } of all) {
      assert.deepEqual(await request.wait(), gone);
      assert.equal((await replying).ending, "interrupted");
    }
    assert.deepEqual(await answering, gone);
  });
});

/** Lets an agent ask one question. @param {import("../../../dist/npm/lib/index.js").Board} board */
async function asked(board) {
  proxy.exchanges.length = 0;
  const session = await board.createSession({ directory: desk.directory });
  const replying = session.prompt(script(asks("Which colour?", "Red", "Blue")));
  await until(board, () => session.requests().length > 0);
  const [request] = session.requests();
  assert.ok(request);
  return { session, request, replying };
}

/** What was posted there through the proxy. @param {RegExp} path */
function posts(path) {
  return proxy.exchanges.filter((exchange) => exchange.method === "POST" && path.test(exchange.path));
}

/** @param {string} session @returns {Promise<{ info: { role: string }, parts: any[] }[]>} */
function messages(session) {
  return desk.api(`/session/${session}/message`);
}

/** How often an answer has reached the agent. @param {string} session */
async function answersOf(session) {
  const parts = (await messages(session)).flatMap((message) => message.parts);
  return parts.filter((part) => part.type === "tool" && part.tool === "question" && part.state.status === "completed").length;
}
