// @ts-check
/** A real OpenCode with the scripted model, for the tests of the package. */
import { after, mock } from "node:test";
import { inspect } from "node:util";
import { startModel } from "../serve/model.mjs";
import { basicAuthorization, startOpenCode } from "../serve/opencode.mjs";
import { connect } from "../../../dist/npm/lib/index.js";

/** @typedef {import("../serve/script.mjs").Step} Step */

/** Longer than the longest countdown of the tests, which takes a minute. */
const LOOK_FOR_MS = 180_000;

/** Starts a server for one file of tests, and ends it with them. */
export async function startDesk() {
  const model = await startModel();
  const server = await startOpenCode({ modelUrl: model.url });
  after(async () => {
    await server.stop();
    await model.close();
  });
  return {
    model,
    server,
    directory: server.directory,
    /** @param {Partial<import("../../../dist/npm/lib/index.js").ConnectOptions>} options */
    connect: (options = {}) => connect({ baseUrl: server.url, password: server.password, ...options }),
    /**
     * Asks the server itself, as another client would.
     *
     * @param {string} path @param {unknown} [body] Posted when there is one.
     * @returns {Promise<any>}
     */
    async api(path, body) {
      const headers = { authorization: basicAuthorization(server.username, server.password), "content-type": "application/json" };
      const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
      const response = await fetch(`${server.url}${path}?directory=${encodeURIComponent(server.directory)}`, init);
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return response.json();
    },
  };
}

/** A prompt that makes the model take these steps. @param {Step[]} steps */
export function script(...steps) {
  return JSON.stringify({ title: "Scripted", steps });
}

/** A step that asks one question. @param {string} question @param {string[]} labels @returns {Step} */
export function asks(question, ...labels) {
  const options = labels.map((label) => ({ label, description: "" }));
  return { tools: [{ name: "question", input: { questions: [{ question, header: "Question", options }] } }] };
}

/** A step that runs a command. @param {string} command @returns {Step} */
export function runs(command) {
  return { tools: [{ name: "bash", input: { command, description: "Runs it" } }] };
}

/**
 * The first view that fits. Throws if none does for three minutes, and says what the last one was.
 *
 * @template View
 * @param {{ views(options: { signal: AbortSignal }): AsyncIterable<View> }} board Or a desk.
 * @param {(view: View) => boolean} fits
 */
export async function until(board, fits) {
  const signal = AbortSignal.timeout(LOOK_FOR_MS);
  /** @type {View | undefined} */
  let last;
  try {
    for await (const view of board.views({ signal })) {
      if (fits(view)) return view;
      last = view;
    }
  } catch (error) {
    if (signal.aborted) throw new Error(`no view fits ${fits} within ${LOOK_FOR_MS / 1000} s; the last one: ${inspect(last, { depth: 5 })}`);
    throw error;
  }
  throw new Error("the board was closed");
}

/**
 * Does something with a board, or a desk, that is closed after it.
 *
 * @template {{ close(): Promise<void> }} Board
 * @param {Promise<Board>} connecting
 * @param {(board: Board) => Promise<void>} story
 */
export async function using(connecting, story) {
  const board = await connecting;
  try {
    await story(board);
  } finally {
    await board.close();
  }
}

/**
 * Does something as if the machine had slept for so long just now.
 *
 * @param {number} span In milliseconds.
 * @param {() => Promise<void>} story
 */
export async function asIfAsleep(span, story) {
  const { now } = Date;
  const clock = mock.method(Date, "now", () => now() + span);
  try {
    await story();
  } finally {
    clock.mock.restore();
  }
}

/**
 * Does something while this span passes fifty times as fast as usual: a second with each of the board's looks, so that what
 * counts down only while it is looked at counts down, too.
 *
 * @param {{ tryNow(): void }} board Or a desk.
 * @param {number} span In milliseconds.
 * @param {() => Promise<void>} story
 */
export async function asTimeFlies(board, span, story) {
  const { now } = Date;
  let ahead = 0;
  const clock = mock.method(Date, "now", () => now() + ahead);
  const flying = setInterval(() => {
    if (ahead >= span) return clearInterval(flying);
    ahead += 1000;
    board.tryNow();
  }, 20);
  try {
    await story();
  } finally {
    clearInterval(flying);
    clock.mock.restore();
  }
}
