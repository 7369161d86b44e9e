// @ts-check
/**
 * A proxy in front of OpenCode whose faults are switched while it runs.
 *
 * What it makes up itself carries the CORS header, so that the page can read it: a fault is a broken server, not a
 * broken browser. Preflights always pass.
 */
import { Agent, createServer, request as sendRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { randomFrom } from "./random.js";

const DROP_EVERY_MS = 700;
const EVENT_PATHS = new Set(["/event", "/global/event"]);

/**
 * @typedef {object} Faults
 * @property {"pass" | "stall" | "refuse" | "drop"} events `stall`: open but silent; `drop`: cut again and again.
 * @property {boolean} offline Nobody answers at all.
 * @property {number} latency Milliseconds added to each request.
 * @property {number} failing Share of REST calls that get 500 and do not reach the server.
 * @property {number} garbling Share of REST responses whose body is garbage, cut off, or HTML.
 * @property {number} losing How many of the next replies are applied while their response is lost.
 * @property {string | null} hangingDirectory Requests for this directory are never answered.
 * @property {RegExp | null} held Requests whose path matches wait until this changes.
 * @property {string} prefix Paths begin with it, as behind a proxy for several servers; without it there is a page of its own.
 * @property {((path: string, body: string) => string) | null} altered Changes what the server says.
 *
 * @typedef {{ at: number, method: string, path: string, directory: string | null, body: string, outcome: string }} Exchange
 *
 * @typedef {object} FaultProxy
 * @property {string} url
 * @property {Exchange[]} exchanges What came through, in order of arrival.
 * @property {(faults: Partial<Faults>) => void} set Changes some faults and leaves the others.
 * @property {() => void} clear Ends all faults.
 * @property {() => Promise<void>} close
 */

/** @type {Faults} */
const NO_FAULTS = { events: "pass", offline: false, latency: 0, failing: 0, garbling: 0, losing: 0, hangingDirectory: null, held: null, prefix: "", altered: null };

/**
 * Starts a proxy on a port of this machine.
 *
 * @param {{ target: string, seed?: number }} options
 * @returns {Promise<FaultProxy>}
 */
export async function startFaultProxy({ target, seed = 1 }) {
  const random = randomFrom(seed);
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(target);
  /** @type {Faults} */
  let faults = { ...NO_FAULTS };
  /** @type {Exchange[]} */
  const exchanges = [];
  /** @type {WeakMap<import("node:http").IncomingMessage, Exchange>} */
  const exchangeOf = new WeakMap();
  /** @type {Set<import("node:http").ServerResponse>} */
  const streams = new Set();
  /** @type {(() => void)[]} */
  let waiting = [];

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", target);
    const header = request.headers["x-opencode-directory"];
    const exchange = {
      at: Date.now(),
      method: request.method ?? "GET",
      path: url.pathname,
      directory: url.searchParams.get("directory") ?? (header ? decodeURIComponent(String(header)) : null),
      body: "",
      outcome: "open",
    };
    exchanges.push(exchange);
    if (exchange.method === "POST") exchangeOf.set(request, exchange);
    response.on("close", () => {
      if (exchange.outcome === "open") exchange.outcome = response.writableFinished ? String(response.statusCode) : "cut";
    });
    handle(request, response, exchange).catch(() => response.destroy());
  });

  /**
   * @param {import("node:http").IncomingMessage} request
   * @param {import("node:http").ServerResponse} response
   * @param {Exchange} exchange
   */
  async function handle(request, response, exchange) {
    if (faults.offline) return drop(response, exchange, "offline");
    if (!request.url?.startsWith(faults.prefix)) return strange(request, response);
    request.url = request.url.slice(faults.prefix.length);
    exchange.path = exchange.path.slice(faults.prefix.length);
    if (exchange.method === "OPTIONS") return forward(request, response, (reply) => pass(reply, response));
    if (faults.latency) await sleep(faults.latency);
    if (EVENT_PATHS.has(exchange.path)) return handleEvents(request, response, exchange);
    if (faults.hangingDirectory !== null && exchange.directory === faults.hangingDirectory) {
      exchange.outcome = "hanging";
      return;
    }
    while (faults.held?.test(exchange.path)) await new Promise((resolve) => waiting.push(() => resolve(undefined)));
    if (random() < faults.failing) return fail(request, response, exchange);
    const isReply = exchange.method === "POST" && /\/(reply|reject)$|\/prompt_async$/.test(exchange.path);
    if (isReply && faults.losing > 0) {
      faults.losing -= 1;
      return forward(request, response, (reply) => {
        reply.resume();
        reply.on("end", () => drop(response, exchange, "lost"));
      });
    }
    if (random() < faults.garbling) return garble(request, response, exchange);
    if (faults.altered && exchange.method === "GET") return alter(request, response, exchange, faults.altered);
    return forward(request, response, (reply) => pass(reply, response));
  }

  /**
   * @param {import("node:http").IncomingMessage} request
   * @param {import("node:http").ServerResponse} response
   * @param {Exchange} exchange
   */
  function handleEvents(request, response, exchange) {
    if (faults.events === "refuse") return drop(response, exchange, "refused");
    streams.add(response);
    response.on("close", () => streams.delete(response));
    if (faults.events === "drop") setTimeout(() => response.destroy(), DROP_EVERY_MS);
    return forward(request, response, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      response.flushHeaders();
      reply.on("data", (data) => faults.events !== "stall" && response.write(data));
      reply.on("end", () => response.end());
      reply.on("error", () => response.destroy());
      response.on("close", () => reply.destroy());
    });
  }

  /**
   * @param {import("node:http").IncomingMessage} request
   * @param {import("node:http").ServerResponse} response
   * @param {(reply: import("node:http").IncomingMessage) => void} receive
   */
  function forward(request, response, receive) {
    const headers = { ...request.headers, host: `${hostname}:${port}` };
    const sent = sendRequest({ hostname, port, agent, method: request.method, path: request.url, headers }, receive);
    sent.on("error", () => response.destroy());
    response.on("close", () => sent.destroy());
    const exchange = exchangeOf.get(request);
    // Listening begins the flow: earlier, what arrives before the request is passed on would be lost to it.
    if (exchange) request.on("data", (data) => (exchange.body += data));
    request.pipe(sent);
  }

  /**
   * @param {import("node:http").IncomingMessage} request
   * @param {import("node:http").ServerResponse} response
   * @param {Exchange} exchange
   * @param {(path: string, body: string) => string} altered
   */
  function alter(request, response, exchange, altered) {
    delete request.headers["accept-encoding"];
    forward(request, response, async (reply) => {
      let body = "";
      for await (const chunk of reply.setEncoding("utf8")) body += chunk;
      const { "content-length": _, "transfer-encoding": __, ...headers } = reply.headers;
      response.writeHead(reply.statusCode ?? 502, headers);
      response.end(altered(exchange.path, body));
    });
  }

  /**
   * @param {import("node:http").IncomingMessage} request
   * @param {import("node:http").ServerResponse} response
   * @param {Exchange} exchange
   */
  function garble(request, response, exchange) {
    const kind = Math.floor(random() * 3);
    forward(request, response, async (reply) => {
      /** @type {Buffer[]} */
      const chunks = [];
      for await (const chunk of reply) chunks.push(chunk);
      const whole = Buffer.concat(chunks);
      const { "content-length": _, "content-encoding": encoding, "transfer-encoding": __, ...headers } = reply.headers;
      exchange.outcome = ["garbage", "truncated", "html"][kind];
      if (kind === 1) {
        const kept = encoding ? { "content-encoding": encoding } : {};
        response.writeHead(reply.statusCode ?? 502, { ...headers, ...kept, "content-length": String(whole.length + 1) });
        response.write(whole.subarray(0, whole.length / 2), () => response.destroy());
        return;
      }
      response.writeHead(200, kind === 2 ? { ...headers, "content-type": "text/html" } : headers);
      response.end(kind === 2 ? "<!doctype html><title>502</title>" : Buffer.from([0xff, 0x7b, 0x22, 0x00, 0xc3, 0x28]));
    });
  }

  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());

  /** @param {Partial<Faults>} changes */
  function set(changes) {
    faults = { ...faults, ...changes };
    if (faults.offline) server.closeAllConnections();
    if (faults.events === "refuse" || faults.events === "drop") for (const stream of streams) stream.destroy();
    const released = waiting;
    waiting = [];
    for (const go of released) go();
  }

  return {
    url: `http://127.0.0.1:${address.port}`,
    exchanges,
    set,
    clear: () => set(NO_FAULTS),
    async close() {
      set(NO_FAULTS);
      server.closeAllConnections();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
function strange(request, response) {
  response.writeHead(404, { "content-type": "text/html", "access-control-allow-origin": request.headers.origin ?? "*" });
  response.end("<!doctype html><title>Nothing here</title>");
}

/**
 * @param {import("node:http").IncomingMessage} reply
 * @param {import("node:http").ServerResponse} response
 */
function pass(reply, response) {
  response.writeHead(reply.statusCode ?? 502, reply.headers);
  reply.pipe(response);
  reply.on("error", () => response.destroy());
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {Exchange} exchange
 * @param {string} outcome
 */
function drop(response, exchange, outcome) {
  exchange.outcome = outcome;
  response.destroy();
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {Exchange} exchange
 */
function fail(request, response, exchange) {
  exchange.outcome = "failed";
  request.resume();
  response.writeHead(500, { "content-type": "application/json", "access-control-allow-origin": request.headers.origin ?? "*" });
  response.end(JSON.stringify({ name: "UnknownError", data: { message: "fault proxy" } }));
}
