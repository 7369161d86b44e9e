// @ts-check
/** Where the executable of OpenCode is looked for. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { findOpenCode } from "./binary.mjs";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "switchboard-binary-")));
after(() => rmSync(folder, { recursive: true }));
const from = createRequire(join(folder, "nothing/is/installed/here"));

for (const [what, scripts, modules] of /** @type {const} */ ([
  ["globally", "global", "global/node_modules"],
  ["in a project", "project/node_modules/.bin", "project/node_modules"],
])) {
  test(`on Windows, OpenCode that npm installed ${what} is the executable, not the script`, () => {
    const executable = put(`${modules}/opencode-windows-x64/bin/opencode.exe`);
    put(`${modules}/opencode-windows-x64/package.json`, "{}");
    put(`${modules}/opencode-ai/package.json`, "{}");
    put(`${scripts}/opencode.cmd`);
    assert.equal(findOpenCode({ platform: "win32", arch: "x64", path: join(folder, scripts), from }), executable);
  });
}

test("an executable on the path is taken, and that there is none is told", () => {
  const executable = put("bin/opencode");
  assert.equal(findOpenCode({ platform: "linux", arch: "x64", path: join(folder, "bin"), from }), executable);
  assert.throws(() => findOpenCode({ platform: "win32", arch: "x64", path: join(folder, "bin"), from }), /npm install opencode-ai/);
});

/** Makes a file, and returns its path. @param {string} path */
function put(path, content = "") {
  const place = join(folder, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, content);
  return place;
}
