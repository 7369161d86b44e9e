// @ts-check
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { startFaultProxy } from "./fault-proxy.mjs";

const ORIGIN = "http://127.0.0.1:8080";

/** @param {import("node:test").TestContext} t */
async function start(t) {
  let applied = 0;
  const target = createServer((request, response) => {
    const cors = { "access-control-allow-origin": request.headers.origin ?? "*" };
    if (request.url === "/event") {
      response.writeHead(200, { ...cors, "content-type": "text/event-stream" });
      const timer = setInterval(() => response.write("data: {}\n\n"), 20);
      response.on("close", () => clearInterval(timer));
      return;
    }
    if (request.method === "POST") applied += 1;
    response.writeHead(200, { ...cors, "content-type": "application/json" });
    response.end(JSON.stringify({ path: request.url }));
  });
  await new Promise((resolve) => target.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (target.address());
  const proxy = await startFaultProxy({ target: `http://127.0.0.1:${port}`, seed: 7 });
  t.after(async () => {
    await proxy.close();
    target.closeAllConnections();
    target.close();
  });
  const call = (/** @type {string} */ path, /** @type {RequestInit} */ init = {}) =>
    fetch(proxy.url + path, { ...init, headers: { origin: ORIGIN, ...init.headers } });
  return { proxy, call, applied: () => applied };
}

test("without faults it is not noticed", async (t) => {
  const { call } = await start(t);
  const response = await call("/question?directory=/a");
  assert.equal(response.headers.get("access-control-allow-origin"), ORIGIN);
  assert.deepEqual(await response.json(), { path: "/question?directory=/a" });
});

test("a share of the calls fails, the same for the same seed, readable by the page", async (t) => {
  const { proxy, call, applied } = await start(t);
  proxy.set({ failing: 1 / 3 });
  const statuses = [];
  for (let i = 0; i < 30; i += 1) {
    const response = await call("/x", { method: "POST" });
    assert.equal(response.headers.get("access-control-allow-origin"), ORIGIN);
    await response.text();
    statuses.push(response.status);
  }
  const failed = statuses.filter((status) => status === 500).length;
  assert.ok(failed > 4 && failed < 16, `${failed} of 30`);
  assert.equal(applied(), 30 - failed);
});

test("a lost reply was applied", async (t) => {
  const { proxy, call, applied } = await start(t);
  proxy.set({ losing: 1 });
  await assert.rejects(call("/question/que_1/reply", { method: "POST", body: "{}" }));
  assert.equal(applied(), 1);
  assert.equal((await call("/question/que_1/reply", { method: "POST", body: "{}" })).status, 200);
  assert.equal(proxy.exchanges[0].outcome, "lost");
});

test("garbled bodies are no JSON", async (t) => {
  const { proxy, call } = await start(t);
  proxy.set({ garbling: 1 });
  for (let i = 0; i < 12; i += 1) await assert.rejects(call("/question").then((response) => response.json()));
  assert.deepEqual(new Set(proxy.exchanges.map((exchange) => exchange.outcome)), new Set(["garbage", "truncated", "html"]));
});

test("what the server says is altered", async (t) => {
  const { call, proxy } = await start(t);
  proxy.set({ altered: (path, body) => body.replace("/a", `ä ${path}`) });
  assert.equal((await (await call("/a")).json()).path, "ä /a");
});

test("one directory hangs and the others do not", async (t) => {
  const { proxy, call } = await start(t);
  proxy.set({ hangingDirectory: "/a b" });
  const gaveUp = { signal: AbortSignal.timeout(200) };
  await assert.rejects(call("/question?directory=/a%20b", gaveUp), /timeout/i);
  await assert.rejects(call("/question", { ...gaveUp, headers: { "x-opencode-directory": "/a%20b" } }));
  assert.equal((await call("/question?directory=/c")).status, 200);
});

test("held requests go on when they are released", async (t) => {
  const { proxy, call } = await start(t);
  proxy.set({ held: /message/ });
  const held = call("/session/1/message");
  assert.equal(await Promise.race([held, sleep(150, "held")]), "held");
  proxy.clear();
  assert.equal((await held).status, 200);
});

test("latency is added", async (t) => {
  const { proxy, call } = await start(t);
  proxy.set({ latency: 120 });
  const begun = Date.now();
  await call("/question");
  assert.ok(Date.now() - begun >= 115);
});

test("an event stream passes, stalls, and is cut", async (t) => {
  const { proxy, call } = await start(t);
  const response = await call("/event");
  assert.ok(response.body);
  const reader = response.body.getReader();
  assert.equal((await reader.read()).done, false);
  proxy.set({ events: "stall" });
  await sleep(60);
  const silent = async () => {
    let bytes = 0;
    const until = Date.now() + 200;
    while (Date.now() < until) {
      const next = await Promise.race([pending, sleep(until - Date.now(), null)]);
      if (next === null) break;
      bytes += next.value?.length ?? 0;
      pending = reader.read();
    }
    return bytes;
  };
  let pending = reader.read();
  await silent();
  assert.equal(await silent(), 0);
  proxy.set({ events: "refuse" });
  await assert.rejects(pending);
  await assert.rejects(call("/event"));
  proxy.set({ events: "drop" });
  await assert.rejects(call("/event").then((dropped) => dropped.text()));
});

test("offline answers nobody", async (t) => {
  const { proxy, call } = await start(t);
  proxy.set({ offline: true });
  await assert.rejects(call("/question"));
  proxy.clear();
  assert.equal((await call("/question")).status, 200);
});
