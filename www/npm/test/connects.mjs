// @ts-check
/**
 * Connects and closes so many times, and prints how many pages the WebAssembly has grown since the first hundredth of them, and
 * what is left of them. It ends by itself when nothing is. What JavaScript has dropped is collected a hundred times on the way:
 * when it is collected by itself depends on the machine, and so would the pages that it holds until then.
 *
 *     node --expose-gc connects.mjs COUNT [URL PASSWORD]
 *     node --expose-gc connects.mjs COUNT --desk
 *
 * Without a server, one is made up that answers at once; of a desk, three are, and one is removed and added again.
 */
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { madeUp } from "./made-up.mjs";

/** After so many turns of the event loop, what is still there repeats itself. */
const TURNS_MAX = 100;

const gc = globalThis.gc;
assert.ok(gc, "run it with --expose-gc");
const [count = "100", baseUrl, password] = process.argv.slice(2);
const memory = seeMemory();
/** @type {typeof import("../../../dist/npm/lib/index.js")} */
const { connect, connectAll } = await import(new URL("../../../dist/npm/lib/index.js", import.meta.url).href);
const run = baseUrl === "--desk" ? runDesk : runBoard;
const options = baseUrl ? { baseUrl, password } : { baseUrl: "http://127.0.0.1:4096", fetch: madeUp() };
const collects = Math.ceil(Number(count) / 100);
const signal = new AbortController().signal;
let before = 0;
for (let at = 1; at <= Number(count); at += 1) {
  await run();
  if (at % collects === 0) gc();
  // Finalizers run between two turns of the event loop.
  await turn();
  if (at === collects) before = memory();
}
// After a response, Node's fetch waits for one turn before it gives the socket to the next request.
for (let turns = 0; turns < TURNS_MAX && remaining().length > 0; turns += 1) await turn();
console.log(JSON.stringify({ grown: memory() - before, left: remaining() }));

async function runBoard() {
  const board = await connect({ ...options, signal });
  for await (const view of board.views({ signal })) if (view.server.link.kind === "live") break;
  await board.close();
}

async function runDesk() {
  const servers = ["one", "two", "three"].map((name, at) => ({ name, baseUrl: `http://127.0.0.1:${4096 + at}`, signal }));
  const desk = await connectAll(servers, { fetch: madeUp(), signal });
  const end = desk.subscribe(() => void desk.view());
  assert.deepEqual(await desk.ready({ signal }), []);
  await desk.remove("two");
  await desk.add({ ...servers[1], baseUrl: "http://127.0.0.1:4097" });
  for await (const { servers } of desk.views({ signal })) if (servers.every(({ link }) => link.kind === "live")) break;
  end();
  await desk.close();
}

/** The timers and immediates that keep the process alive. */
function remaining() {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout" || name === "Immediate");
}

/** The pages of the one WebAssembly that is loaded from now on. @returns {() => number} */
function seeMemory() {
  /** @type {WebAssembly.Memory | undefined} */
  let memory;
  WebAssembly.Instance = class extends WebAssembly.Instance {
    /** @param {WebAssembly.Module} module @param {WebAssembly.Imports} [imports] */
    constructor(module, imports) {
      super(module, imports);
      memory = /** @type {WebAssembly.Memory} */ (this.exports.memory);
    }
  };
  return () => {
    assert.ok(memory);
    return memory.buffer.byteLength / 65_536;
  };
}
