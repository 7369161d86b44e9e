#!/usr/bin/env node
// @ts-check
/**
 * Serves the dashboard and connects it: to the server that was named, to one that runs here, or to a demo of its own.
 */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ArgumentError, USAGE, readArguments } from "./arguments.mjs";
import { startFiles } from "./files.mjs";
import { isLoopbackName } from "./loopback.mjs";
import { demoScripts, startModel } from "./model.mjs";
import { startOpenCode } from "./opencode.mjs";

const USUAL_SERVER = "http://127.0.0.1:4096";
const PROBE_TIMEOUT_MS = 700;

/** @type {(() => Promise<void>)[]} What to end, the newest first. */
const started = [];

for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.once(signal, () => end(0));

try {
  await run();
} catch (error) {
  console.error(explain(error));
  await end(1);
}

async function run() {
  const wanted = readArguments(process.argv.slice(2));
  if (wanted.help) return console.log(USAGE);
  const hasPage = ["index.html", "index.html.br"].some((name) => existsSync(join(wanted.dist, name)));
  if (!hasPage) throw new ArgumentError(`there is no dashboard in ${wanted.dist}; build it first with: cargo xtask build`);
  /** @type {(introduction: import("./files.mjs").Introduction) => void} */
  let introduce = () => {};
  const known = new Promise((resolve) => (introduce = resolve));
  const site = await startFiles({ ...wanted, introduction: known });
  started.unshift(site.close);
  const { introduction, about } = await chooseServer(wanted);
  introduce(introduction);
  for (const url of site.urls) console.log(`${url}/?server=${introduction.server}  (${about})`);
  if (introduction.password) console.log(`in a program: connect({ baseUrl: "${introduction.server}", password: "${introduction.password}" })`);
  if (!isLoopbackName(wanted.host)) console.log(reachOf(site));
}

/**
 * @param {import("./arguments.mjs").Arguments} wanted
 * @returns {Promise<{ introduction: import("./files.mjs").Introduction, about: string }>}
 */
async function chooseServer(wanted) {
  if (wanted.server) return { introduction: { server: wanted.server }, about: "the server you named" };
  if (!wanted.demoFolder && (await answers(USUAL_SERVER))) return { introduction: { server: USUAL_SERVER }, about: "the OpenCode that runs here" };

  const scripts = demoScripts();
  const model = await startModel({ scripts });
  started.unshift(model.close);
  const server = await startOpenCode({ modelUrl: model.url, folder: wanted.demoFolder ?? demoFolder() });
  started.unshift(server.stop);
  const prompts = scripts.map(({ prompt = "", about = "" }) => ({ prompt, about }));
  return {
    introduction: { server: server.url, username: server.username, password: server.password, directory: server.directory, prompts },
    about: `a demo: OpenCode ${server.version} with a scripted model, in ${server.directory}`,
  };
}

/**
 * Returns whether an OpenCode answers there; one that wants a password counts.
 *
 * @param {string} url
 */
async function answers(url) {
  try {
    const response = await fetch(`${url}/global/health`, { redirect: "error", signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    if (response.status === 401) return true;
    return (await response.json()).healthy === true;
  } catch {
    return false;
  }
}

/**
 * Tells who can open the page, and what they need.
 *
 * @param {import("./files.mjs").Site} site
 */
function reachOf(site) {
  const origins = site.urls.map((url) => `--cors ${url}`).join(" ");
  return `Everybody who can reach one of these addresses can open the page, and nothing on the way is encrypted. The page knows no password, and asks for that of the server.
OpenCode lets the page in when it is started with: opencode serve ${origins}`;
}

/** The demo keeps its sessions: in the repository when run from there, else where programs keep their data. */
function demoFolder() {
  const repository = fileURLToPath(new URL("../../../", import.meta.url));
  if (existsSync(join(repository, "xtask"))) return join(repository, "target", "demo");
  return join(process.env.XDG_DATA_HOME ?? join(homedir(), ".local", "share"), "opencode-switchboard", "demo");
}

/** @param {unknown} error */
function explain(error) {
  const { code, message, port } = /** @type {NodeJS.ErrnoException & { port?: number }} */ (error);
  if (code === "EADDRINUSE") return `port ${port} is in use; end the program that has it, or choose another one with --port`;
  if (code === "EACCES" && port) return `port ${port} needs more rights; choose one above 1023 with --port`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return "this machine does not have the address given with --host; leave --host out";
  return message ?? String(error);
}

/** @param {number} exitCode */
async function end(exitCode) {
  for (const close of started) await close().catch(() => {});
  process.exit(exitCode);
}
