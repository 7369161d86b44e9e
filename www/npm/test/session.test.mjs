// @ts-check
/** What a front end of one's own needs of a real OpenCode: sessions, their messages while they come, drafts, directories. */
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import {
  connect,
  DisposedError,
  InvalidArgumentError,
  InvalidAnswerError,
  MemoryStorage,
  NotConnectedError,
  Rendezvous,
  RequestChangedError,
  TimedOutError,
  UnauthorizedError,
  UnknownSessionError,
} from "../../../dist/npm/lib/index.js";
import { basicAuthorization } from "../serve/opencode.mjs";
import { asks, runs, script, startDesk, until, using } from "./desk.mjs";

const desk = await startDesk();

/** R15: what streams is seen before it is whole, and is no part of a reply */
test("the messages of a session come as they are written, in order, none twice", async () => {
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory, title: "Timeline" });
    const text = "word ".repeat(2_000);
    const steps = [{ ...runs("true"), text: "first" }, { ...runs("true"), text: "second" }, { text, chunkDelay: 300, chunk: 10 }];
    const replying = session.prompt(script(...steps), { onPermission: () => "once" });
    /** @type {string[]} */
    const streamed = [];
    for await (const timeline of session.timeline()) {
      assert.equal(timeline.session, session.id);
      const said = timeline.messages.filter(({ role }) => role === "assistant").map((message) => message.text);
      for (const [at, whole] of ["first", "second"].entries()) {
        if (at < said.length - 1) assert.equal(said[at], whole);
      }
      assert.equal(new Set(timeline.messages.map(({ id }) => id)).size, timeline.messages.length);
      const last = said[2] ?? "";
      if (last !== (streamed.at(-1) ?? "")) streamed.push(last);
      if (streamed.length === 3) break;
    }
    for (const [at, piece] of streamed.entries()) assert.ok(text.startsWith(piece) && piece.length > (streamed[at - 1]?.length ?? 0));
    await session.abort();
    const reply = await replying;
    assert.equal(reply.ending, "aborted");
    assert.deepEqual(reply.messages.slice(0, 2).map((message) => message.text), ["first", "second"]);
  });
});

test("one session is open at a time, and one that is left is closed", async () => {
  await using(desk.connect(), async (board) => {
    const [one, other] = [await board.createSession({ directory: desk.directory }), await board.createSession({ directory: desk.directory })];
    await one.prompt("hello");
    const first = one.timeline();
    assert.equal((await first.next()).value?.session, one.id);
    const second = other.timeline();
    for await (const timeline of first) assert.equal(timeline.session, one.id);
    assert.equal((await second.next()).value?.session, other.id);
    await second.return?.();
    assert.deepEqual(await second.next(), { done: true, value: undefined });
    await assert.rejects(other.timeline({ signal: AbortSignal.abort("no") }).next(), (reason) => reason === "no");
    const third = one.timeline();
    assert.equal((await third.next()).value?.session, one.id);
    const next = third.next();
    await assert.rejects(other.timeline({ signal: AbortSignal.abort("no") }).next(), (reason) => reason === "no");
    one.keepDraft("still open");
    const more = one.prompt("more");
    assert.equal((await next).value?.session, one.id);
    // A board that is closed before it is stored rejects it.
    await more;
  });
});

test("a closed board shows what was known last, opens no session, and leaves no signal held", async () => {
  const board = await desk.connect();
  const session = await board.createSession({ directory: desk.directory });
  await until(board, () => session.view !== undefined);
  const { signal } = new AbortController();
  const abandoned = [board.views({ signal }), session.timeline({ signal })];
  await Promise.all(abandoned.map((items) => items.next()));
  assert.equal(getEventListeners(signal, "abort").length, 2);
  await board.close();
  assert.equal(getEventListeners(signal, "abort").length, 0);
  assert.deepEqual([session.view?.id, session.draft], [session.id, ""]);
  assert.throws(() => session.timeline(), DisposedError);
  const asking = new Rendezvous();
  asking.views({ signal });
  assert.equal(getEventListeners(signal, "abort").length, 1);
  asking.close();
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("the messages before the oldest one that is shown are loaded when they are asked for", async () => {
  const id = await newSession();
  for (let at = 0; at < 120; at += 1) await desk.api(`/session/${id}/message`, { noReply: true, parts: [{ type: "text", text: `${at}` }] });
  await using(desk.connect(), async (board) => {
    const session = board.session(id);
    /** @type {number[]} */
    const shown = [];
    for await (const { messages, older } of session.timeline()) {
      shown.push(messages.length);
      if (older === "none") break;
      if (older === "available") session.loadOlder();
    }
    assert.ok((shown[0] ?? 0) < 120);
    assert.equal(shown.at(-1), 120);
  });
});

/** R13, R20 */
test("drafts are kept, are never taken for an answer, and outlive the connection", async () => {
  const storage = new MemoryStorage();
  const draft = [{ chosen: [], own: "neither of", ownChosen: true }];
  const id = await (async () => {
    const board = await desk.connect({ storage });
    const session = await board.createSession({ directory: desk.directory });
    void session.prompt(script(asks("Which?", "Red", "Blue")));
    await until(board, () => session.requests().length > 0);
    const [request] = session.requests();
    request?.keepDraft(draft);
    assert.throws(() => request?.keepDraft(/** @type {any} */ (["Blue"])), InvalidArgumentError);
    session.keepDraft("And then");
    await until(board, (view) => session.draft === "And then" && view.requests.some((shown) => shown.draft !== null));
    assert.equal(session.view?.state.kind, "waitingForHuman");
    await board.close();
    return session.id;
  })();
  await using(desk.connect({ storage }), async (board) => {
    const session = board.session(id);
    await until(board, () => session.requests().length > 0);
    assert.deepEqual(session.requests()[0]?.view.draft, draft);
    assert.equal(session.draft, "And then");
    session.requests()[0]?.keepDraft([]);
    session.keepDraft("");
    await until(board, () => session.draft === "" && session.requests()[0]?.view.draft === null);
  });
});

/** F1 */
test("a session that is known by its id is prompted right after connect", async () => {
  const id = await newSession();
  await using(desk.connect(), async (board) => {
    assert.equal((await board.session(id).prompt(script({ text: "at once" }))).text, "at once");
    assert.ok(board.sessions().some((session) => session.id === id));
    await assert.rejects(board.session("ses_unknown").prompt("hello"), UnknownSessionError);
  });
});

test("what must be a text and is none is refused before anything is sent, and no call that promises throws", async () => {
  const five = /** @type {any} */ (5);
  const wrong = { code: "INVALID_ARGUMENT", message: /must be/ };
  await using(desk.connect(), async (board) => {
    const session = board.session(await newSession());
    for (const call of [
      () => session.prompt(five),
      () => session.prompt("hello", /** @type {any} */ (null)),
      () => session.followUp(five),
      () => session.untilValid(five, { check: "true" }),
      () => board.prompt(five, "hello"),
      () => board.prompt(session.id, five),
      () => board.abort(five),
      () => board.answer(five, "once"),
      () => board.createSession({ directory: desk.directory, title: five }),
      () => board.shell(five),
      () => board.shell({ directory: desk.directory, command: five }),
      () => board.dispatch([{ directory: desk.directory, prompt: five }]),
      () => board.dispatch([{ directory: desk.directory, prompt: "hello", madeFor: five }]),
      () => connect(five),
      () => connect(/** @type {any} */ (undefined)),
      () => desk.connect({ baseUrl: five }),
      () => desk.connect({ requestTimeout: /** @type {any} */ ("soon") }),
    ]) await assert.rejects(call(), wrong, String(call));
    for (const call of [() => board.session(five), () => board.discardPrompt(five), () => session.keepDraft(five)]) {
      assert.throws(call, wrong, String(call));
    }
    assert.deepEqual(await desk.api(`/session/${session.id}/message`), []);
  });
});

/** F3 */
test("a server that is not there is told, and so is what a call was given too late", async () => {
  await using(desk.connect({ baseUrl: "http://127.0.0.1:9" }), async (board) => {
    await assert.rejects(board.session("ses_1").prompt("hello"), (error) => {
      assert.ok(error instanceof NotConnectedError);
      return error.message === "OpenCode client not initialized";
    });
    const leaving = new AbortController();
    const prompting = board.prompt("ses_1", "hello", { signal: leaving.signal });
    leaving.abort("enough");
    await assert.rejects(prompting);
  });
});

/** F3, E7 */
test("what is sent once is not sent to a server that cannot be reached", async () => {
  let posts = 0;
  const refusing = async (/** @type {any} */ _input, /** @type {any} */ init) => {
    if (init?.method === "POST") posts += 1;
    throw new TypeError("refused");
  };
  const directory = desk.directory;
  await using(desk.connect({ fetch: refusing }), async (board) => {
    for (const call of [
      () => board.createSession({ directory }),
      () => board.shell({ directory, command: "true" }),
      () => board.abort("ses_1"),
      () => board.dispatch([{ directory, prompt: "hello" }]),
      () => board.dispatched([{ directory, prompt: "hello" }]).next(),
    ]) await assert.rejects(call(), NotConnectedError, String(call));
    await board.close();
    await assert.rejects(board.createSession({ directory }), DisposedError);
  });
  assert.equal(posts, 0);
});

/** Every call that needs the server. @param {import("../../../dist/npm/lib/index.js").Board} board */
function callsOf(board) {
  const [session, directory] = [board.session("ses_1"), desk.directory];
  return [
    () => board.ready(),
    () => board.request("que_1"),
    () => board.answer("que_1", [["Blue"]]),
    () => session.prompt("hello"),
    () => session.followUp("hello"),
    () => session.untilValid("hello", { check: "true" }),
    () => session.abort(),
    () => board.prompt("ses_1", "hello"),
    () => board.abort("ses_1"),
    () => board.createSession({ directory }),
    () => board.shell({ directory, command: "true" }),
    () => board.dispatch([{ directory, prompt: "hello" }]),
    () => board.dispatched([{ directory, prompt: "hello" }]).next(),
  ];
}

/** F3 */
test("each call says why it cannot be made, and the board is ready once it can", async () => {
  await using(desk.connect({ password: "wrong" }), async (board) => {
    for (const call of callsOf(board)) await assert.rejects(call(), UnauthorizedError, String(call));
    // Nothing is being read with the wrong password.
    await until(board, ({ server }) => server.nextTry !== null);
    board.setCredentials({ password: desk.server.password });
    await board.ready();
    await board.createSession({ directory: desk.directory });
  });
  await using(desk.connect({ baseUrl: "http://127.0.0.1:9" }), async (board) => {
    for (const call of callsOf(board)) await assert.rejects(call(), NotConnectedError, String(call));
    await assert.rejects(board.ready(), /cannot be reached/);
  });
  await using(desk.connect(), async (board) => {
    await board.ready();
    assert.equal(board.view().server.link.kind, "live");
    await assert.rejects(board.ready({ signal: AbortSignal.abort("no") }), (reason) => reason === "no");
    await board.close();
    await assert.rejects(board.ready(), DisposedError);
  });
});

/** F4 */
test("the time of a reply runs while the connection is being made", async () => {
  const silent = () => new Promise(() => {});
  await using(desk.connect({ fetch: silent }), async (board) => {
    const session = board.session("ses_1");
    for (const call of [
      () => session.prompt("hello", { timeout: "50ms" }),
      () => session.followUp("hello", { timeout: "50ms" }),
      () => session.untilValid("hello", { check: "true", timeout: "50ms" }),
    ]) {
      await assert.rejects(call(), (error) => {
        assert.ok(error instanceof TimedOutError);
        assert.deepEqual([error.sent, error.text], ["no", ""]);
        return true;
      });
    }
    assert.equal(board.view().server.link.kind, "connecting");
  });
});

test("a view is the same frozen object until something has changed", async () => {
  const id = await newSession();
  await using(desk.connect(), async (board) => {
    const view = await until(board, ({ sessions }) => sessions.some((session) => session.id === id));
    const session = board.session(id);
    assert.equal(session.view, session.view);
    assert.ok(board.view().sessions.includes(session.view ?? assert.fail()));
    assert.throws(() => board.view().sessions.pop(), TypeError);
    session.keepDraft("changed");
    await until(board, () => session.draft === "changed");
    assert.notEqual(board.view(), view);
    assert.equal(view.promptDrafts[id], undefined);
  });
});

test("what is looked at often is made once", async () => {
  const ids = await Promise.all(Array.from({ length: 100 }, newSession));
  await using(desk.connect(), async (board) => {
    await until(board, ({ sessions }) => ids.every((id) => sessions.some((session) => session.id === id)));
    const [{ sessions }, shown] = [board.view(), ids.map((id) => board.session(id).view)];
    assert.ok(shown.every((session) => session && sessions.includes(session)));
    assert.deepEqual(ids.map((id) => board.session(id).requests().length), ids.map(() => 0));
  });
});

test("a call after close is refused", async () => {
  const board = await desk.connect();
  const session = await board.createSession({ directory: desk.directory });
  void session.prompt(script(asks("Which?", "Red", "Blue")));
  await until(board, () => session.requests().length > 0);
  const [request] = session.requests();
  assert.ok(request);
  await board.close();
  for (const call of [
    () => board.figures(),
    () => board.tryNow(),
    () => board.setUnattended({}),
    () => board.setCredentials({}),
    () => board.discardPrompt("entry"),
    () => session.keepDraft("typed"),
    () => session.timeline(),
    () => session.loadOlder(),
    () => request.keepDraft([]),
    () => request.discard(),
    () => request.stopCountdown(),
  ]) assert.throws(call, DisposedError, String(call));
  for (const call of [...callsOf(board), () => request.answer([["Red"]]), () => request.wait(), () => request.rescue()]) {
    await assert.rejects(async () => call(), DisposedError, String(call));
  }
  assert.equal(board.view().sessions.length > 0, true);
});

test("options that are not known, and values of the wrong kind, are refused by name", async () => {
  const typo = /** @type {any} */ ({ timeuot: "1s" });
  const misspelt = { code: "INVALID_ARGUMENT", message: /no option "timeuot"/ };
  const [wrong, none] = /** @type {any[]} */ ([{ code: "INVALID_ARGUMENT" }, null]);
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    const directory = desk.directory;
    for (const call of [
      () => desk.connect(typo),
      () => desk.connect({ unattended: typo }),
      () => session.prompt("hello", typo),
      () => session.untilValid("hello", { ...typo, check: "true" }),
      () => session.untilValid("hello", { budget: typo, check: "true" }),
      () => session.abort(typo),
      () => board.prompt(session.id, "hello", typo),
      () => board.createSession({ ...typo, directory }),
      () => board.shell({ ...typo, directory, command: "true" }),
      () => board.dispatch([], typo),
      () => board.dispatch([{ ...typo, directory, prompt: "hello" }]),
      () => board.ready(typo),
      () => board.answer("que_1", "dismiss", typo),
    ]) await assert.rejects(call(), misspelt, String(call));
    for (const call of [() => board.views(typo), () => session.timeline(typo), () => board.setCredentials(typo), () => board.dispatched([], typo)]) {
      assert.throws(call, misspelt, String(call));
    }
    for (const call of [
      () => desk.connect({ storage: none }),
      () => desk.connect({ storage: /** @type {any} */ ({ load() {} }) }),
      () => session.prompt("hello", { onQuestion: /** @type {any} */ ("Red") }),
      () => session.prompt("hello", { onHandlerError: /** @type {any} */ ("Red") }),
      () => board.dispatch([], { onVerdict: /** @type {any} */ ("told") }),
      () => board.dispatch(/** @type {any} */ ("x")),
      () => board.answer("que_1", none),
    ]) await assert.rejects(call(), wrong, String(call));
    for (const call of [() => board.setUnattended(none), () => board.setUnattended({ questions: none }), () => board.dispatched(/** @type {any} */ ("x"))]) {
      assert.throws(call, wrong, String(call));
    }
    assert.deepEqual(await desk.api(`/session/${session.id}/message`), []);
  });
});

test("a handler that returns something else is told so", async () => {
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    const told = new Promise((resolve) => {
      const options = { onQuestion: () => /** @type {any} */ (null), onHandlerError: resolve };
      void session.prompt(script(asks("Which?", "Red", "Blue")), options);
    });
    const error = await told;
    assert.ok(error instanceof InvalidArgumentError);
    assert.match(error.message, /not null/);
    const [request] = session.requests();
    await assert.rejects(request?.answer([["Red", "Blue"]]) ?? assert.fail(), InvalidAnswerError);
    assert.equal((await request?.answer([["Red"]]))?.kind, "confirmed");
  });
});

/** R13 */
test("a storage that gives something else is told", async (context) => {
  const storage = new MemoryStorage();
  storage.load = async () => /** @type {any} */ ({ entries: "none", drafts: [], links: [] });
  await using(desk.connect({ storage }), async (board) => {
    const { server } = await until(board, (view) => view.server.unsaved !== null);
    assert.match(server.unsaved ?? "", /entries must be a list of texts/);
  });
  const warn = context.mock.method(console, "warn", () => {});
  const damaged = new MemoryStorage();
  damaged.load = async () => ({ entries: ["5", "{"], drafts: [], links: [] });
  await using(desk.connect({ storage: damaged }), (board) => board.ready());
  assert.match(warn.mock.calls.map(({ arguments: [text] }) => text).join(), /2 of 2 texts in the storage cannot be read/);
});

/** R13 */
test("without a storage, what is left goes on with the next board of the same user, and of no other", async () => {
  const id = await newSession();
  // Whoever asks, it is the same server.
  const authorization = basicAuthorization(desk.server.username, desk.server.password);
  const asServer = (/** @type {any} */ input, /** @type {any} */ init) => fetch(input, { ...init, headers: { ...init?.headers, authorization } });
  const draftOf = async (/** @type {string} */ username, draft = "") => {
    const board = await desk.connect({ username, fetch: asServer });
    await board.ready();
    await until(board, ({ sessions }) => sessions.some((session) => session.id === id));
    if (draft) board.session(id).keepDraft(draft);
    await until(board, () => !draft || board.session(id).draft === draft);
    const found = board.session(id).draft;
    await board.close();
    return found;
  };
  await draftOf("ann", "typed by ann");
  assert.deepEqual([await draftOf("bob"), await draftOf("ann")], ["", "typed by ann"]);
});

/** R19: an answer is for what was looked at */
test("a reply is not sent to a permission that asks something else by now", async () => {
  let isSwapped = false;
  /** @type {string[]} */
  const sent = [];
  const lying = async (/** @type {any} */ input, /** @type {any} */ init) => {
    const { pathname } = new URL(String(input));
    if (/\/permission\/.*\/reply$|\/permissions\//.test(pathname)) sent.push(pathname);
    const response = await fetch(input, init);
    if (!isSwapped || pathname !== "/permission") return response;
    return Response.json(JSON.parse((await response.text()).replaceAll("echo one", "rm -rf all")));
  };
  await using(desk.connect({ fetch: lying }), async (board) => {
    const session = await board.createSession({ directory: desk.directory });
    /** @type {(string | null | undefined)[]} */
    const seen = [];
    /** @type {unknown[]} */
    const errors = [];
    const reply = session.prompt(script(runs("echo one")), {
      onPermission: async (request) => {
        seen.push(request.permission?.command);
        if (isSwapped) return;
        isSwapped = true;
        board.tryNow();
        await until(board, () => session.requests()[0]?.permission?.command === "rm -rf all");
        return "once";
      },
      onHandlerError: (error) => errors.push(error),
    });
    await until(board, () => seen.length === 2 && errors.length === 1);
    assert.deepEqual(seen, ["echo one", "rm -rf all"]);
    assert.ok(errors[0] instanceof RequestChangedError);
    assert.equal(errors[0].code, "REQUEST_CHANGED");
    assert.deepEqual(sent, []);
    await session.requests()[0]?.answer("reject");
    await reply;
  });
});

/** C7 */
test("what is done for a session works where it does, and says whose it is", async () => {
  await using(desk.connect(), async (board) => {
    const session = await board.createSession({ directory: desk.directory, title: "Owner" });
    const { session: made, output, exit } = await board.shell({ command: "pwd; exit 4", madeFor: session.id });
    assert.deepEqual([output.trim(), exit], [desk.directory, 4]);
    const review = await board.dispatch([{ prompt: script({ text: "v: GO" }), madeFor: session.id }], { timeout: "2m" });
    assert.equal(review.tally.go, 1);
    await until(board, (view) => [made, review.results[0]?.session].every((id) => view.sessions.some((seen) => seen.id === id)));
    for (const id of [made, review.results[0]?.session]) assert.match(board.session(id ?? "").view?.title ?? "", new RegExp(session.id));
    await assert.rejects(board.createSession({}), (error) => error instanceof InvalidArgumentError && /directory/.test(error.message));
  });
  await using(desk.connect({ directory: desk.directory }), async (board) => {
    assert.equal((await board.shell({ command: "pwd" })).output.trim(), desk.directory);
    assert.equal((await (await board.createSession()).prompt(script({ text: "here" }))).text, "here");
  });
});

async function newSession() {
  const { id } = await desk.api("/session", {});
  return /** @type {string} */ (id);
}
