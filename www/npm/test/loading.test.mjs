// @ts-check
/** How the WebAssembly gets there; each story in a process of its own, since it is loaded once. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { after, test } from "node:test";
import { promisify } from "node:util";

const entry = (/** @type {string} */ name) => JSON.stringify(new URL(`../../../dist/npm/lib/${name}.js`, import.meta.url).href);
const wasm = new URL("../../../dist/npm/wasm/switchboard_bg.wasm", import.meta.url);

test("there is one WebAssembly, also when something is needed while it loads", async () => {
  const { stdout } = await run(`import init, { DeferredTracker } from ${entry("index")};
    const loading = init();
    const tracker = new DeferredTracker();
    tracker.register("read");
    await loading;
    console.log(tracker.openKeys().join());`);
  assert.equal(stdout, "read\n");
});

for (const [what, source] of /** @type {const} */ ([
  ["a file, as a URL", `new URL(${JSON.stringify(wasm.href)})`],
  ["a file, as a text", JSON.stringify(wasm.href)],
  ["bytes", `readFileSync(new URL(${JSON.stringify(wasm.href)}))`],
  ["a module", `new WebAssembly.Module(readFileSync(new URL(${JSON.stringify(wasm.href)})))`],
  ["a promise of a response", `Promise.resolve(new Response(readFileSync(new URL(${JSON.stringify(wasm.href)})), { headers: { "content-type": "application/wasm" } }))`],
])) {
  test(`the slim entry takes ${what}`, async () => {
    assert.deepEqual(await loaded(source), { stdout: "0\n", stderr: "" });
  });
}

test("the slim entry fetches, and copes with a type that is not quite right", async () => {
  const server = createServer(({ url }, response) => {
    if (url === "/missing") return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": url === "/right" ? "application/wasm" : "application/octet-stream" });
    response.end(readFileSync(wasm));
  });
  after(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const at = (/** @type {string} */ path) => JSON.stringify(`http://127.0.0.1:${port}/${path}`);
  assert.deepEqual(await loaded(at("right")), { stdout: "0\n", stderr: "" });
  const { stdout, stderr } = await loaded(at("wrong"));
  assert.equal(stdout, "0\n");
  assert.match(stderr, /another type than application\/wasm/);
  await assert.rejects(loaded(at("missing")), /404/);
});

test("what is no WebAssembly is told, and may be mended", async () => {
  const { stdout } = await run(`import { readFileSync } from "node:fs";
    import init, { usualConfig } from ${entry("slim")};
    await init(5).catch((error) => console.log(error.code));
    await init(readFileSync(new URL(${JSON.stringify(wasm.href)})));
    console.log(usualConfig().length > 0);`);
  assert.equal(stdout, "INVALID_ARGUMENT\ntrue\n");
});

/** Loads the slim entry from there, and uses it. @param {string} source */
function loaded(source) {
  return run(`import { readFileSync } from "node:fs";
    import init, { DeferredTracker } from ${entry("slim")};
    await init(${source});
    console.log(new DeferredTracker().open);`);
}

/** @param {string} program */
function run(program) {
  return promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
}
