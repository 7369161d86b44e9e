// @ts-check
/** Counts the requests to a server, and the bytes that it sends as they are on the wire: headers, framing and compression included. */
import { connect, createServer } from "node:net";

/**
 * @typedef {{ bytes: number, requests: number }} Traffic
 *
 * @typedef {object} Meter
 * @property {string} url
 * @property {() => Traffic} read What came through so far.
 * @property {() => Promise<void>} close
 */

/** The first line of a request. Browsers send the next one of a connection only after the response. */
const REQUEST_LINE = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \S+ HTTP\/1\.1\r\n/;

/**
 * Starts a meter in front of a server.
 *
 * @param {string} target
 * @returns {Promise<Meter>}
 */
export async function startMeter(target) {
  const { hostname, port } = new URL(target);
  /** @type {Traffic} */
  const traffic = { bytes: 0, requests: 0 };
  /** @type {Set<import("node:net").Socket>} */
  const sockets = new Set();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    client.on("data", (data) => {
      if (REQUEST_LINE.test(data.toString("latin1"))) traffic.requests += 1;
    });
    upstream.on("data", (data) => {
      traffic.bytes += data.length;
    });
    client.pipe(upstream).pipe(client);
    for (const [socket, other] of [[client, upstream], [upstream, client]]) {
      sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${address.port}`,
    read: () => ({ ...traffic }),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
