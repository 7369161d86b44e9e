// @ts-check
/**
 * Reads the command line.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { isLoopbackName } from "./loopback.mjs";

/**
 * An unusual port: all programs that are served on a port of this machine, one after the other, share what the browser
 * keeps for it, passwords included.
 */
const PORT = "7923";

export const USAGE = `usage: opencode-switchboard [--server URL] [--port ${PORT}] [--host 127.0.0.1] [--demo-folder DIR] [--dist DIR]`;

/** Where the package has the dashboard. */
const DASHBOARD = fileURLToPath(new URL("../dashboard", import.meta.url));

/** A mistake of the person who typed the command. */
export class ArgumentError extends Error {}

/**
 * @typedef {object} Arguments
 * @property {string} dist
 * @property {number} port
 * @property {string} host
 * @property {string | null} server
 * @property {string | null} demoFolder Where a demo is to be started, whatever else runs here.
 * @property {boolean} help
 */

/**
 * Returns what was asked for.
 *
 * @param {string[]} words
 * @returns {Arguments}
 */
export function readArguments(words) {
  const values = parse(words);
  const host = (values.host ?? "127.0.0.1").replace(/^\[|\]$/g, "");
  if (!isLoopbackName(host) && values.server === undefined) {
    throw new ArgumentError(`--host ${host} lets browsers elsewhere in, which cannot reach an OpenCode of this machine alone; name one they can reach with --server`);
  }
  return {
    dist: values.dist ?? DASHBOARD,
    help: values.help ?? false,
    port: readPort(values.port ?? PORT),
    host,
    server: values.server === undefined ? null : readServer(values.server),
    demoFolder: values["demo-folder"] ?? null,
  };
}

/** @param {string[]} words */
function parse(words) {
  try {
    const text = /** @type {const} */ ({ type: "string" });
    const flag = /** @type {const} */ ({ type: "boolean", short: "h" });
    return parseArgs({ args: words, options: { dist: text, port: text, host: text, server: text, "demo-folder": text, help: flag } }).values;
  } catch (error) {
    const [sentence] = (error instanceof Error ? error.message : String(error)).split(/[.\n]/);
    throw new ArgumentError(`${sentence}; ${USAGE}`);
  }
}

/** @param {string} text */
function readPort(text) {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) throw new ArgumentError(`--port ${text} is not a port; give a number from 0 to 65535`);
  return port;
}

/** @param {string} text */
function readServer(text) {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol)) throw new ArgumentError(`--server ${text} is not an address; give one like http://127.0.0.1:4096`);
  if (url.username || url.password) throw new ArgumentError("--server must not hold a password; the page asks for it");
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}
