// @ts-check
/** How calls end that are given up, stopped, or lose their session, and what callbacks may do meanwhile. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { MemoryStorage, TimedOutError, UnknownSessionError } from "../../../dist/npm/lib/index.js";
import { FileStorage } from "../../../dist/npm/lib/node.js";
import { basicAuthorization } from "../serve/opencode.mjs";
import { asIfAsleep, asTimeFlies, asks, runs, script, startDesk, until, using } from "./desk.mjs";

/** @typedef {import("../../../dist/npm/lib/index.js").Board} Board */

const desk = await startDesk();
const folder = mkdtempSync(join(tmpdir(), "switchboard-endings-"));
after(() => rmSync(folder, { recursive: true }));

/** A reply that takes longer than any test. */
const SLOW = script({ text: "slow", delay: 600_000 });

for (const [kept, open] of /** @type {const} */ ([
  ["in memory", async () => new MemoryStorage()],
  ["in a file", () => FileStorage.open(join(folder, "ledger.json"))],
])) {
  for (const [how, wait] of /** @type {[string, (following: Promise<unknown>) => unknown][]} */ ([
    ["and closed", () => undefined],
    ["and closed a moment later", () => Promise.resolve()],
    ["and awaited", (following) => following],
  ])) {
    /** F4, F5 */
    test(`a follow-up that was cancelled before it was sent ${how} is not sent by the next connection: ${kept}`, async () => {
      const storage = await open();
      const { id } = await desk.api("/session", {});
      const board = await desk.connect({ storage });
      await board.ready();
      await until(board, () => board.session(id).view !== undefined);
      /** @type {unknown[]} */
      const told = [];
      const leaving = new AbortController();
      const options = { signal: leaving.signal, onAborted: (/** @type {unknown} */ sent) => told.push(sent) };
      const following = board.session(id).followUp("never sent", options).catch(() => {});
      leaving.abort();
      await wait(following);
      await board.close();
      await following;
      assert.deepEqual(told, ["no"]);
      await using(desk.connect({ storage }), async (next) => {
        // Prompts arrive in order: what was left over would be first.
        assert.equal((await next.session(id).prompt(script({ text: "next" }))).text, "next");
        assert.doesNotMatch(JSON.stringify(await desk.api(`/session/${id}/message`)), /never sent/);
      });
      if (storage instanceof FileStorage) await storage.close();
    });
  }
}

for (const [what, lose] of /** @type {[string, () => Promise<Response>][]} */ ([
  ["is lost", () => Promise.reject(new TypeError("lost"))],
  ["is answered with 503", async () => new Response("busy", { status: 503 })],
])) {
  /** E7, F4 */
  test(`a stop that ${what} is repeated while the run goes on`, async () => {
    let stops = 0;
    const losing = async (/** @type {any} */ input, /** @type {any} */ init) => {
      if (!/\/abort$/.test(new URL(String(input)).pathname)) return fetch(input, init);
      stops += 1;
      return stops === 1 ? lose() : fetch(input, init);
    };
    await using(desk.connect({ fetch: losing }), async (board) => {
      const session = await board.createSession({ directory: desk.directory });
      const [leaving, reason] = [new AbortController(), new Error("enough")];
      const slow = session.prompt(SLOW, { stop: true, signal: leaving.signal });
      await until(board, () => session.view?.state.kind === "working");
      leaving.abort(reason);
      await assert.rejects(slow, (error) => error === reason);
      assert.equal((await session.prompt(script({ text: "free" }))).text, "free");
      assert.ok(stops >= 2);
    });
  });
}

/** E7, F4 */
test("a stop does not overtake the prompt that it is for", async () => {
  for (const begun of [false, true]) {
    const [leaving, reason] = [new AbortController(), new Error("enough")];
    const watched = async (/** @type {any} */ input, /** @type {any} */ init) => {
      if (!/\/prompt_async$/.test(new URL(String(input)).pathname) || leaving.signal.aborted) return fetch(input, init);
      if (!begun) leaving.abort(reason);
      const response = fetch(input, init);
      leaving.abort(reason);
      return response;
    };
    await using(desk.connect({ fetch: watched }), async (board) => {
      const session = await board.createSession({ directory: desk.directory });
      await assert.rejects(session.prompt(SLOW, { stop: true, signal: leaving.signal }), (error) => error === reason);
      assert.equal((await session.prompt(script({ text: "free" }))).text, "free");
    });
  }
});

for (const [what, prompt] of /** @type {const} */ ([["works", SLOW], ["asks", script(asks("Which?", "Red", "Blue"))]])) {
  /** F1 */
  test(`a session that is deleted while it ${what} ends the wait for its reply`, { timeout: 60_000 }, async () => {
    await using(desk.connect(), async (board) => {
      for (const call of /** @type {const} */ (["prompt", "followUp"])) {
        const session = await board.createSession({ directory: desk.directory });
        const ended = assert.rejects(session[call](prompt), UnknownSessionError);
        await until(board, () => ["working", "waitingForHuman"].includes(session.view?.state.kind ?? ""));
        await remove(session.id);
        await ended;
      }
    });
  });
}

/** C6, C8 */
test("runs that the provider refuses side by side end with its error, however late the server writes that", async () => {
  await using(desk.connect({ directory: desk.directory }), async (board) => {
    const refused = script({ status: 400, times: 99, text: "never said" });
    const { results } = await board.dispatch(Array(24).fill({ prompt: refused }), { atOnce: 24 });
    const ends = results.map(({ reply, error }) => error ?? `${reply?.ending}: ${reply?.reason}`);
    assert.deepEqual(ends, Array(24).fill("failed: APIError: scripted 400"));
  });
});

/** C6 */
test("a run in a directory that does not exist ends, and its server is not said to have gone away", async () => {
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: join(folder, "missing") });
    const { ending, reason } = await session.prompt(script({ text: "never said" }));
    assert.deepEqual([ending, reason], ["interrupted", "the run ended without completing its message"]);
  });
});

/** Calls everything that a callback might. @param {Board} board @param {string} id */
function useAll(board, id) {
  const session = board.session(id);
  board.figures();
  board.tryNow();
  board.setUnattended({});
  board.setCredentials({ password: desk.server.password });
  board.discardPrompt("none");
  session.keepDraft("typed in a callback");
  void session.timeline().return();
  void session.view;
  board.requests();
}

test("callbacks may call the board", async (context) => {
  const report = context.mock.method(console, "error", () => {});
  /** @type {Board | undefined} */
  let board;
  const { id } = await desk.api("/session", {});
  const errors = /** @type {unknown[]} */ ([]);
  let calls = 0;
  const use = () => {
    if (!board || calls >= 50) return;
    calls += 1;
    try {
      useAll(board, id);
    } catch (error) {
      errors.push(error);
    }
  };
  const storage = new Proxy(new MemoryStorage(), {
    get(target, name) {
      const method = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return (/** @type {unknown[]} */ ...given) => {
        use();
        return method.apply(target, given);
      };
    },
  });
  const watched = (/** @type {any} */ input, /** @type {any} */ init) => {
    use();
    return fetch(input, init);
  };
  await using(desk.connect({ storage, log: use, fetch: watched }), async (opened) => {
    board = opened;
    await until(board, () => opened.session(id).view !== undefined);
    const reply = await board.session(id).prompt(script(runs("true"), { text: "done" }), { onPermission: () => "once" });
    assert.deepEqual([reply.ending, reply.text], ["done", "done"]);
    assert.ok(calls > 10);
  });
  assert.deepEqual(errors, []);
  assert.deepEqual(report.mock.calls.map(({ arguments: given }) => given), []);
});

/** F4, C3 */
test("a reply that takes too long while its first text streams says that text", async () => {
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    const text = "word ".repeat(2_000);
    const replying = session.prompt(script({ text, chunkDelay: 300, chunk: 10 }), { timeout: "10m", stop: true });
    const timedOut = assert.rejects(replying, (error) => {
      assert.ok(error instanceof TimedOutError);
      assert.ok(error.text.length > 0 && text.startsWith(error.text.trimEnd()), error.text);
      return true;
    });
    for await (const { messages } of session.timeline()) {
      if (!messages.some(({ role, text }) => role === "assistant" && text.length > 0)) continue;
      await asIfAsleep(10 * 60_000, async () => {
        board.tryNow();
        await timedOut;
      });
      break;
    }
  });
});

/** F1 */
test("a prompt for an agent that does not exist ends long before its time-out", { timeout: 120_000 }, async () => {
  await using(desk.connect(), async (board) => {
    const [one, other] = [await board.createSession({ directory: desk.directory }), await board.createSession({ directory: desk.directory })];
    const refused = { code: "REFUSED", message: /is the agent known there/ };
    await asTimeFlies(board, 40_000, async () => {
      await Promise.all([
        assert.rejects(one.prompt("hello", { agent: "nope" }), refused),
        assert.rejects(board.prompt(other.id, "hello", { agent: "nope" }), refused),
      ]);
    });
  });
});

/** @param {string} session */
async function remove(session) {
  const { url, username, password, directory } = desk.server;
  const headers = { authorization: basicAuthorization(username, password), "x-opencode-directory": directory };
  const response = await fetch(`${url}/session/${session}`, { method: "DELETE", headers });
  assert.ok(response.ok);
}
