// @ts-check
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = mkdtempSync(join(tmpdir(), "switchboard-prepublish-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const script = fileURLToPath(new URL("./prepublish.mjs", import.meta.url));

test("npm publish says what is missing until the package tells where it comes from", () => {
  const repository = { type: "git", url: "git+https://example.org/switchboard.git" };
  const homepage = "https://example.org/switchboard";
  assert.match(publish({}).stderr, /it has no repository and homepage\. Set repository and homepage under \[workspace\.package\] in Cargo\.toml/);
  assert.match(publish({ repository }).stderr, /it has no homepage\./);
  assert.doesNotMatch(publish({ repository, homepage }).stderr, /Not published/);
});

/** What npm does before it publishes, without publishing. @param {object} links */
function publish(links) {
  const scripts = { prepublishOnly: `${JSON.stringify(process.execPath)} ${JSON.stringify(script)}` };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "prepublish-test", version: "0.0.1", ...links, scripts }));
  return spawnSync("npm", ["publish", "--dry-run"], { cwd: folder, encoding: "utf8" });
}
