// @ts-check
/**
 * Finds the files of a folder for a static server: type, best encoding, entity tag, how long to keep.
 *
 * A file may be there in brotli alone: it is unpacked for clients that cannot do that themselves.
 */
import { createHash } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";

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
   * @param {Found} found
   * @param {boolean} unpack
   */
  async function read({ path, facts }, unpack) {
    const version = `${facts.mtimeMs} ${facts.size} ${unpack}`;
    const known = cache.get(path);
    if (known?.version === version) return known;
    const raw = await readFile(path);
    const content = unpack ? await promisify(brotliDecompress)(raw) : raw;
    const tag = createHash("sha256").update(content).digest("base64url").slice(0, 22);
    const file = { version, content, tag };
    cache.set(path, file);
    return file;
  }

  return async (requestPath, acceptEncoding) => {
    const plain = await locate(folder, requestPath);
    if (!plain) return null;
    const type = TYPES[extname(plain.path)] ?? "application/octet-stream";
    const { packed } = plain;
    const accepted = acceptedBy(acceptEncoding);
    const encoded = packed ? (accepted.includes("br") ? { name: "br", ...packed } : null) : await firstEncoded(plain, accepted);
    const { content, tag } = await read(encoded ?? packed ?? plain, packed !== undefined && !encoded);
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
 * @typedef {{ path: string, facts: import("node:fs").Stats }} Found
 *
 * @param {string} folder
 * @param {string} requestPath Still percent-encoded.
 * @returns {Promise<Found & { packed?: Found } | null>} The file; `packed` where it is there in brotli alone.
 */
async function locate(folder, requestPath) {
  const names = decode(requestPath)?.split("/").filter((name) => name !== "");
  if (!names || names.some((name) => name.startsWith(".") || /[\\\0:]/.test(name))) return null;
  const path = join(folder, ...(names.length > 0 ? names : ["index.html"]));
  const plain = await fileAt(folder, path);
  if (plain) return plain;
  const packed = await fileAt(folder, `${path}.br`);
  return packed && { ...packed, path, packed };
}

/**
 * @param {string} folder
 * @param {string} wanted
 * @returns {Promise<Found | null>}
 */
async function fileAt(folder, wanted) {
  try {
    const [root, path] = [await realpath(folder), await realpath(wanted)];
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
 * The encodings that a client takes.
 *
 * @param {string} acceptEncoding
 */
function acceptedBy(acceptEncoding) {
  return acceptEncoding
    .split(",")
    .map((entry) => entry.split(";").map((piece) => piece.trim().toLowerCase()))
    .filter(([, quality]) => quality !== "q=0")
    .map(([name]) => name);
}

/**
 * Returns the compressed neighbour of a file that the client takes, unless it is older than the file.
 *
 * @param {Found} plain
 * @param {string[]} accepted
 */
async function firstEncoded(plain, accepted) {
  for (const { name, suffix } of ENCODINGS) {
    if (!accepted.includes(name)) continue;
    const path = plain.path + suffix;
    const facts = await stat(path).catch(() => null);
    if (facts?.isFile() && facts.mtimeMs >= plain.facts.mtimeMs) return { name, path, facts };
  }
  return null;
}
