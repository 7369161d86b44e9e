// @ts-check
/** What is left of boards that are closed: nothing. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startDesk } from "./desk.mjs";

/** How the allocator lays out what comes and goes: 2 pages were seen. A leak of 64 bytes a connection takes 10. */
const PAGES_MAX = 6;

const desk = await startDesk();

for (const [what, ...given] of /** @type {const} */ ([
  ["10,000 connections to a server that answers at once", "10000"],
  ["1,000 connections to three servers at once", "1000", "--desk"],
  ["200 connections to a real one", "200", desk.server.url, desk.server.password],
])) {
  test(`${what} leave no memory, no timer and no stream behind`, async () => {
    const program = fileURLToPath(new URL("connects.mjs", import.meta.url));
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--expose-gc", program, ...given]);
    const { grown, left } = JSON.parse(stdout);
    assert.equal(stderr, "");
    assert.deepEqual(left, []);
    assert.ok(grown <= PAGES_MAX, `the WebAssembly has grown by ${grown} pages`);
  });
}
