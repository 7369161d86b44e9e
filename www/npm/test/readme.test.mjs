// @ts-check
/** The example of the README, run as it stands against a real OpenCode. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { startDesk } from "./desk.mjs";

const desk = await startDesk();

test("the example of the README does what it says", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, example = ""] = /```js\n([^]*?)```/.exec(readme) ?? [];
  const program = example
    .replace('"opencode-switchboard"', JSON.stringify(new URL("../../../dist/npm/lib/index.js", import.meta.url).href))
    .replace('connect({ baseUrl: "http://127.0.0.1:4096" })', `connect(${JSON.stringify({ baseUrl: desk.server.url, password: desk.server.password })})`)
    .replace('"/path/to/project"', JSON.stringify(desk.directory))
    .replace('"cargo test"', '"true"')
    .replaceAll("console.log(", "told.push(")
    .replace(/^import (.*) from (.*);$/m, "const $1 = await import($2);");
  /** @type {unknown[]} */
  const told = [];
  const AsyncFunction = /** @type {FunctionConstructor} */ ((async () => {}).constructor);
  await new AsyncFunction("told", program)(told);
  assert.deepEqual([told[0], told[2]], ["done", "passed"]);
});
