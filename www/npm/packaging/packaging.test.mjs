// @ts-check
/**
 * The package as people get it: packed, installed, and used by one tiny project per bundler and runtime, against a real OpenCode.
 */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startModel } from "../serve/model.mjs";
import { startOpenCode } from "../serve/opencode.mjs";
import buildWithEsbuild, { slim as buildSlim } from "./esbuild/build.mjs";
import buildWithRollup from "./rollup/build.mjs";
import buildWithVite from "./vite/build.mjs";
import buildWithWebpack from "./webpack/build.mjs";

const here = fileURLToPath(new URL("./", import.meta.url));
const built = fileURLToPath(new URL("../../../dist/npm/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "switchboard-packaging-"));
const run = promisify(execFile);

const model = await startModel();
const server = await startOpenCode({ modelUrl: model.url, password: "" });
after(async () => {
  await server.stop();
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});
const place = { baseUrl: server.url, directory: server.directory };
const tarball = await pack();

test("its types are what they should be", async () => {
  await run(process.execPath, [join(here, "../node_modules/typescript/bin/tsc"), "--project", join(here, "types")]);
});

test("publint finds nothing", async () => {
  await run(bin("publint"), ["run", tarball, "--strict"]);
});

test("arethetypeswrong finds nothing", async () => {
  await run(bin("attw"), [tarball, "--profile", "esm-only", "--exclude-entrypoints", "switchboard.wasm"]);
});

for (const [name, command] of /** @type {const} */ ([
  ["Node", [process.execPath, "node/main.mjs"]],
  ["Node, slim", [process.execPath, "node/slim.mjs"]],
  ["Deno", [bin("deno"), "run", "--allow-all", "--node-modules-dir=manual", "node/main.mjs"]],
  ["Bun", [bin("bun"), "node/main.mjs"]],
])) {
  test(`it works in ${name}`, async () => {
    const [program, ...parameters] = command;
    const env = { ...process.env, BASE_URL: place.baseUrl, DIRECTORY: place.directory };
    const { stdout } = await run(program, parameters, { cwd: here, env });
    assert.match(stdout, /You answered: Blue\./);
  });
}

for (const [name, build] of /** @type {const} */ ([
  ["Vite", buildWithVite],
  ["webpack", buildWithWebpack],
  ["esbuild", buildWithEsbuild],
  ["esbuild, slim", buildSlim],
  ["Rollup", buildWithRollup],
])) {
  test(`it works in a page built by ${name}`, async () => {
    const out = mkdtempSync(join(folder, "page-"));
    cpSync(join(here, "app/index.html"), join(out, "index.html"));
    await build(out);
    assert.match(await outcomeOf(out), /You answered: Blue\./);
  });
}

test("npx opencode-switchboard serves the dashboard", async () => {
  const program = spawn(bin("opencode-switchboard"), ["--server", place.baseUrl, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const line = await new Promise((resolve) => program.stdout.once("data", (piece) => resolve(String(piece))));
    const [address = ""] = /http:\S+/.exec(line) ?? [];
    const page = await fetch(address);
    assert.match(await page.text(), /<!doctype html>/i);
    assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
    assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  } finally {
    program.kill("SIGTERM");
  }
});

/** Packs what was built, and installs it here as anybody would. */
async function pack() {
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: built });
  const [{ filename }] = JSON.parse(stdout);
  const path = join(folder, filename);
  await run("npm", ["install", "--no-save", "--no-package-lock", "--ignore-scripts", path], { cwd: here });
  return path;
}

/** Opens a page in Chromium, and returns what it posts. @param {string} out @returns {Promise<string>} */
async function outcomeOf(out) {
  /** @type {(outcome: string) => void} */
  let tell = () => {};
  const outcome = new Promise((resolve) => (tell = resolve));
  const site = createServer((request, response) => {
    if (request.method === "POST") {
      let body = "";
      request.on("data", (piece) => (body += piece));
      request.on("end", () => {
        response.end();
        tell(body);
      });
      return;
    }
    if (request.url === "/place.json") return response.end(JSON.stringify(place));
    const name = request.url === "/" ? "index.html" : String(request.url).slice(1);
    const type = { js: "text/javascript", html: "text/html", wasm: "application/wasm" }[name.split(".").at(-1) ?? ""];
    try {
      response.setHeader("content-type", type ?? "text/plain");
      response.end(readFileSync(join(out, name)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => site.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (site.address());
  const profile = mkdtempSync(join(folder, "profile-"));
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage"];
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", `--user-data-dir=${profile}`];
  const browser = spawn("chromium", [...flags, ...quiet, `http://127.0.0.1:${port}/`], { stdio: "ignore" });
  const ended = new Promise((resolve) => browser.once("close", resolve));
  try {
    return String(await Promise.race([outcome, ended.then(() => "the browser ended")]));
  } finally {
    browser.kill("SIGTERM");
    await ended;
    site.closeAllConnections();
    site.close();
  }
}

/** @param {string} name */
function bin(name) {
  return join(here, "node_modules/.bin", name);
}
