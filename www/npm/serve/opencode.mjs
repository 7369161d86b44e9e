// @ts-check
/**
 * Starts a real OpenCode server with a folder, a home and a password of its own.
 */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, realpathSync, mkdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { findOpenCode } from "./binary.mjs";
import { startChild } from "./child.mjs";
import { prepareFolder } from "./folder.mjs";

const execute = promisify(execFile);

const START_TIMEOUT_MS = 60_000;
const PROBE_TIMEOUT_MS = 500;
const PROBE_PAUSE_MS = 50;

/**
 * @typedef {object} OpenCodeOptions
 * @property {string} modelUrl Where the scripted model listens.
 * @property {string} [folder] Kept when given. Defaults to a fresh one that is removed at the end.
 * @property {number} [port] Defaults to a free one.
 * @property {string} [password] Defaults to a random one; an empty one means none.
 * @property {string[]} [cors] Origins that may use it besides those of this machine.
 * @property {NodeJS.ProcessEnv} [env] Added to its environment.
 *
 * @typedef {object} OpenCode
 * @property {string} url
 * @property {string} username
 * @property {string} password
 * @property {string} folder
 * @property {string} directory The repository it works in.
 * @property {string} version
 * @property {() => number | undefined} pid
 * @property {() => Promise<void>} stop Ends it and removes a folder that was made for it. Twice is fine.
 * @property {() => Promise<void>} kill Ends it as a crash would: at once, with everything it started.
 * @property {(...parameters: string[]) => Promise<void>} run Runs another command of the program, on the same data. Rejects when it fails.
 * @property {() => Promise<void>} restart Kills it if it runs, and starts it again: same port, same password, same data.
 */

/**
 * Starts the server and resolves when it answers.
 *
 * @param {OpenCodeOptions} options
 * @returns {Promise<OpenCode>}
 */
export async function startOpenCode({ modelUrl, folder, port, password, cors = [], env = {} }) {
  const program = findOpenCode();
  if (folder) mkdirSync(folder, { recursive: true });
  const home = realpathSync(folder ?? mkdtempSync(join(tmpdir(), "switchboard-")));
  const place = prepareFolder(home, modelUrl);
  const username = "opencode";
  const secret = password ?? randomBytes(18).toString("base64url");
  const chosenPort = port || (await freePort());
  const url = `http://127.0.0.1:${chosenPort}`;
  const parameters = ["serve", "--hostname", "127.0.0.1", "--port", String(chosenPort), ...cors.flatMap((origin) => ["--cors", origin])];
  const environment = {
    ...withoutOpenCode(process.env),
    ...place.env,
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    NO_PROXY: "127.0.0.1,localhost",
    no_proxy: "127.0.0.1,localhost",
    ...(secret ? { OPENCODE_SERVER_USERNAME: username, OPENCODE_SERVER_PASSWORD: secret } : {}),
    ...env,
  };

  const start = () => startChild(program, parameters, { cwd: place.directory, env: environment });
  const removeFolder = () => folder || rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  let child = start();
  const authorization = secret ? basicAuthorization(username, secret) : null;
  const version = await untilHealthy(url, authorization, child).catch((error) => {
    removeFolder();
    throw error;
  });

  return {
    url,
    username,
    password: secret,
    folder: home,
    directory: place.directory,
    version,
    pid: () => child.pid,
    async stop() {
      await child.stop();
      removeFolder();
    },
    kill: () => child.kill(),
    run: async (...parameters) => void (await execute(program, parameters, { cwd: place.directory, env: environment })),
    async restart() {
      await child.kill();
      child = start();
      await untilHealthy(url, authorization, child);
    },
  };
}

/**
 * Returns the value of an `Authorization` header.
 *
 * @param {string} username
 * @param {string} password
 */
export function basicAuthorization(username, password) {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** The user's own OpenCode settings must not reach ours. @param {NodeJS.ProcessEnv} env */
function withoutOpenCode(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("OPENCODE")));
}

/**
 * Resolves with the version once the server answers.
 *
 * A request that arrives while the server starts is never answered, so each probe is short and a new one follows.
 *
 * @param {string} url
 * @param {string | null} authorization
 * @param {import("./child.mjs").Child} child
 * @returns {Promise<string>}
 */
async function untilHealthy(url, authorization, child) {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (child.isRunning() && Date.now() < deadline) {
    try {
      const headers = authorization ? { authorization } : undefined;
      const response = await fetch(`${url}/global/health`, { headers, signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
      const health = await response.json();
      if (health.healthy) return health.version;
    } catch {
      // Not there yet.
    }
    await sleep(PROBE_PAUSE_MS);
  }
  const why = child.isRunning() ? `did not answer within ${START_TIMEOUT_MS / 1000} s` : "ended while it started";
  await child.kill();
  throw new Error(`OpenCode ${why}: ${child.output() || "it printed nothing"}`);
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}
