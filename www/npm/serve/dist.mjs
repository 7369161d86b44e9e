// @ts-check
/**
 * Finds the files of a folder for a static server: type, best encoding, entity tag, how long to keep.
 */
import { createHash } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";

/** @type {Record<string, string>} */
const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

const ENCODINGS = [
  { name: "br", suffix: ".br" },
  { name: "gzip", suffix: ".gz" },
];

/** Names that change whenever their content does. */
const HASHED_NAME = /-[0-9a-f]{8,}(_bg)?\.[a-z0-9]+$/;

/**
 * @typedef {object} StaticFile
 * @property {Buffer} content
 * @property {Record<string, string>} headers
 */

/**
 * Returns a function that finds a file by the path of a request, or `null`.
 *
 * Only files inside the folder are found; names that begin with a dot are not.
 *
 * @param {string} folder
 * @returns {(path: string, acceptEncoding: string) => Promise<StaticFile | null>}
 */
export function openDist(folder) {
  /** @type {Map<string, { version: string, content: Buffer, tag: string }>} */
  const cache = new Map();

  /**
   * @param {string} path
   * @param {import("node:fs").Stats} facts
   */
  async function read(path, facts) {
    const version = `${facts.mtimeMs} ${facts.size}`;
    const known = cache.get(path);
    if (known?.version === version) return known;
    const content = await readFile(path);
    const tag = createHash("sha256").update(content).digest("base64url").slice(0, 22);
    const file = { version, content, tag };
    cache.set(path, file);
    return file;
  }

  return async (requestPath, acceptEncoding) => {
    const plain = await locate(folder, requestPath);
    if (!plain) return null;
    const type = TYPES[extname(plain.path)] ?? "application/octet-stream";
    const encoded = await firstEncoded(plain, acceptEncoding);
    const { content, tag } = await read(encoded?.path ?? plain.path, encoded?.facts ?? plain.facts);
    /** @type {Record<string, string>} */
    const headers = {
      "content-type": type,
      "content-length": String(content.length),
      etag: `"${tag}"`,
      vary: "accept-encoding",
      "cache-control": HASHED_NAME.test(plain.path) ? "public, max-age=31536000, immutable" : "no-cache",
    };
    if (encoded) headers["content-encoding"] = encoded.name;
    return { content, headers };
  };
}

/**
 * @param {string} folder
 * @param {string} requestPath Still percent-encoded.
 */
async function locate(folder, requestPath) {
  const names = decode(requestPath)?.split("/").filter((name) => name !== "");
  if (!names || names.some((name) => name.startsWith(".") || /[\\\0:]/.test(name))) return null;
  try {
    const root = await realpath(folder);
    const path = await realpath(join(root, ...(names.length > 0 ? names : ["index.html"])));
    if (!path.startsWith(root + sep)) return null;
    const facts = await stat(path);
    return facts.isFile() ? { path, facts } : null;
  } catch {
    return null;
  }
}

/** @param {string} path */
function decode(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

/**
 * Returns the compressed neighbour of a file that the client takes, unless it is older than the file.
 *
 * @param {{ path: string, facts: import("node:fs").Stats }} plain
 * @param {string} acceptEncoding
 */
async function firstEncoded(plain, acceptEncoding) {
  const accepted = acceptEncoding
    .split(",")
    .map((entry) => entry.split(";").map((piece) => piece.trim().toLowerCase()))
    .filter(([, quality]) => quality !== "q=0")
    .map(([name]) => name);
  for (const { name, suffix } of ENCODINGS) {
    if (!accepted.includes(name)) continue;
    const path = plain.path + suffix;
    const facts = await stat(path).catch(() => null);
    if (facts?.isFile() && facts.mtimeMs >= plain.facts.mtimeMs) return { name, path, facts };
  }
  return null;
}
