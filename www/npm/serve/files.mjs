// @ts-check
/**
 * Serves the dashboard to browsers, and tells it which server to connect to.
 */
import { createServer } from "node:http";
import { openDist } from "./dist.mjs";
import { sendJson } from "./exchange.mjs";
import { hostCheck, originsOf } from "./hosts.mjs";
import { isSameUser } from "./same-user.mjs";

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src *",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types default",
].join("; ");

const SECURITY_HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/**
 * @typedef {object} Introduction What the page may read at `/demo.json`.
 * @property {string} server
 * @property {string} [username]
 * @property {string} [password]
 * @property {string} [directory]
 * @property {{ prompt: string, about: string }[]} [prompts]
 *
 * @typedef {object} Site
 * @property {string} url The first of `urls`.
 * @property {string[]} urls Where browsers find it: several when it listens on all addresses.
 * @property {() => Promise<void>} close
 */

/**
 * Serves a folder on a loopback address, or on another one when told.
 *
 * `/demo.json` answers as soon as the introduction is known, so a page may be opened while the demo starts.
 *
 * @param {object} options
 * @param {string} options.dist
 * @param {number} [options.port]
 * @param {string} [options.host]
 * @param {Promise<Introduction> | null} [options.introduction]
 * @returns {Promise<Site>}
 */
export async function startFiles({ dist, port = 0, host = "127.0.0.1", introduction = null }) {
  const find = openDist(dist);
  const isForUs = hostCheck(host);

  const server = createServer((request, response) => {
    serve(request, response).catch(() => refuse(response, 500, "the file could not be read"));
  });

  /**
   * @param {import("node:http").IncomingMessage} request
   * @param {import("node:http").ServerResponse} response
   */
  async function serve(request, response) {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    if (!isForUs(request.headers.host)) return refuse(response, 421, "this server answers to names of this machine only");
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      return refuse(response, 405, "only GET and HEAD");
    }
    const path = (request.url ?? "/").split(/[?#]/, 1)[0];
    if (path === "/demo.json") return introduce(request, response);

    const file = await find(path, String(request.headers["accept-encoding"] ?? ""));
    if (!file) return refuse(response, 404, "no such file");
    const isKnown = knows(request.headers["if-none-match"], file.headers.etag);
    if (isKnown) delete file.headers["content-length"];
    response.writeHead(isKnown ? 304 : 200, file.headers);
    response.end(isKnown || request.method === "HEAD" ? undefined : file.content);
  }

  /**
   * The answer may hold a password. A page of another origin cannot read it, for it has no CORS header; the checks
   * are there so that nothing depends on that alone.
   *
   * @param {import("node:http").IncomingMessage} request
   * @param {import("node:http").ServerResponse} response
   */
  async function introduce(request, response) {
    const site = request.headers["sec-fetch-site"] ?? "none";
    if (site !== "same-origin" && site !== "none") return refuse(response, 403, "only for the dashboard itself");
    if (!introduction) return refuse(response, 404, "no server is known here");
    const known = await introduction;
    if (known.password && !(await isSameUser(request.socket))) return refuse(response, 403, "only for the user who started it");
    return sendJson(response, 200, known);
  }

  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve(undefined));
  });
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  const urls = originsOf(host, address.port);
  return {
    url: urls[0],
    urls,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * @param {string | undefined} header
 * @param {string} tag
 */
function knows(header, tag) {
  return (header ?? "").split(",").some((known) => known.trim().replace(/^W\//, "") === tag);
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {number} status
 * @param {string} why
 */
function refuse(response, status, why) {
  if (response.headersSent) return response.destroy();
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
  response.end(`${why}\n`);
}
