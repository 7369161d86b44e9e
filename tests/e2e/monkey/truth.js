// @ts-check
/** What really happened, from the server alone: every request ever asked, and what became of its tool call. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { until } from "../api.js";

/**
 * @typedef {object} Asked
 * @property {string} id
 * @property {string} session
 * @property {{ messageID: string, callID: string }} tool
 * @property {string | null} command What a permission is for; none for a question.
 * @property {string} name
 *
 * @typedef {object} Outcome
 * @property {Asked} asked
 * @property {"waits" | "answered" | "dismissed" | "rejected" | "ran" | "ended"} end `ended`: by something else than a reply.
 * @property {string[][]} answers
 *
 * @typedef {object} Run One prompt and what the agent made of it.
 * @property {string} session
 * @property {string} text
 * @property {number} begun
 * @property {{ created: number, isOver: boolean }[]} messages
 */

/** Follows the event stream of one directory. */
export class Truth {
  /** @type {Map<string, Asked>} */
  asked = new Map();
  #ended = new AbortController();

  /** @param {import("../api.js").Api} api @param {string} url */
  constructor(api, url) {
    this.api = api;
    this.url = url;
  }

  /** Resolves when nothing that is asked from then on is missed. */
  async follow() {
    const address = `${this.url}/event?directory=${encodeURIComponent(this.api.directory)}`;
    const response = await fetch(address, { signal: this.#ended.signal });
    const events = /** @type {ReadableStream<Uint8Array>} */ (response.body).pipeThrough(new TextDecoderStream());
    let isOpen = false;
    const read = async () => {
      let rest = "";
      for await (const chunk of events) {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line.startsWith("data:")) this.#take(JSON.parse(line.slice(5)));
        isOpen = true;
      }
    };
    read().catch(() => {});
    await until("an event", async () => isOpen);
  }

  close() {
    this.#ended.abort();
  }

  /** @param {{ type: string, properties: any }} event */
  #take({ type, properties }) {
    if (!/^(question|permission)\.asked$/.test(type)) return;
    const { id, sessionID: session, tool } = properties;
    const command = type === "permission.asked" ? properties.metadata.command : null;
    this.asked.set(id, { id, session, tool, command, name: command ?? properties.questions[0].question });
  }

  /** What became of every request so far. @returns {Promise<Outcome[]>} */
  async outcomes() {
    // What is asked while the parts are read has none among them.
    const all = [...this.asked.values()];
    const sessions = [...new Set(all.map((asked) => asked.session))];
    const parts = new Map();
    for (const id of sessions) {
      for (const tool of ["question", "bash"]) for (const part of await this.api.toolParts({ id }, tool)) parts.set(part.callID, part);
    }
    return all.map((asked) => ({ asked, ...this.#end(asked, parts.get(asked.tool.callID)) }));
  }

  /** @param {Asked} asked @param {import("../api.js").ToolPart | undefined} part @returns {Omit<Outcome, "asked">} */
  #end(asked, part) {
    const answers = /** @type {string[][]} */ (part?.state.metadata?.answers ?? []);
    if (asked.command && existsSync(join(this.api.directory, ranFile(asked.command)))) return { end: "ran", answers };
    if (part?.state.status === "running" || part?.state.status === "pending") return { end: "waits", answers };
    if (part?.state.status === "completed") return { end: asked.command ? "ran" : "answered", answers };
    if (/user dismissed/.test(part?.state.error ?? "")) return { end: "dismissed", answers };
    if (/user rejected/.test(part?.state.error ?? "")) return { end: "rejected", answers };
    return { end: "ended", answers };
  }

  /** All runs of a session, oldest first. @param {{ id: string }} session @returns {Promise<Run[]>} */
  async runs(session) {
    const messages = await this.api.messages(session);
    return messages.flatMap(({ info, parts }) => {
      if (info.role !== "user") return [];
      const own = messages.filter((other) => /** @type {any} */ (other.info).parentID === info.id);
      const texts = parts.flatMap((part) => ("text" in part && !part.synthetic ? [part.text ?? ""] : []));
      return [
        {
          session: session.id,
          text: texts.join("\n"),
          begun: info.time.created,
          messages: own.map(({ info }) => ({ created: info.time.created, isOver: info.time.completed !== undefined || info.error !== undefined })),
        },
      ];
    });
  }
}

/** A command that leaves a file behind when it runs. @param {number} serial */
export function command(serial) {
  return `step${serial} --go > step${serial}.ran`;
}

/** @param {string} command */
function ranFile(command) {
  return command.split(" ").at(-1) ?? "";
}
