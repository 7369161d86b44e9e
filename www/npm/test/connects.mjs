// @ts-check
/**
 * Connects and closes so many times, and prints how many pages the WebAssembly has grown since the first hundredth of them, and
 * what is left of them. It ends by itself when nothing is.
 *
 *     node connects.mjs COUNT [URL PASSWORD]
 *
 * Without a server, one is made up that answers at once.
 */
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";

/** After so many turns of the event loop, what is still there repeats itself. */
const TURNS_MAX = 100;

const [count = "100", baseUrl, password] = process.argv.slice(2);
const memory = seeMemory();
const { connect } = await import(new URL("../../../dist/npm/lib/index.js", import.meta.url).href);
const options = baseUrl ? { baseUrl, password } : { baseUrl: "http://127.0.0.1:4096", fetch: answer };
const begin = Math.ceil(Number(count) / 100);
const signal = new AbortController().signal;
let before = 0;
for (let at = 1; at <= Number(count); at += 1) {
  const board = await connect({ ...options, signal });
  for await (const view of board.views({ signal })) if (view.server.link.kind === "live") break;
  await board.close();
  // Finalizers run between two turns of the event loop.
  await turn();
  if (at === begin) before = memory();
}
// After a response, Node's fetch waits for one turn before it gives the socket to the next request.
for (let turns = 0; turns < TURNS_MAX && remaining().length > 0; turns += 1) await turn();
console.log(JSON.stringify({ grown: memory() - before, left: remaining() }));

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

/** @param {string | URL | Request} input */
async function answer(input) {
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  const body = /** @type {Record<string, unknown>} */ ({ "/global/health": { healthy: true, version: "1.18.33" }, "/session/status": {} });
  if (/event$/.test(pathname)) return new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
  return Response.json(body[pathname] ?? []);
}
