// @ts-check
/** What becomes of errors: nothing is lost on the way to whoever should see it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { SwitchboardError, rulesOf } from "../../../dist/npm/lib/index.js";

const entry = JSON.stringify(new URL("../../../dist/npm/lib/index.js", import.meta.url).href);

/** A board of a server that is made up and answers at once. */
const BOARD = `
  const { connect } = await import(${entry});
  const answer = async (input, init) => {
    if (init?.method === "POST") return new Promise(() => {});
    const { pathname } = new URL(input);
    if (/event$/.test(pathname)) return new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
    return Response.json({ "/global/health": { healthy: true, version: "1.18.33" }, "/session/status": {} }[pathname] ?? []);
  };
  const board = await connect({ baseUrl: "http://127.0.0.1:4096", fetch: answer, directory: "/project" });
  await board.ready();`;

for (const [what, program] of /** @type {const} */ ([
  ["a mistake in the arguments", `const { DeferredTracker } = await import(${entry}); new DeferredTracker().wait(5);`],
  ["a mistake in the arguments of a board", `${BOARD} board.session("ses_1").prompt(5); setImmediate(() => board.close());`],
  ["a refusal", `${BOARD} board.session("ses_1").prompt("hello"); await new Promise((resolve) => setTimeout(resolve, 5_000)); await board.close();`],
  ["a call after close", `${BOARD} await board.close(); board.createSession();`],
])) {
  test(`${what} that nobody looks at is reported`, async () => {
    const { code, stderr } = await run(program);
    assert.equal(code, 1);
    assert.match(stderr, /InvalidArgument|UnknownSession|Disposed/);
  });
}

for (const [what, program] of /** @type {const} */ ([
  ["a signal", `const { DeferredTracker } = await import(${entry});
    const tracker = new DeferredTracker();
    tracker.register("read");
    const leaving = new AbortController();
    for (const signal of [AbortSignal.abort(), leaving.signal]) tracker.wait("read", { signal });
    leaving.abort();`],
  ["removing a server", `${BOARD}
    const { connectAll } = await import(${entry});
    const desk = await connectAll([{ name: "a", baseUrl: "http://a.test" }, { name: "b", baseUrl: "http://b.test" }], { fetch: answer, directory: "/project" });
    await desk.ready();
    for (const server of ["a", "b"]) desk.createSession({ server });
    await desk.remove("a");
    await desk.close();
    await board.close();`],
  ["close", `${BOARD} board.createSession(); board.shell({ command: "true" }); board.session("ses_1").prompt("hello", { signal: AbortSignal.abort() }); await board.close();`],
])) {
  test(`what the caller ended by ${what} is not reported`, async () => {
    assert.deepEqual(await run(program), { code: 0, stderr: "" });
  });
}

test("an error of the engine is the cause of what is thrown, with its stack", () => {
  assert.throws(() => rulesOf("{"), (error) => {
    assert.ok(error instanceof SwitchboardError);
    assert.ok(error.cause instanceof Error);
    assert.equal(error.cause.message, error.message);
    assert.match(error.cause.stack ?? "", /wasm/);
    return true;
  });
});

/** @param {string} program @returns {Promise<{ code: number, stderr: string }>} */
function run(program) {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ["--input-type=module", "--eval", program], (_error, _stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stderr });
    });
  });
}
