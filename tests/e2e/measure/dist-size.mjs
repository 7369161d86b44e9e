// @ts-check
/** The size of what the dashboard loads first, compressed with brotli as it is served. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const LOADED_FIRST = /\.(html|js|wasm|css)$/;

/**
 * @param {string} dist
 * @returns {number} Bytes.
 */
export function firstLoadSize(dist) {
  const sizes = readdirSync(dist)
    .filter((name) => LOADED_FIRST.test(name))
    .map((name) => {
      const compressed = join(dist, `${name}.br`);
      return statSync(existsSync(compressed) ? compressed : join(dist, name)).size;
    });
  return sizes.reduce((sum, size) => sum + size, 0);
}
