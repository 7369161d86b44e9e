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
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import typescript from "../node_modules/typescript/lib/typescript.js";
import { demoScripts, startModel } from "../serve/model.mjs";
import { startOpenCode } from "../serve/opencode.mjs";
import { startCdn } from "./cdn/site.mjs";
import bundle from "./bundle/build.mjs";
import buildWithEsbuild, { slim as buildSlim } from "./esbuild/build.mjs";
import buildWithNext from "./next/build.mjs";
import buildWithReact from "./react/build.mjs";
import buildWithRollup from "./rollup/build.mjs";
import buildWithSvelte from "./svelte/build.mjs";
import buildWithVite from "./vite/build.mjs";
import buildWithWebpack from "./webpack/build.mjs";
import { startWorker } from "./workerd/serve.mjs";

/** Within it a cold Chromium starts, compiles the WebAssembly, connects, prompts, is asked, and answers. */
const PAGE_TIMEOUT_MS = 120_000;

/** For what few people use. */
const RARE = { skip: process.env.SWITCHBOARD_SOAK ? false : "in `cargo xtask soak`" };
const USUAL = {};

const here = fileURLToPath(new URL("./", import.meta.url));
const built = fileURLToPath(new URL("../../../dist/npm/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "switchboard-packaging-"));
const run = promisify(execFile);

/** What the reviewers of the README are to look for, and what they say. */
const reviews = Object.entries({ "Look for what an attacker could use.": "p: security\nv: GO", "Look for what is slow.": "p: performance\nv: NO-GO" });
const model = await startModel({ scripts: demoScripts() });
const server = await startOpenCode({ modelUrl: model.url, password: "" });
after(async () => {
  await server.stop();
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});
const place = { baseUrl: server.url, directory: server.directory };
const tarball = await pack();

test("no name that it exports is that of a global", () => {
  const entries = ["index", "slim", "node"].map((name) => join(built, `lib/${name}.d.ts`));
  const typeRoots = [join(here, "../node_modules/@types")];
  const program = typescript.createProgram(entries, { module: typescript.ModuleKind.NodeNext, lib: ["lib.esnext.d.ts", "lib.dom.d.ts"], types: ["node"], typeRoots });
  const checker = program.getTypeChecker();
  const { Type, Value } = typescript.SymbolFlags;
  for (const source of entries.map((entry) => program.getSourceFile(entry) ?? assert.fail(entry))) {
    const globals = new Set(checker.getSymbolsInScope(source, Type | Value).filter(isDeclaredElsewhere).map(({ name }) => name));
    assert.ok(globals.has("Request") && globals.has("Buffer"));
    const module = checker.getSymbolAtLocation(source) ?? assert.fail("it is no module");
    assert.deepEqual(checker.getExportsOfModule(module).map(({ name }) => name).filter((name) => globals.has(name)), []);
  }
});

test("its types are what they should be", async () => {
  await run(process.execPath, [join(here, "../node_modules/typescript/bin/tsc"), "--project", join(here, "types")]);
});

for (const [version, when] of /** @type {const} */ ([
  ["node_modules/typescript-5.4", USUAL],
  ["../node_modules/typescript", USUAL],
  ["node_modules/typescript-6", RARE],
  ["node_modules/typescript-7", RARE],
])) {
  test(`its declarations need nothing but the types of a browser, or of Node: ${version}`, when, async () => {
    const compiler = [join(here, version, "bin/tsc"), "--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false"];
    const [everywhere, node] = ["types/everywhere.ts", "types/node.ts"].map((name) => join(here, name));
    for (const resolution of [["--module", "NodeNext"], ["--module", "ESNext", "--moduleResolution", "Bundler"]]) {
      const rules = [...compiler, "--target", "ES2022", ...resolution];
      // Newer compilers refuse files where they find a configuration.
      await run(process.execPath, [...rules, "--lib", "ES2022,DOM", "--typeRoots", folder, everywhere], { cwd: folder });
      await run(process.execPath, [...rules, "--lib", "ES2022", "--typeRoots", join(here, "../node_modules/@types"), "--types", "node", everywhere, node], { cwd: folder });
    }
  });
}

test("publint finds nothing", async () => {
  await run(checker("publint"), ["run", tarball, "--strict"]);
});

test("arethetypeswrong finds nothing", async () => {
  await run(checker("attw"), [tarball, "--ignore-rules", "cjs-resolves-to-esm"]);
});

for (const [name, when, command] of /** @type {const} */ ([
  ["Node", USUAL, [process.execPath, "node/main.mjs"]],
  ["Node, slim", USUAL, [process.execPath, "node/slim.mjs"]],
  ["Deno", RARE, [bin("deno"), "run", "--allow-all", "--node-modules-dir=manual", "node/main.mjs"]],
  ["Bun", RARE, [bin("bun"), "node/main.mjs"]],
])) {
  test(`it works in ${name}`, when, async () => {
    const [program, ...parameters] = command;
    const env = { ...process.env, BASE_URL: place.baseUrl, DIRECTORY: place.directory };
    const { stdout } = await run(program, parameters, { cwd: here, env });
    assert.match(stdout, /You answered: Blue\./);
  });
}

test("in Node it reads its WebAssembly from the file, and never as text", async () => {
  const copy = join(mkdtempSync(join(folder, "node-")), "node_modules/opencode-switchboard");
  cpSync(join(here, "node_modules/opencode-switchboard"), copy, { recursive: true });
  rmSync(join(copy, "wasm/inlined.js"));
  for (const loading of ["", "await init();"]) {
    const program = `import init, { DeferredTracker } from "opencode-switchboard"; ${loading} console.log(new DeferredTracker().register("read"));`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program], { cwd: join(copy, "../..") });
    assert.equal(stdout, "1\n");
  }
});

for (const format of /** @type {const} */ (["esm", "cjs"])) {
  test(`it works in a program for Node that is bundled into one file: ${format}`, async () => {
    const file = join(mkdtempSync(join(folder, "bundle-")), format === "esm" ? "main.mjs" : "main.cjs");
    await bundle(file, format);
    const { stdout } = await run(process.execPath, [file]);
    assert.equal(stdout, "the WebAssembly is not beside the program: call `await init()` first\n1\n");
  });
}

test("it works in a Cloudflare Worker, where no WebAssembly is compiled at run time", RARE, async (t) => {
  const { url, stop } = await startWorker(mkdtempSync(join(folder, "worker-")));
  t.after(stop);
  const answer = await fetch(url, { method: "POST", body: JSON.stringify(place) });
  assert.match(await answer.text(), /You answered: Blue\./);
});

for (const [name, when, build] of /** @type {const} */ ([
  ["React, which follows a board and answers by a click", USUAL, buildWithReact],
  ["Svelte, which follows a board and answers by a click", RARE, buildWithSvelte],
  ["Vite", USUAL, buildWithVite],
  ["webpack", RARE, buildWithWebpack],
  ["esbuild", USUAL, buildWithEsbuild],
  ["esbuild, slim", USUAL, buildSlim],
  ["Rollup", RARE, buildWithRollup],
  ["Next.js", RARE, buildWithNext],
])) {
  test(`it works in a page built by ${name}`, when, async () => {
    const out = mkdtempSync(join(folder, "page-"));
    cpSync(join(here, "app/index.html"), join(out, "index.html"));
    await build(out);
    assert.match(await outcomeOf(out), /You answered: Blue\./);
  });
}

test("it works in a page that loads it from a content delivery network", async (t) => {
  const out = mkdtempSync(join(folder, "page-"));
  t.after(await startCdn(out));
  assert.match(await outcomeOf(out), /You answered: Blue\./);
});

test("the examples of the README do what they say", async () => {
  const readme = readFileSync(join(built, "README.md"), "utf8");
  const [prompts, answers, desks, reviews, jobs, calls, ...others] = [...readme.matchAll(/```js\n([^]*?)```/g)].map(([, program = ""]) => program);
  assert.deepEqual(others, []);
  assert.match(await outputOf(prompts), /^done You answered: Blue\.\nstalled\n$/);
  const ask = async () => {
    const session = await post("/session", {});
    await post(`/session/${session.id}/prompt_async`, { parts: [{ type: "text", text: "Ask me a question" }] });
  };
  await ask();
  assert.match(await outputOf(answers), /Which colour should the button have\?[^]*\nconfirmed\n$/);
  await ask();
  assert.match(await outputOf(desks), /^desktop: ready: the server cannot be reached: .*\n\[ 'laptop live', 'desktop offline' \]\nlaptop que_\w+\nconfirmed\n$/);
  assert.match(await outputOf(reviews), /^(0 GO\n1 NO-GO|1 NO-GO\n0 GO)\nNO-GO\n$/);
  // Of a prompt that it has no script for, the scripted agent says which ones it has.
  const told = await outputOf(jobs);
  assert.match(told, /^src \S[^]*^tests \S|^tests \S[^]*^src \S/m);
  assert.equal(told.match(/\*\*Ask me a question\*\*/g)?.length, 2);
  assert.equal(await outputOf(calls), "{ settled: 1, abandoned: [ 'write' ] }\n");
});

test("npx opencode-switchboard serves the dashboard", async (t) => {
  const { line } = serve(t, "--server", place.baseUrl);
  const [address = ""] = /http:\S+/.exec(await line(/http:/)) ?? [];
  const page = await fetch(address);
  assert.match(await page.text(), /<!doctype html>/i);
  assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/);
});

test("npx opencode-switchboard starts a demo, and says what a program connects to", async (t) => {
  const { line } = serve(t, "--demo-folder", mkdtempSync(join(folder, "demo-")));
  const [, directory = ""] = /a demo: .* in (.*)\)$/.exec(await line(/a demo/)) ?? [];
  const [, options = ""] = /connect\((.*)\)$/.exec(await line(/in a program/)) ?? [];
  const program = `
    import { connect } from "opencode-switchboard";
    const board = await connect(${options});
    const session = await board.createSession({ directory: ${JSON.stringify(directory)} });
    const reply = await session.prompt("Ask me a question", { onQuestion: () => [["Green"]] });
    console.log(reply.text);
    await board.close();`;
  assert.equal(await outputOf(program), "You answered: Green.\n");
});

/**
 * Runs the command of the package until the test has ended.
 *
 * @param {import("node:test").TestContext} t
 * @param {string[]} words
 */
function serve(t, ...words) {
  const program = spawn(bin("opencode-switchboard"), ["--port", "0", ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => program.once("close", resolve));
  t.after(() => {
    program.kill("SIGTERM");
    return ended;
  });
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  return {
    /** The next line that fits. @param {RegExp} pattern @returns {Promise<string>} */
    async line(pattern) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`it ended without a line like ${pattern}`);
      return pattern.test(value) ? value : this.line(pattern);
    },
  };
}

/** Runs an example of the README against our server, and returns what it prints. @param {string | undefined} example */
async function outputOf(example = "") {
  const program = example
    .replace("http://127.0.0.1:4096", place.baseUrl)
    // Nothing may listen there.
    .replace("http://127.0.0.1:4097", "http://127.0.0.1:1")
    .replace("/path/to/project", place.directory)
    .replace("cargo test", "false");
  const answering = (/** @type {string} */ prompt, /** @type {string} */ text) => JSON.stringify(`${prompt}\n${JSON.stringify({ steps: [{ text }] })}`);
  const scripted = reviews.reduce((program, [prompt, text]) => program.replace(JSON.stringify(prompt), answering(prompt, text)), program);
  return (await run(process.execPath, ["--input-type=module", "--eval", scripted], { cwd: here })).stdout;
}

/** Asks the server itself. @param {string} path @param {unknown} body */
async function post(path, body) {
  const headers = { "content-type": "application/json", "x-opencode-directory": place.directory };
  const response = await fetch(place.baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
  return response.status === 204 ? null : response.json();
}

/** Whether the language, the browser or Node has something. @param {import("typescript").Symbol} symbol */
function isDeclaredElsewhere({ declarations }) {
  return declarations?.some((declaration) => !declaration.getSourceFile().fileName.startsWith(built));
}

/** Packs what was built, and installs it here as anybody would. */
async function pack() {
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: built });
  const [{ filename }] = JSON.parse(stdout);
  const path = join(folder, filename);
  await run("npm", ["install", "--prefer-offline", "--no-save", "--no-package-lock", "--ignore-scripts", path], { cwd: here });
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
    const late = sleep(PAGE_TIMEOUT_MS, "the page told nothing", { ref: false });
    return String(await Promise.race([outcome, late, ended.then(() => "the browser ended")]));
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

/** What checks packages is beside the compiler. @param {string} name */
function checker(name) {
  return join(here, "../node_modules/.bin", name);
}
