// @ts-check
import assert from "node:assert/strict";
import { Agent, createServer, request } from "node:http";
import { test } from "node:test";
import { startMeter } from "./meter.mjs";

test("each request is counted, also on one connection, and each byte that the server sends", async (t) => {
  /** @type {import("node:net").Socket[]} */
  const sockets = [];
  const server = createServer((_, response) => response.end("x".repeat(1000)));
  server.on("connection", (socket) => sockets.push(socket));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  t.after(() => server.close());
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const meter = await startMeter(`http://127.0.0.1:${port}`);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** @param {string} method @param {string} [body] */
  const send = (method, body) =>
    new Promise((resolve, reject) => {
      const sending = request(meter.url, { method, agent }, (response) => response.resume().on("end", resolve));
      sending.on("error", reject).end(body);
    });
  await send("GET");
  await send("POST", "{}");
  await send("OPTIONS");
  const { requests, bytes } = meter.read();
  const sent = sockets.reduce((sum, socket) => sum + socket.bytesWritten, 0);
  agent.destroy();
  await meter.close();
  assert.equal(requests, 3);
  assert.equal(bytes, sent);
});
