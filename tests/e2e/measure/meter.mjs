// @ts-check
/** Counts the bytes that a server sends, as they are on the wire: headers, framing and compression included. */
import { connect, createServer } from "node:net";

/**
 * @typedef {{ events: number, rest: number }} Bytes Of the event stream, and of everything else.
 *
 * @typedef {object} Meter
 * @property {string} url
 * @property {() => Bytes} read The bytes so far.
 * @property {() => Promise<void>} close
 */

/**
 * Starts a meter in front of a server.
 *
 * @param {string} target
 * @returns {Promise<Meter>}
 */
export async function startMeter(target) {
  const { hostname, port } = new URL(target);
  /** @type {Bytes} */
  const bytes = { events: 0, rest: 0 };
  /** @type {Set<import("node:net").Socket>} */
  const sockets = new Set();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    /** @type {keyof Bytes} */
    let kind = "rest";
    client.on("data", (data) => {
      if (/GET \/(global\/)?event/.test(data.toString("latin1"))) kind = "events";
    });
    upstream.on("data", (data) => {
      bytes[kind] += data.length;
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
    read: () => ({ ...bytes }),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
