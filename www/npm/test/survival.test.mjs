// @ts-check
/** What outlives a connection, and what does not. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
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

test("a lock whose process is gone is dead, although its number is used again", async (context) => {
  const path = join(folder, "again.json");
  const names = /** @type {[string, string][]} */ ([["this process, as it never was", `${process.pid}`], ["this process, started at another time", `${process.pid} 1`]]);
  if (process.platform === "linux") names.push(["another process, started at another time", `${process.ppid} 1`]);
  for (const [name, lock] of names) {
    await context.test(name, async () => {
      writeFileSync(`${path}.lock`, lock);
      const storage = await FileStorage.open(path);
      const inUse = { code: "STORAGE_LOCKED", message: `${path} is in use by process ${process.pid}: close it there, or choose another file` };
      await assert.rejects(FileStorage.open(path), inUse);
      await storage.close();
    });
  }
  writeFileSync(`${path}.lock`, `${process.ppid}`);
  await assert.rejects(FileStorage.open(path), StorageLockedError);
  rmSync(`${path}.lock`);
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
  for (const text of ["{", "[]", "5", '{"http://127.0.0.1:4096": {"entries": []}}']) {
    writeFileSync(path, text);
    await assert.rejects(FileStorage.open(path), { code: "INVALID_ARGUMENT", message: `${path} is no ledger: move it away, or choose another file` });
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
  writeFileSync(`${path}.lock`, "4194305 1");
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
