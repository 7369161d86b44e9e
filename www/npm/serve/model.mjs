// @ts-check
/**
 * The scripted model: an OpenAI-compatible server that says what a script says, so that OpenCode runs without an API key.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { isLoopbackHost } from "./loopback.mjs";
import { readBody, sendJson } from "./exchange.mjs";
import { chooseStep, titleOf } from "./script.mjs";
import { chunksOf } from "./completion.mjs";

const LOGGED_REQUESTS_MAX = 1000;

/**
 * @typedef {import("./script.mjs").Script} Script
 * @typedef {import("./script.mjs").Message} Message
 *
 * @typedef {object} LoggedRequest
 * @property {number} at When it came, in epoch milliseconds.
 * @property {"title" | "turn"} kind
 * @property {string | null} prompt The named prompt of the script, if it has one.
 * @property {string | null} script The script as JSON, if there is one.
 * @property {number} step
 * @property {string[]} tools Names of the tools that were offered.
 * @property {Message[]} messages The conversation, without its system messages.
 *
 * @typedef {{ url: string, log: LoggedRequest[], close(): Promise<void> }} Model
 */

/** @returns {Script[]} */
export function demoScripts() {
  return JSON.parse(readFileSync(new URL("./scripts.json", import.meta.url), "utf8"));
}

/**
 * Starts the model on a port of this machine.
 *
 * `GET /log` returns the requests it had, oldest first, and `DELETE /log` forgets them.
 *
 * @param {{ port?: number, scripts?: Script[] }} [options]
 * @returns {Promise<Model>}
 */
export async function startModel({ port = 0, scripts = demoScripts() } = {}) {
  /** @type {LoggedRequest[]} */
  const log = [];
  const closing = new AbortController();
  const server = createServer((request, response) => {
    serve(request, response).catch((error) => {
      if (!response.headersSent) sendJson(response, 500, { error: { message: String(error) } });
      else response.destroy();
    });
  });

  /**
   * @param {import("node:http").IncomingMessage} request
   * @param {import("node:http").ServerResponse} response
   */
  async function serve(request, response) {
    if (!isLoopbackHost(request.headers.host)) return sendJson(response, 421, { error: { message: "wrong host" } });
    const route = `${request.method} ${request.url}`;
    if (route === "POST /v1/chat/completions") return complete(JSON.parse(await readBody(request)), response);
    if (route === "GET /log") return sendJson(response, 200, log);
    if (route === "DELETE /log") return sendJson(response, 200, log.splice(0).length);
    if (route === "GET /v1/models") return sendJson(response, 200, { object: "list", data: [{ id: "scripted" }] });
    return sendJson(response, 404, { error: { message: `no such path: ${request.url}` } });
  }

  /**
   * @param {{ messages?: Message[], tools?: { function: { name: string } }[], model?: string }} wanted
   * @param {import("node:http").ServerResponse} response
   */
  async function complete(wanted, response) {
    const messages = (wanted.messages ?? []).filter((message) => message.role !== "system");
    const tools = (wanted.tools ?? []).map((tool) => tool.function.name);
    const isTitle = tools.length === 0;
    const choice = isTitle ? null : chooseStep(messages, scripts);
    const earlier = log.filter((entry) => sameConversation(entry.messages, messages)).length;
    const script = choice?.script ? JSON.stringify(choice.script) : null;
    const isAgain = script !== null && log.some((entry) => entry.script === script && entry.step === choice?.index);
    const step = choice ? ((isAgain && choice.step.again) || choice.step) : { text: titleOf(messages, scripts) };
    log.push({
      at: Date.now(),
      kind: isTitle ? "title" : "turn",
      prompt: choice?.script?.prompt ?? null,
      script,
      step: choice?.index ?? 0,
      tools,
      messages,
    });
    log.splice(0, log.length - LOGGED_REQUESTS_MAX);

    const gone = AbortSignal.any([closing.signal, closeSignal(response)]);
    try {
      if (step.delay) await sleep(step.delay, undefined, { signal: gone });
      const isRefused = step.status && (step.model ?? wanted.model) === wanted.model;
      if (isRefused && earlier < (step.times ?? Infinity)) return refuse(step, response);
      const write = stream(response);
      let hasSpoken = false;
      for (const chunk of chunksOf(fill(step), wanted.model ?? "scripted", randomUUID)) {
        if (step.chunkDelay && hasSpoken) await sleep(step.chunkDelay, undefined, { signal: gone });
        write(chunk);
        // The first chunk says who speaks, and nothing else.
        hasSpoken ||= !chunk.choices[0]?.delta.role;
      }
      write(null);
    } catch (error) {
      if (!gone.aborted) throw error;
      response.destroy();
    }
  }

  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(undefined));
  });
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${address.port}`,
    log,
    async close() {
      closing.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * @param {Message[]} one
 * @param {Message[]} other
 */
function sameConversation(one, other) {
  return one.length === other.length && JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Puts the time into a step, so that a script can make something new on every run.
 *
 * @param {import("./script.mjs").Step} step
 * @returns {import("./script.mjs").Step}
 */
function fill(step) {
  return JSON.parse(JSON.stringify(step).replaceAll("{{now}}", new Date().toISOString()));
}

/**
 * @param {import("./script.mjs").Step} step
 * @param {import("node:http").ServerResponse} response
 */
function refuse(step, response) {
  const body = step.body ?? { error: { message: `scripted ${step.status}`, type: "scripted", code: step.status } };
  for (const [name, value] of Object.entries(step.headers ?? {})) response.setHeader(name, value);
  sendJson(response, step.status ?? 500, body);
}

/** @param {import("node:http").ServerResponse} response */
function closeSignal(response) {
  const controller = new AbortController();
  response.on("close", () => controller.abort());
  return controller.signal;
}

/**
 * @param {import("node:http").ServerResponse} response
 * @returns {(chunk: import("./completion.mjs").Chunk | null) => void}
 */
function stream(response) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  return (chunk) => {
    if (chunk) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    else response.end("data: [DONE]\n\n");
  };
}
