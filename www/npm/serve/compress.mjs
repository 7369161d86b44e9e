// @ts-check
/**
 * Writes a gzip and a brotli copy beside each file of a folder (not of those below it) that gets smaller by it, for servers to send as they are.
 *
 *     node compress.mjs dist
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const COMPRESSIBLE = new Set([".css", ".html", ".js", ".json", ".svg", ".ts", ".txt", ".wasm", ".webmanifest"]);

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node compress.mjs FOLDER");
  process.exit(1);
}
for (const entry of await readdir(folder, { withFileTypes: true })) {
  if (entry.isFile() && COMPRESSIBLE.has(extname(entry.name))) await compress(join(folder, entry.name));
}

/** @param {string} path */
async function compress(path) {
  const content = await readFile(path);
  const copies = {
    gz: await promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
    br: await promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
  };
  for (const [ending, copy] of Object.entries(copies)) {
    if (copy.length < content.length) await writeFile(`${path}.${ending}`, copy);
  }
}
