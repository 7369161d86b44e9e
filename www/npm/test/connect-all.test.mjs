// @ts-check
/** Several servers as one: real ones over one data directory, and some that are made up. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { startModel } from "../serve/model.mjs";
import { startOpenCode } from "../serve/opencode.mjs";
import { DisposedError, NotConnectedError, UnauthorizedError, UnknownServerError, connect, connectAll } from "../../../dist/npm/lib/index.js";
import { asks, script, until, using } from "./desk.mjs";
import { madeUp } from "./made-up.mjs";

/** @typedef {import("../../../dist/npm/lib/index.js").ConnectOptions} ConnectOptions */
/** @typedef {import("../../../dist/npm/lib/index.js").Desk} Desk */

const HOUR = 3_600_000;

const folder = mkdtempSync(join(tmpdir(), "switchboard-shared-"));
const model = await startModel();
const laptop = await startOpenCode({ modelUrl: model.url, folder });
const desktop = await startOpenCode({ modelUrl: model.url, folder });
const directory = laptop.directory;
after(async () => {
  for (const server of [laptop, desktop]) await server.stop();
  await model.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const servers = [
  { name: "laptop", baseUrl: laptop.url, password: laptop.password },
  { name: "desktop", baseUrl: desktop.url, password: desktop.password },
];

/** R4, R13 */
test("two servers over one data directory list the same ids, and each answer reaches its own", async () => {
  const posts = /** @type {string[]} */ ([]);
  const watched = (/** @type {any} */ input, /** @type {any} */ init) => {
    if (/\/reply$/.test(String(input).split("?")[0] ?? "")) posts.push(String(input).split("?")[0] ?? "");
    return fetch(input, init);
  };
  const logged = /** @type {Set<string>} */ (new Set());
  await using(connectAll(servers, { fetch: watched, log: ({ server }) => void logged.add(server) }), async (desk) => {
    assert.deepEqual(await desk.ready(), []);
    const ours = await Promise.all(["one", "two"].map((title) => desk.createSession({ server: "laptop", directory, title })));
    desk.tryNow();
    const view = await until(desk, ({ sessions }) =>
      servers.every(({ name }) => ours.every(({ id }) => sessions.some((session) => session.server === name && session.id === id))),
    );
    const updated = view.sessions.map((session) => session.updated);
    assert.deepEqual(updated, [...updated].sort((one, other) => other - one));
    const [one, other] = [desk.session({ server: "laptop", id: ours[0]?.id ?? "" }), desk.session({ server: "desktop", id: ours[1]?.id ?? "" })];
    assert.deepEqual([one.server, other.server, other.view?.server, other.view?.title], ["laptop", "desktop", "desktop", "two"]);

    const replying = [one, other].map((session) => session.prompt(script(asks(`On ${session.server}?`, "Red", "Blue")), { timeout: "2m" }));
    await until(desk, () => [one, other].every((session) => session.requests().length > 0));
    const [first, second] = [one, other].map((session) => session.requests()[0] ?? assert.fail());
    assert.ok(first && second);
    assert.deepEqual([first.server, first.view.origin[0]?.server, second.server], ["laptop", "laptop", "desktop"]);
    for (const request of [first, second]) assert.equal(await desk.request(request), request);
    assert.equal(await desk.request({ server: "desktop", id: first.id }), undefined);
    assert.deepEqual(desk.requests().map(({ server, id }) => `${server} ${id}`).sort(), [`desktop ${second.id}`, `laptop ${first.id}`]);
    await assert.rejects(desk.answer({ server: "desktop", id: first.id }, [["Blue"]]), { server: "desktop", message: /^desktop: / });
    await assert.rejects(desk.answer({ ...first.view, revision: 7 }, [["Blue"]]), { code: "REQUEST_CHANGED", server: "laptop" });

    assert.deepEqual(await desk.answer(first, [["Blue"]]), { kind: "confirmed", note: null });
    assert.deepEqual(await desk.answer({ server: "desktop", id: second.id }, [["Red"]]), { kind: "confirmed", note: null });
    const texts = (await Promise.all(replying)).map(({ text }) => text);
    assert.match(texts.join("\n"), /You answered: Blue[^]*\n[^]*You answered: Red/);
    assert.deepEqual(posts.sort(), [`${laptop.url}/question/${first.id}/reply`, `${desktop.url}/question/${second.id}/reply`].sort());
    const { requests, servers: amounts } = desk.figures();
    assert.deepEqual(requests.map(({ server, request, by }) => [server, request, by]).sort(), [["desktop", second.id, "here"], ["laptop", first.id, "here"]]);
    assert.deepEqual(servers.map(({ name }) => amounts[name]?.answeredToConfirmed?.count), [1, 1]);
    assert.deepEqual([...logged].sort(), ["desktop", "laptop"]);
  });
});

/** R24 */
test("what one of them asks can be read at the other, and is counted at its own alone", async () => {
  await using(connectAll(servers), async (desk) => {
    const { id } = await desk.createSession({ server: "laptop", directory, title: "Shared" });
    const asking = desk.session({ server: "laptop", id });
    const replying = asking.prompt(script(asks("Which?", "Red", "Blue")), { timeout: "2m" });
    const there = () => desk.session({ server: "desktop", id }).view;
    await until(desk, () => (there()?.askedElsewhere.length ?? 0) > 0);
    const [asked] = there()?.askedElsewhere ?? [];
    const [request] = asking.requests();
    assert.ok(asked && request && there()?.state.kind === "elsewhere");
    assert.deepEqual(asked.questions, request.questions);
    assert.equal(asked.message, request.view.tool?.message);
    assert.deepEqual([there()?.waiting, asking.view?.waiting, asking.view?.askedElsewhere], [0, 1, []]);
    assert.deepEqual(desk.requests().map(({ server }) => server), ["laptop"]);
    await request.answer([["Blue"]]);
    assert.equal((await replying).ending, "done");
    await until(desk, () => there()?.state.kind === "ended" && there()?.askedElsewhere.length === 0);
  });
});

/** R14 */
test("a server that is down, comes up and restarts holds up nothing of the others", async () => {
  await desktop.kill();
  await using(connectAll([...servers, { baseUrl: laptop.url.replace("127.0.0.1", "localhost"), password: "wrong" }]), async (desk) => {
    const locked = laptop.url.replace("http://127.0.0.1", "localhost");
    const [down, closed, ...others] = await desk.ready();
    assert.ok(down instanceof NotConnectedError && closed instanceof UnauthorizedError);
    assert.deepEqual([down.server, closed.server, others], ["desktop", locked, []]);
    assert.deepEqual(desk.view().servers.map(({ name, link }) => [name, link.kind]), [["laptop", "live"], ["desktop", "offline"], [locked, "password"]]);
    await assert.rejects(desk.createSession({ server: "desktop", directory }), { code: "NOT_CONNECTED", server: "desktop", message: /^desktop: / });
    const there = await desk.createSession({ server: "laptop", directory });
    const replying = there.prompt(script(asks("Which?", "Red", "Blue")), { timeout: "2m" });
    await until(desk, () => there.requests().length > 0);

    await desktop.restart();
    desk.tryNow();
    await until(desk, () => desk.board("desktop").view().server.link.kind === "live");
    const here = await desk.createSession({ server: "desktop", directory });
    const interrupted = here.prompt(script(asks("Which?", "Red", "Blue")), { timeout: "2m" });
    await until(desk, () => here.requests().length > 0);
    const [waiting, lost] = [there.requests()[0] ?? assert.fail(), here.requests()[0] ?? assert.fail()];

    await desktop.restart();
    desk.tryNow();
    assert.deepEqual(await lost.wait(), { kind: "gone", reason: { kind: "restarted" } });
    assert.equal((await interrupted).ending, "interrupted");
    assert.equal(await desk.request(waiting), waiting);
    assert.equal((await waiting.answer([["Blue"]])).kind, "confirmed");
    assert.match((await replying).text, /You answered: Blue/);
  });
});

/** R1 */
test("what was asked first comes first, although the clock of its server is an hour ahead", async (context) => {
  const printed = context.mock.method(console, "debug", () => {});
  const ahead = async (/** @type {any} */ input, /** @type {any} */ init) => {
    const response = await fetch(input, init);
    if (/event$/.test(new URL(String(input)).pathname) || response.status !== 200) return response;
    return new Response((await response.text()).replaceAll(/\b1\d{12}\b/g, (time) => String(Number(time) + HOUR)), { headers: response.headers });
  };
  const skewed = servers.map((server) => ({ ...server, ...(server.name === "desktop" && { fetch: ahead }) }));
  await using(connectAll(skewed, { log: true }), async (desk) => {
    const asking = [];
    for (const server of ["desktop", "laptop"]) {
      const session = await desk.createSession({ server, directory });
      asking.push(session.prompt(script(asks("Which?", "Red", "Blue")), { timeout: "2m" }));
      await until(desk, () => session.requests().length > 0);
    }
    const requests = desk.requests();
    assert.deepEqual(requests.map(({ server }) => server), ["desktop", "laptop"]);
    for (const { view } of requests) assert.ok(Math.abs((view.asked ?? 0) - view.seen) < HOUR / 2);
    await Promise.all(requests.map((request) => request.answer([["Red"]])));
    await Promise.all(asking);
    const lines = printed.mock.calls.map(({ arguments: [line] }) => String(line));
    for (const { name } of servers) assert.ok(lines.some((line) => line.startsWith(`switchboard ${name} debug #`)));
    assert.ok(lines.every((line) => /^switchboard (laptop|desktop) (debug|info|warn) #\d+ /.test(line)));
  });
});

test("a view is the same object until something has changed, and keeps the parts that have not", async () => {
  await using(connectAll(threeMadeUp()), async (desk) => {
    await desk.ready();
    const before = await settled(desk);
    assert.ok(Object.isFrozen(before) && Object.isFrozen(before.servers) && Object.isFrozen(before.promptDrafts));
    let calls = 0;
    const end = desk.subscribe(() => void (calls += 1));
    desk.session({ server: "b", id: "ses_1" }).keepDraft("typed");
    const after = await until(desk, ({ promptDrafts }) => promptDrafts["b"]?.["ses_1"] === "typed");
    assert.ok(calls > 0);
    assert.deepEqual(after.promptDrafts, { a: {}, b: { ses_1: "typed" }, c: {} });
    for (const part of /** @type {const} */ (["requests", "sessions", "prompts"])) assert.equal(after[part], before[part]);
    assert.equal(after.promptDrafts["a"], before.promptDrafts["a"]);
    end();
    const told = calls;
    desk.session({ server: "b", id: "ses_1" }).keepDraft("typed on");
    await until(desk, ({ promptDrafts }) => promptDrafts["b"]?.["ses_1"] === "typed on");
    assert.equal(calls, told);
  });
});

test("servers come and go, and their names and addresses are free again", async () => {
  await using(connectAll(threeMadeUp()), async (desk) => {
    await desk.ready();
    /** @type {string[]} */
    const listed = [];
    const end = desk.subscribe(() => void listed.push(names(desk)));
    const leaving = desk.board("b");
    await desk.remove("b");
    assert.equal(names(desk), "a c");
    await assert.rejects(leaving.createSession({ directory: "/" }), { code: "DISPOSED", server: "b" });
    await assert.rejects(desk.remove("b"), UnknownServerError);
    assert.throws(() => desk.session({ server: "b", id: "ses_1" }), { code: "UNKNOWN_SERVER", message: 'session: there is no server "b"; known: "a", "c"' });
    await assert.rejects(desk.add({ baseUrl: "http://a.test/" }), { message: 'add: http://a.test is there already, as "a"' });
    await assert.rejects(desk.add({ name: "a", baseUrl: "http://d.test" }), { message: 'add: there is a server "a" already' });
    const [added, refused] = await Promise.allSettled([1, 2].map(() => desk.add({ name: "b", baseUrl: "http://b.test", fetch: madeUp() })));
    assert.deepEqual([added?.status, refused?.status, names(desk)], ["fulfilled", "rejected", "a c b"]);
    const removing = new AbortController();
    await desk.add({ baseUrl: "http://localhost:1/path/", fetch: madeUp(), signal: removing.signal });
    await desk.add({ baseUrl: "https://localhost:1/path/", fetch: madeUp() });
    assert.equal(names(desk), "a c b localhost:1/path localhost:1/path (2)");
    removing.abort();
    await desk.board("a").close();
    assert.equal(names(desk), "c b localhost:1/path (2)");
    end();
    for (const shown of ["a c", "a c b", "c b localhost:1/path (2)"]) assert.ok(listed.includes(shown), shown);
  });
});

test("closing a desk closes all of it, once or twice, by a call or by its signal", async () => {
  for (const how of ["call", "signal"]) {
    const [closing, left] = [new AbortController(), new AbortController()];
    const desk = await connectAll(threeMadeUp(), { signal: closing.signal });
    const [board] = desk.boards();
    await desk.ready();
    const views = desk.views();
    const leaving = assert.rejects(async () => {
      for await (const _ of desk.views({ signal: left.signal }));
    }, (reason) => reason === "enough");
    left.abort("enough");
    await leaving;
    const reading = (async () => {
      for await (const { servers } of views) assert.equal(servers.length, 3);
    })();
    const calling = board?.session("ses_1").prompt("hello");
    if (how === "call") await desk.close();
    else closing.abort();
    await reading;
    await assert.rejects(calling ?? assert.fail(), (error) => error instanceof Error);
    await desk.close();
    assert.equal(names(desk), "a b c");
    assert.equal(desk.view(), desk.view());
    await assert.rejects(desk.ready(), DisposedError);
    await assert.rejects(desk.add({ baseUrl: "http://d.test" }), DisposedError);
    await assert.rejects(desk.createSession({ server: "a", directory: "/" }), DisposedError);
    assert.throws(() => desk.figures(), DisposedError);
    let shown = 0;
    for await (const { servers } of desk.views()) shown += servers.length;
    assert.equal(shown, 3);
  }
  const reason = new Error("not wanted");
  await assert.rejects(connectAll(threeMadeUp(), { signal: AbortSignal.abort(reason) }), (error) => error === reason);
});

test("what is wrong with the options is told by its place, and nothing stays open", async () => {
  for (const [given, message] of /** @type {[any, string][]} */ ([
    [[], "connectAll: give at least one server"],
    [{ baseUrl: "http://a.test" }, "connectAll: servers must be an array"],
    [[{ baseUrl: "http://a.test" }, {}], "connectAll: servers[1]: the address is empty"],
    [[{ baseUrl: "http://a.test" }, { name: "again", baseUrl: new URL("http://a.test") }], 'connectAll: servers[1]: http://a.test is there already, as "a.test"'],
    [[{ baseUrl: "http://a.test", name: "x" }, { baseUrl: "http://b.test", name: "x" }], 'connectAll: servers[1]: there is a server "x" already'],
    [[{ baseUrl: "http://a.test", pasword: "x" }], 'connectAll: servers[0]: there is no option "pasword"'],
    [[{ baseUrl: "http://a.test", name: " " }], "connectAll: servers[0]: the name must not be empty"],
  ])) {
    await assert.rejects(connectAll(given, { fetch: madeUp() }), { message });
  }
  await assert.rejects(connectAll(threeMadeUp(), /** @type {any} */ ({ password: "for all" })), { message: 'connectAll: there is no option "password"' });
  await assert.rejects(connectAll(threeMadeUp(), { unattended: /** @type {any} */ ({ sessions: {} }) }), { message: 'connectAll: unattended: there is no option "sessions"' });
  const asked = /** @type {string[]} */ ([]);
  const counting = (/** @type {any} */ input, /** @type {any} */ init) => {
    asked.push(String(input));
    init?.signal?.addEventListener("abort", () => asked.push("ended"));
    return new Promise(() => {});
  };
  const wrong = { baseUrl: "http://b.test", unattended: { questions: { after: /** @type {any} */ ("soon") } } };
  await assert.rejects(connectAll([{ baseUrl: "http://a.test", fetch: /** @type {any} */ (counting) }, wrong]), /servers\[1\]: unattended: questions: after must be/);
  assert.equal(asked.filter((what) => what === "ended").length, asked.filter((what) => what !== "ended").length);
});

test("the errors of a board say the name of its server, where it was given one", async () => {
  for (const [name, begin, server] of /** @type {const} */ ([["mine", "mine: ", "mine"], [undefined, "", undefined]])) {
    await using(connect({ name, baseUrl: "http://a.test:99", fetch: madeUp() }), async (board) => {
      assert.equal(board.name, name ?? "a.test:99");
      await assert.rejects(board.session("ses_1").prompt("hello"), { message: `${begin}no session ses_1 is known`, server });
    });
  }
});

/** @returns {ConnectOptions[]} */
function threeMadeUp() {
  return ["a", "b", "c"].map((name) => ({ name, baseUrl: `http://${name}.test`, fetch: madeUp() }));
}

/** The names of all servers that are shown. @param {Desk} desk */
function names(desk) {
  return desk.view().servers.map(({ name }) => name).join(" ");
}

/** A view in which all is listed. @param {Desk} desk */
function settled(desk) {
  return until(desk, ({ servers }) => servers.every(({ listed }) => listed));
}
