// @ts-check
/** A proxy that names a temporary folder as a person's home would be named, so that the pictures show sensible paths. */
import { createServer, request as sendRequest } from "node:http";

/**
 * Starts it in front of a server.
 *
 * @param {{ target: string, folder: string, shown: string }} options
 * @returns {Promise<{ port: number, close: () => Promise<void> }>}
 */
export async function startDisguise({ target, folder, shown }) {
  const { hostname, port } = new URL(target);
  const uncover = (/** @type {string} */ text) => text.replaceAll(shown, folder).replaceAll(encodeURIComponent(shown), encodeURIComponent(folder));
  const cover = (/** @type {string} */ text) => text.replaceAll(folder, shown);

  const server = createServer((request, response) => {
    const { "accept-encoding": _, ...headers } = request.headers;
    const directory = headers["x-opencode-directory"];
    if (directory) headers["x-opencode-directory"] = uncover(String(directory));
    const sent = sendRequest({ hostname, port, method: request.method, path: uncover(request.url ?? "/"), headers }, (reply) => {
      const { "content-length": __, ...kept } = reply.headers;
      response.writeHead(reply.statusCode ?? 502, kept);
      let line = "";
      reply.setEncoding("utf8");
      reply.on("data", (data) => {
        const known = line + data;
        const end = known.lastIndexOf("\n") + 1;
        if (end > 0) response.write(cover(known.slice(0, end)));
        line = known.slice(end);
      });
      reply.on("end", () => response.end(cover(line)));
    });
    sent.on("error", () => response.destroy());
    response.on("close", () => sent.destroy());
    request.pipe(sent);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    port: address.port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
