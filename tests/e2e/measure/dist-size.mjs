// @ts-check
/** Sizes of what a build has made, compressed with brotli as it is served. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Without the parts, which the inbox does not need. */
const LOADED_FIRST = /(\.html|\.js|\.css|_bg\.wasm)$/;

/**
 * What the dashboard loads first.
 *
 * @param {string} dist
 * @returns {number} Bytes.
 */
export function firstLoadSize(dist) {
  const names = readdirSync(dist).filter((name) => LOADED_FIRST.test(name));
  return names.reduce((sum, name) => sum + compressedSize(join(dist, name)), 0);
}

/**
 * A file, or what a bundler takes for it.
 *
 * @param {string} path
 * @returns {number} Bytes.
 */
export function compressedSize(path) {
  return statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size;
}
