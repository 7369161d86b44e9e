// @ts-check
/** What outlives a connection, and what does not. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
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
