// @ts-check
/**
 * How long a fresh Node takes until it knows a server: with a plain `fetch`, and with `import` and `connect`. The difference is
 * what this package costs. The server answers at once; medians over so many processes, in turn.
 *
 *     node bench/startup.mjs [PROCESSES]
 */
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { promisify } from "node:util";

const processes = Number(process.argv[2] ?? 20);
const run = promisify(execFile);

const server = createServer((request, response) => {
  const path = new URL(request.url ?? "/", "http://localhost").pathname;
  if (/event$/.test(path)) return response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  response.setHeader("content-type", "application/json");
  const body = /** @type {Record<string, unknown>} */ ({ "/global/health": { healthy: true, version: "1.18.33" }, "/session/status": {} });
  response.end(JSON.stringify(body[path] ?? []));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
const address = `http://127.0.0.1:${port}`;

const subjects = {
  "plain fetch": `await (await fetch("${address}/global/health")).json();`,
  "import and connect": `
    const { connect } = await import("opencode-switchboard");
    const board = await connect({ baseUrl: "${address}" });
    for await (const view of board.views()) if (view.server.link.kind === "live") break;`,
};
/** @type {Record<string, number[]>} */
const spans = {};
for (let at = 0; at < processes; at += 1) {
  for (const [name, program] of Object.entries(subjects)) {
    const timed = `const begun = performance.now(); ${program} console.log(performance.now() - begun); process.exit();`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", timed], { cwd: import.meta.dirname });
    (spans[name] ??= []).push(Number(stdout));
  }
}
server.closeAllConnections();
server.close();

const medians = Object.entries(spans).map(([name, all]) => /** @type {const} */ ([name, all.sort((one, other) => one - other)[processes >> 1] ?? 0]));
for (const [name, median] of medians) console.log(`${name.padEnd(20)} ${median.toFixed(0)} ms`);
const [fetching, connecting] = medians.map(([, median]) => median);
console.log(`${"this package".padEnd(20)} ${((connecting ?? 0) - (fetching ?? 0)).toFixed(0)} ms`);
