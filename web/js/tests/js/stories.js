// @ts-check
/** @typedef {import("../../src/types").Board} Board */
/** @typedef {import("../../src/types").View} View */
/** @typedef {typeof import("../../src/types").connect} Connect */
/** @typedef {import("./small-server.js").SmallServer} SmallServer */

/** @param {Connect} connect @param {SmallServer} server */
export async function aQuestionIsShownAndItsAnswerConfirmed(connect, server) {
  const board = await connect({ baseUrl: server.base, password: "grüße" });
  server.ask();
  const view = await first(board, (view) => view.requests.length > 0);
  const [request] = view.requests;
  equal([request.id, request.session, request.directory], ["que_1", "ses_1", "/d"]);
  equal(request.ask.kind === "questions" && request.ask.questions[0].options[1].label, "Blue");
  equal(request.state, { kind: "waiting" });
  equal(view.sessions[0].title, "Colours");
  equal(await board.answer("que_1", [["Blue"]]), { kind: "confirmed", note: null });
  equal(server.posts.map((post) => post.body), [{ answers: [["Blue"]] }]);
  equal(server.posts[0].authorization, "Basic b3BlbmNvZGU6Z3LDvMOfZQ==");
  board.close();
}

/** @param {Connect} connect @param {SmallServer} server */
export async function anAnswerThatDoesNotFitIsRefusedByName(connect, server) {
  const board = await connect({ baseUrl: server.base });
  server.ask();
  await first(board, (view) => view.requests.length > 0);
  equal(await nameOf(board.answer("que_1", [["Green"]])), "InvalidAnswer");
  equal(await nameOf(board.answer("que_1", "once")), "InvalidAnswer");
  equal(await nameOf(board.answer("que_2", [["Blue"]])), "UnknownRequest");
  equal(await nameOf(board.answer("que_1", /** @type {any} */ (["Blue"]))), "InvalidArgument");
  equal(await nameOf(board.prompt("ses_2", "hello")), "UnknownSession");
  equal(await nameOf(board.prompt("ses_1", "  ")), "EmptyPrompt");
  equal(await nameOf(board.prompt("ses_1", "hello", { model: /** @type {any} */ ("opus") })), "InvalidArgument");
  equal(await nameOf(connect({ baseUrl: "ftp://a" })), "InvalidAddress");
  equal(await nameOf(connect(/** @type {any} */ ("http://a"))), "InvalidArgument");
  equal(server.posts, []);
  board.close();
}

/** @param {Connect} connect @param {SmallServer} server */
export async function anAnswerOfSomebodyElseIsTold(connect, server) {
  const board = await connect({ baseUrl: server.base });
  server.ask();
  await first(board, (view) => view.requests.length > 0);
  server.answerElsewhere([["Red"]]);
  const view = await first(board, (view) => view.requests[0]?.state.kind !== "waiting");
  const { state } = view.requests[0];
  equal(state.kind === "answeredElsewhere" && state.answer, { kind: "answers", answers: [["Red"]] });
  equal(await nameOf(board.answer("que_1", [["Blue"]])), "RequestEnded");
  board.close();
}

/** @param {Connect} connect @param {SmallServer} server */
export async function aPromptResolvesWithItsMessage(connect, server) {
  const board = await connect({ baseUrl: server.base });
  await first(board, (view) => view.sessions.length > 0);
  const id = await board.prompt("ses_1", "hello", { agent: "plan", model: { provider: "stub", model: "scripted" } });
  equal([id, "hello"], [server.prompts[0].info.id, server.prompts[0].parts[0].text]);
  const { agent, model } = server.posts[0].body;
  equal([agent, model.providerID, model.modelID], ["plan", "stub", "scripted"]);
  await board.abort("ses_1");
  equal(server.posts[1].path, "/session/ses_1/abort");
  board.close();
}

/** @param {Connect} connect @param {SmallServer} server */
export async function anAbortedCallRejectsWithItsReasonAndSendsNothingIfItWasFirst(connect, server) {
  const board = await connect({ baseUrl: server.base });
  server.ask();
  await first(board, (view) => view.requests.length > 0);
  const early = new AbortController();
  early.abort("too early");
  equal(await rejection(board.answer("que_1", [["Blue"]], { signal: early.signal })), "too early");
  equal(server.posts, []);
  const late = new AbortController();
  const answering = board.answer("que_1", [["Blue"]], { signal: late.signal });
  late.abort("too late");
  equal(await rejection(answering), "too late");
  await first(board, (view) => view.requests.every((request) => request.state.kind === "answered"));
  equal(server.posts.length, 1);
  board.close();
}

/** @param {Connect} connect @param {SmallServer} server */
export async function leavingALoopEndsItAndNothingElse(connect, server) {
  const board = await connect({ baseUrl: server.base });
  const views = board.views();
  await first(views, (view) => view.server.link.kind === "live");
  equal((await views.next()).done, true);
  equal((await first(board, () => true)).server.link, { kind: "live" });
  const left = board.views();
  await left.next();
  const waiting = left.next();
  await left.return?.();
  equal(await waiting, { done: true, value: undefined });
  board.close();
}

/** @param {Connect} connect @param {SmallServer} server */
export async function aClosedBoardSaysSo(connect, server) {
  const board = await connect({ baseUrl: server.base });
  server.ask();
  await first(board, (view) => view.requests.length > 0);
  const [answering, views] = [board.answer("que_1", [["Blue"]]), board.views()];
  board.close();
  board.close();
  equal(await nameOf(answering), "Disposed");
  equal(await nameOf(board.answer("que_1", [["Blue"]])), "Disposed");
  equal(await nameOf(board.prompt("ses_1", "hello")), "Disposed");
  equal(await nameOf(board.abort("ses_1")), "Disposed");
  for await (const view of views) equal(view.requests.length, 1);
}

/** @param {Connect} connect @param {SmallServer} server */
export async function theSignalOfAConnectionClosesIt(connect, server) {
  const controller = new AbortController();
  const board = await connect({ baseUrl: server.base, signal: controller.signal });
  await first(board, (view) => view.sessions.length > 0);
  controller.abort("enough");
  for await (const view of board.views()) equal(view.sessions.length, 1);
  equal(await nameOf(board.prompt("ses_1", "hello")), "Disposed");
  equal(await rejection(connect({ baseUrl: server.base, signal: controller.signal })), "enough");
}

/** @param {Connect} connect @param {SmallServer} server */
export async function aBoardOfOneDirectoryShowsNoOther(connect, server) {
  server.ask();
  const board = await connect({ baseUrl: server.base, directory: "/elsewhere" });
  const view = await first(board, (view) => view.server.link.kind === "live");
  equal([view.requests, view.sessions], [[], []]);
  board.close();
}

/** @param {Connect} connect @param {SmallServer} server */
export async function aStoreOfOnesOwnKeepsTheAnswerAndTheNextConnectionKnowsIt(connect, server) {
  /** @type {Map<string, { id: string, version: number, text: string, finished: boolean }>} */
  const kept = new Map();
  const storage = {
    load: async () => ({ entries: [...kept.values()].filter((entry) => !entry.finished).map((entry) => entry.text), drafts: [] }),
    commit: async (/** @type {string} */ _, /** @type {any} */ entry, /** @type {number | undefined} */ expected) => {
      const held = kept.get(entry.id);
      if (held?.version !== expected) return held?.text;
      kept.set(entry.id, entry);
    },
    keepDraft: async () => {},
    dropDraft: async () => {},
    loadFigures: async () => [],
    keepFigure: async () => {},
    keepLink: async () => {},
    claim: async () => () => {},
  };
  let isLost = true;
  const lossy = (/** @type {any} */ input, /** @type {any} */ init) =>
    isLost && String(input).includes("/reply") ? Promise.reject(new TypeError("lost")) : fetch(input, init);
  const board = await connect({ baseUrl: server.base, storage, fetch: lossy });
  server.ask();
  await first(board, (view) => view.requests.length > 0);
  void board.answer("que_1", [["Blue"]]).catch(() => {});
  await board.close();
  equal([...kept.values()].map((entry) => [entry.finished, entry.text.includes("Blue")]), [[false, true]]);
  equal(server.posts, []);
  isLost = false;
  const next = await connect({ baseUrl: server.base, storage, fetch: lossy });
  await first(next, (view) => view.requests.some((request) => request.state.kind === "answered"));
  equal(server.posts.map((post) => post.body), [{ answers: [["Blue"]] }]);
  await next.close();
}

/** @param {Connect} connect @param {SmallServer} server */
export async function theLogGoesToAFunctionAndTheFiguresAreTold(connect, server) {
  /** @type {string[]} */
  const levels = [];
  const board = await connect({ baseUrl: server.base, log: (record) => levels.push(record.level) });
  server.ask();
  await first(board, (view) => view.requests.length > 0);
  await board.answer("que_1", [["Blue"]]);
  equal(board.figures().requests.map(({ request, kind, by }) => [request, kind, by]), [["que_1", "question", "here"]]);
  equal(levels.length > 0, true);
  await board.close();
}

/** @param {Connect} connect @param {SmallServer} server */
export async function aRequestIsAwaitedWithoutAnsweringIt(connect, server) {
  const board = await connect({ baseUrl: server.base, unattended: { questions: { after: "never" } } });
  server.ask();
  await first(board, (view) => view.requests.length > 0);
  const waiting = board.wait("que_1");
  server.answerElsewhere([["Red"]]);
  equal(await waiting, { kind: "answeredElsewhere", answer: { kind: "answers", answers: [["Red"]] } });
  equal(await nameOf(board.wait("que_2")), "UnknownRequest");
  await board.close();
}

/** @param {Connect} connect @param {SmallServer} server */
export async function withoutStorageTheAnswerArrivesAndTheViewSaysThatItIsNotKept(connect, server) {
  const real = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(globalThis, "indexedDB"));
  Object.defineProperty(globalThis, "indexedDB", { value: undefined, configurable: true });
  try {
    const board = await connect({ baseUrl: server.base });
    server.ask();
    const view = await first(board, (view) => view.requests.length > 0 && view.server.unsaved !== null);
    equal(view.server.unsaved?.includes("IndexedDB"), true);
    equal(await board.answer("que_1", [["Blue"]]), { kind: "confirmed", note: null });
    board.close();
  } finally {
    Object.defineProperty(globalThis, "indexedDB", real);
  }
}

/**
 * The first view of which something is true.
 * @param {Board | AsyncIterable<View>} source
 * @param {(view: View) => boolean} isTrue
 */
async function first(source, isTrue) {
  for await (const view of "views" in source ? source.views() : source) if (isTrue(view)) return view;
  throw new Error("the board was closed first");
}

/** @param {Promise<unknown>} promise */
async function nameOf(promise) {
  const error = await rejection(promise);
  if (!(error instanceof Error)) throw new Error(`rejected with ${error}, which is no Error`);
  return error.name;
}

/** @param {Promise<unknown>} promise */
async function rejection(promise) {
  try {
    await promise;
  } catch (reason) {
    return reason;
  }
  throw new Error("not rejected");
}

/** @param {unknown} actual @param {unknown} expected */
function equal(actual, expected) {
  const [left, right] = [actual, expected].map((value) => JSON.stringify(value));
  if (left !== right) throw new Error(`${left} where ${right} was expected`);
}
