// @ts-check
/** What outlives a connection, and what does not. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { MemoryStorage, StorageLockedError } from "../../../dist/npm/lib/index.js";
import { FileStorage } from "../../../dist/npm/lib/node.js";
import { asks, script, startDesk, until } from "./desk.mjs";

const desk = await startDesk();
const folder = mkdtempSync(join(tmpdir(), "switchboard-ledger-"));
after(() => rmSync(folder, { recursive: true }));

/** A fetch whose replies are lost on their way to the server. */
const losingReplies = (/** @type {any} */ input, /** @type {any} */ init) =>
  /\/reply/.test(String(input)) ? Promise.reject(new TypeError("lost")) : fetch(input, init);

for (const [name, open] of /** @type {const} */ ([
  ["in memory", async () => new MemoryStorage()],
  ["in a file", () => FileStorage.open(join(folder, "ledger.json"))],
])) {
  /** R13 */
  test(`an answer that was not delivered goes on with the next connection: ${name}`, async () => {
    let storage = await open();
    const board = await desk.connect({ storage, fetch: losingReplies });
    const session = await board.createSession({ directory: desk.directory });
    void session.prompt(script(asks("Which?", "Red", "Blue")));
    await until(board, () => session.requests().length > 0);
    const [request] = session.requests();
    void request?.answer([["Blue"]]);
    await board.close();
    if (storage instanceof FileStorage) {
      await storage.close();
      assert.match(readFileSync(join(folder, "ledger.json"), "utf8"), /Blue/);
      storage = await open();
    }
    const next = await desk.connect({ storage });
    const view = await until(next, (view) => view.requests.some(({ id, state }) => id === request?.id && state.kind === "answered"));
    assert.deepEqual(view.requests.find(({ id }) => id === request?.id)?.reply, [["Blue"]]);
    await next.close();
    if (storage instanceof FileStorage) await storage.close();
  });
}

/** R4, R13 */
test("an answer is sent although the storage never says who may send it, and what is left then waits for that", async () => {
  const storage = new MemoryStorage();
  const claim = storage.claim.bind(storage);
  let silent = Infinity;
  storage.claim = (...of) => (silent-- > 0 ? new Promise(() => {}) : claim(...of));
  const ask = async (/** @type {any} */ board, /** @type {string} */ id) => {
    const session = board.session(id);
    void session.prompt(script(asks("Which?", "Red", "Blue")));
    const { requests } = await until(board, (view) => view.requests.some(({ state }) => state.kind === "waiting"));
    const waiting = requests.find(({ state }) => state.kind === "waiting")?.id;
    return session.requests().find((/** @type {any} */ request) => request.id === waiting);
  };

  const board = await desk.connect({ storage });
  const { id } = await board.createSession({ directory: desk.directory });
  const { kind } = await (await ask(board, id)).answer([["Blue"]]);
  assert.equal(kind, "confirmed");
  await board.close();

  const losing = await desk.connect({ storage, fetch: losingReplies });
  await losing.ready();
  void (await ask(losing, id)).answer([["Red"]]);
  await until(losing, (view) => view.requests.some(({ state }) => state.kind === "sending"));
  await losing.close();

  silent = 1;
  const next = await desk.connect({ storage });
  const waits = (/** @type {any} */ state) => state.kind === "sending" && /another tab/.test(state.problem);
  await until(next, (view) => view.requests.some(({ state }) => waits(state)));
  await until(next, (view) => view.requests.some(({ state }) => state.kind === "answered"));
  await next.close();
});

test("a second process is refused a ledger that is in use, and takes over one of a dead process", async () => {
  const path = join(folder, "shared.json");
  const storage = await FileStorage.open(path);
  const program = `import { FileStorage } from ${JSON.stringify(new URL("../../../dist/npm/lib/node.js", import.meta.url).href)};
    try { await FileStorage.open(${JSON.stringify(path)}); console.log("open"); process.kill(process.pid, "SIGKILL"); } catch (error) { console.log(error.code); }`;
  assert.equal(await printedBy(program), "STORAGE_LOCKED");
  await assert.rejects(FileStorage.open(path), StorageLockedError);
  await storage.close();
  await storage.close();
  assert.equal(await printedBy(program), "open");
  await (await FileStorage.open(path)).close();
});

test("a lock whose process is gone is dead, although its number is used again", { skip: process.platform !== "linux" }, async (context) => {
  const path = join(folder, "again.json");
  const place = await ourPlace();
  for (const [name, lock] of [
    ["this process, started at another time", `${process.pid} 1 ${place} token`],
    ["another process, started at another time", `${process.ppid} 1 ${place} token`],
    ["a process that is not there", `4194305 1 ${place} token`],
  ]) {
    await context.test(name, async () => {
      writeFileSync(`${path}.lock`, lock ?? "");
      const storage = await FileStorage.open(path);
      const inUse = { code: "STORAGE_LOCKED", message: `${path} is in use by process ${process.pid}: close it there, or choose another file` };
      await assert.rejects(FileStorage.open(path), inUse);
      await storage.close();
    });
  }
});

test("a lock of another container counts while it is touched, and is dead when it is not", async (context) => {
  const path = join(folder, "shared-volume.json");
  context.mock.timers.enable({ apis: ["setTimeout"] });
  // The same number as ours, as in many containers.
  writeFileSync(`${path}.lock`, `${process.pid} 1 another-container token`);
  let beats = 0;
  const touch = () => utimesSync(`${path}.lock`, (beats += 1), beats);
  await assert.rejects(ticking(context, FileStorage.open(path), touch), (error) => {
    assert.ok(error instanceof StorageLockedError);
    return /process \d+ of another container or machine/.test(error.message);
  });
  const storage = await ticking(context, FileStorage.open(path));
  await storage.close();
  assert.deepEqual(readdirSync(folder).filter((name) => name.startsWith("shared-volume")), []);
});

test("a ledger that another process has taken over is written to no more, and its lock is left to it", async () => {
  const path = join(folder, "taken-over.json");
  const storage = await FileStorage.open(path);
  await storage.keepDraft("server", "key", "before");
  writeFileSync(`${path}.lock`, "7 1 another-container token");
  await assert.rejects(storage.keepDraft("server", "key", "after"), StorageLockedError);
  await assert.rejects(storage.close(), StorageLockedError);
  assert.doesNotMatch(readFileSync(path, "utf8"), /after/);
  assert.match(readFileSync(`${path}.lock`, "utf8"), /^7 /);
  rmSync(`${path}.lock`);
});

test("a lock shows signs of life while it is held", async (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const path = join(folder, "touched.json");
  const storage = await FileStorage.open(path);
  utimesSync(`${path}.lock`, 1, 1);
  context.mock.timers.tick(2_000);
  while (statSync(`${path}.lock`).mtimeMs === 1_000) await turn();
  await storage.close();
});

test("what is no lock file is told, and blocks nothing", { timeout: 30_000 }, async () => {
  const path = join(folder, "odd.json");
  symlinkSync("/is/not/there", `${path}.lock`);
  await assert.rejects(FileStorage.open(path), { code: "INVALID_ARGUMENT", message: /odd\.json\.lock is not a lock file/ });
  rmSync(`${path}.lock`);
  mkdirSync(`${path}.lock`);
  await assert.rejects(FileStorage.open(path), { code: "INVALID_ARGUMENT" });
  assert.deepEqual(readdirSync(folder).filter((name) => name.startsWith("odd")), ["odd.json.lock"]);
});

test("a ledger is one through whatever symbolic link it is opened, and the link stays", async () => {
  const [path, link] = [join(folder, "linked.json"), join(folder, "link.json")];
  symlinkSync("linked.json", link);
  const storage = await FileStorage.open(link);
  for (const other of [path, link]) await assert.rejects(FileStorage.open(other), StorageLockedError);
  await storage.keepDraft("server", "key", "text");
  await storage.close();
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.match(readFileSync(path, "utf8"), /text/);
  const next = await FileStorage.open(link);
  await assert.rejects(FileStorage.open(path), StorageLockedError);
  await next.close();
});

/** R13 */
test("a ledger that is closed takes nothing more, and an open board says so", async () => {
  const path = join(folder, "closed.json");
  const storage = await FileStorage.open(path);
  const board = await desk.connect({ storage });
  const session = await board.createSession({ directory: desk.directory });
  session.keepDraft("in time");
  while (!/in time/.test(await readOrNone(path))) await turn();
  await storage.close();
  session.keepDraft("too late");
  const view = await until(board, ({ server }) => server.unsaved !== null);
  assert.match(view.server.unsaved ?? "", /is closed/);
  await board.close();
  assert.doesNotMatch(readFileSync(path, "utf8"), /too late/);
  await assert.rejects(storage.load("server"), { code: "DISPOSED" });
});

test("a change is appended to a ledger, which is written anew only when it has grown much", async () => {
  const path = join(folder, "long.json");
  const storage = await FileStorage.open(path);
  await storage.keepDraft("server", "key", "first");
  const { ino } = statSync(path);
  await Promise.all(Array.from({ length: 100 }, (_, at) => storage.keepDraft("server", "key", `text ${at}`)));
  await storage.commit("server", { id: "entry", version: 1, text: "sent", finished: false }, undefined);
  assert.equal(statSync(path).ino, ino);
  const long = "x".repeat(100_000);
  for (let at = 0; at < 30; at += 1) await storage.commit("server", { id: "long", version: at + 1, text: `${at} ${long}`, finished: false }, at || undefined);
  assert.ok(statSync(path).size < 2_000_000);
  await storage.close();
  const next = await FileStorage.open(path);
  const { entries, drafts } = await next.load("server");
  assert.deepEqual([entries.map((text) => text.slice(0, 4)), drafts], [["sent", "29 x"], ["text 99"]]);
  await next.close();
});

test("a ledger whose last line a crash has cut off holds everything before", async () => {
  const path = join(folder, "torn.json");
  const storage = await FileStorage.open(path);
  await storage.commit("server", { id: "entry", version: 1, text: "whole", finished: false }, undefined);
  await storage.close();
  for (const torn of ['["server","entries","other",{"id":"ot', "\0\0\0"]) {
    appendFileSync(path, torn);
    const next = await FileStorage.open(path);
    assert.deepEqual((await next.load("server")).entries, ["whole"]);
    await next.keepDraft("server", "key", "text");
    await next.close();
  }
  const last = await FileStorage.open(path);
  assert.deepEqual(await last.load("server"), { entries: ["whole"], drafts: ["text"], links: [] });
  await last.close();
});

test("a ledger is the same by whatever path, and its lock leaves nothing behind", async () => {
  const [path, other] = [join(folder, "same.json"), `${folder}/./same.json`];
  const storage = await FileStorage.open(path);
  await assert.rejects(FileStorage.open(other), StorageLockedError);
  assert.match(readFileSync(`${path}.lock`, "utf8"), new RegExp(`^${process.pid}( |$)`));
  await storage.close();
  assert.deepEqual(readdirSync(folder).filter((name) => name.startsWith("same")), []);
});

test("a ledger that could not be written is given back all the same, and says so", async () => {
  const path = join(folder, "unwritten.json");
  const storage = await FileStorage.open(path);
  mkdirSync(`${path}.new`);
  await assert.rejects(storage.keepDraft("server", "key", "text"), { code: "EISDIR" });
  await assert.rejects(storage.close(), { code: "EISDIR" });
  rmSync(`${path}.new`, { recursive: true });
  const next = await FileStorage.open(path);
  await next.keepDraft("server", "key", "text");
  await next.close();
  assert.match(readFileSync(path, "utf8"), /text/);
});

test("an empty ledger is as good as none, and one that is broken is told and left as it is", async () => {
  const path = join(folder, "broken.json");
  const header = '{"switchboard":"ledger","format":1}';
  for (const text of ["{", "[]", "5", '{"http://127.0.0.1:4096": {"entries": []}}', `${header}\n[5]\n["server","drafts","key","text"]\n`]) {
    writeFileSync(path, text);
    const expected = { code: "INVALID_ARGUMENT", message: `${path} is not a Switchboard ledger: move it away, or choose another path` };
    await assert.rejects(FileStorage.open(path), expected);
    assert.equal(readFileSync(path, "utf8"), text);
  }
  for (const text of ["", "\n"]) {
    writeFileSync(path, text);
    const storage = await FileStorage.open(path);
    await storage.keepDraft("server", "key", "text");
    await storage.close();
    assert.match(readFileSync(path, "utf8"), /text/);
  }
});

test("of many that take over a ledger at once, one gets it", async () => {
  const path = join(folder, "many.json");
  const program = `import { FileStorage } from ${JSON.stringify(new URL("../../../dist/npm/lib/node.js", import.meta.url).href)};
    process.stdin.once("data", async () => {
      try { await FileStorage.open(${JSON.stringify(path)}); console.log("open"); } catch (error) { console.log(error.code); }
    });
    process.stdin.once("end", () => process.exit());
    console.log("ready");`;
  writeFileSync(`${path}.lock`, `4194305 1 ${await ourPlace()} token`);
  const children = Array.from({ length: 4 }, () => spawn(process.execPath, ["--input-type=module", "--eval", program], { stdio: ["pipe", "pipe", "inherit"] }));
  const said = () => Promise.all(children.map(async ({ stdout }) => String((await once(stdout, "data"))[0]).trim()));
  assert.deepEqual(await said(), Array(4).fill("ready"));
  const saying = said();
  for (const { stdin } of children) stdin.write("go");
  assert.deepEqual((await saying).sort(), ["STORAGE_LOCKED", "STORAGE_LOCKED", "STORAGE_LOCKED", "open"]);
  for (const { stdin } of children) stdin.end();
  await Promise.all(children.map((child) => once(child, "close")));
  assert.deepEqual(readdirSync(folder).filter((name) => name.startsWith("many")), []);
});

/** R14 */
test("an answer to a question that a restart forgot is told, and goes as a message", async () => {
  const board = await desk.connect();
  const session = await board.createSession({ directory: desk.directory });
  void session.prompt(script(asks("Which?", "Red", "Blue")));
  await until(board, () => session.requests().length > 0);
  const [request] = session.requests();
  assert.ok(request);
  await desk.server.kill();
  const answering = request.answer([["Blue"]]);
  await desk.server.restart();
  assert.deepEqual(await answering, { kind: "gone", reason: { kind: "restarted" } });
  const message = await request.rescue();
  assert.match(message, /^msg_/);
  await board.close();
});

test("a program whose boards are closed ends by itself, also when its requests were forgotten by the collector", async () => {
  const program = `import { connect } from ${JSON.stringify(new URL("../../../dist/npm/lib/index.js", import.meta.url).href)};
    const board = await connect({ baseUrl: ${JSON.stringify(desk.server.url)}, password: ${JSON.stringify(desk.server.password)} });
    const session = await board.createSession({ directory: ${JSON.stringify(desk.directory)} });
    await session.prompt("hello", { onQuestion: () => undefined });
    globalThis.gc();
    await board.close();
    console.log("closed");`;
  assert.equal(await printedBy(program), "closed");
});

/** Where this process is, as its locks tell. */
async function ourPlace() {
  const path = join(folder, "place.json");
  const storage = await FileStorage.open(path);
  const [, , place = ""] = readFileSync(`${path}.lock`, "utf8").split(" ");
  await storage.close();
  return place;
}

/**
 * Lets the time of a second pass again and again, until the work is done.
 *
 * @template T
 * @param {import("node:test").TestContext} context @param {Promise<T>} work @param {() => void} [meanwhile]
 */
async function ticking(context, work, meanwhile) {
  let isDone = false;
  const end = () => void (isDone = true);
  work.then(end, end);
  while (!isDone) {
    meanwhile?.();
    context.mock.timers.tick(1_000);
    await turn();
  }
  return work;
}

/** @param {string} path */
async function readOrNone(path) {
  return readFile(path, "utf8").catch(() => "");
}

/** @param {string} program @returns {Promise<string>} */
function printedBy(program) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--expose-gc", "--input-type=module", "--eval", program], { stdio: ["ignore", "pipe", "inherit"] });
    let printed = "";
    child.stdout.on("data", (piece) => (printed += piece));
    child.once("error", reject);
    child.once("close", () => resolve(printed.trim()));
  });
}
