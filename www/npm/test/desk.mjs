// @ts-check
/** A real OpenCode with the scripted model, for the tests of the package. */
import { after } from "node:test";
import { startModel } from "../serve/model.mjs";
import { startOpenCode } from "../serve/opencode.mjs";
import { connect } from "../../../dist/npm/lib/index.js";

/** @typedef {import("../serve/script.mjs").Step} Step */

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
 * The first view that fits.
 *
 * @param {import("../../../dist/npm/lib/index.js").Board} board
 * @param {(view: import("../../../dist/npm/lib/index.js").View) => boolean} fits
 */
export async function until(board, fits) {
  for await (const view of board.views()) if (fits(view)) return view;
  throw new Error("the board was closed");
}
