// @ts-check
/** A server that is not the OpenCode we speak to: too old, too new, or something else. */
import { createServer } from "node:http";

/**
 * @typedef {{ status?: number, location?: string, json?: unknown, html?: string }} Reply
 */

/**
 * Starts a server with these replies; other paths get `otherwise`.
 *
 * @param {{ replies?: Record<string, Reply>, otherwise: Reply, cors?: boolean }} options
 */
export async function startStub({ replies = {}, otherwise, cors = true }) {
  /** @type {import("node:http").IncomingHttpHeaders[]} */
  const seen = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    const { status = 200, location, json, html = "" } = replies[(request.url ?? "/").split("?")[0]] ?? otherwise;
    if (cors) {
      response.setHeader("access-control-allow-origin", request.headers.origin ?? "*");
      response.setHeader("access-control-allow-headers", request.headers["access-control-request-headers"] ?? "*");
    }
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    if (location) response.setHeader("location", location);
    response.writeHead(status, { "content-type": json === undefined ? "text/html" : "application/json" });
    response.end(json === undefined ? html : JSON.stringify(json));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    /** The headers of all that came. */
    seen,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
