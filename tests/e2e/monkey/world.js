// @ts-check
/** The other side of the monkey: agents that ask, a second client, and what the server knows. */
import { script, ask, question, run } from "../say.js";
import { command } from "./truth.js";

const ASKS_PER_PROMPT = 6;
const LONG_TEXT = Array.from({ length: 25 }, (_, at) => `Paragraph ${at + 1}.`).join("\n\n");

/**
 * @typedef {import("../api.js").Question} Question
 * @typedef {import("../api.js").Permission} Permission
 * @typedef {{ id: string, session: string, questions: string[] | null, name: string }} Waiting
 */

export class World {
  #serial = 0;

  /** @param {import("../api.js").Api} api */
  constructor(api) {
    this.api = api;
    /** @type {import("../api.js").Session[]} */
    this.sessions = [];
    /** What the other client has replied, by request. @type {Map<string, unknown>} */
    this.replied = new Map();
    /** Sessions whose run the other client has stopped. @type {Set<string>} */
    this.aborted = new Set();
  }

  /** @param {() => number} random */
  #asks(random) {
    const serial = () => (this.#serial += 1);
    const one = (more = {}) => question(`Q${serial()}: Which colour?`, ["Red", "Green", "Blue"], more);
    const permission = () => run(command(serial()));
    const kinds = [
      () => ({ tools: [ask(one())] }),
      () => ({ tools: [ask(one({ multiple: true }))] }),
      () => ({ tools: [ask(one({ header: "First" }), one({ header: "Second" }))] }),
      () => ({ tools: [permission(), permission()] }),
      () => ({ tools: [permission(), permission()] }),
      () => ({ tools: [ask(one()), permission()] }),
      () => ({ text: LONG_TEXT, tools: [ask(one())] }),
    ];
    return kinds[Math.floor(random() * kinds.length)]();
  }

  /** A run that asks several times. @param {() => number} random */
  asks(random) {
    return script(...Array.from({ length: ASKS_PER_PROMPT }, () => this.#asks(random)), { text: "That is all." });
  }

  /** @param {() => number} random */
  async begin(random) {
    const session = await this.api.beginNow(this.asks(random), { title: `Session ${this.sessions.length + 1}` });
    this.sessions.push(session);
  }

  /**
   * What really waits: what is listed and whose tool part still runs, and to which the second client has not replied.
   *
   * @returns {Promise<Waiting[]>}
   */
  async waiting() {
    const [questions, permissions] = await Promise.all([this.api.questions(), this.api.permissions()]);
    const listed = [
      ...questions.map((asked) => ({ id: asked.id, session: asked.sessionID, tool: asked.tool, questions: asked.questions.map((one) => one.question), name: asked.questions[0].question })),
      ...permissions.map((asked) => ({ id: asked.id, session: asked.sessionID, tool: asked.tool, questions: null, name: asked.patterns.join(" ") })),
    ];
    const live = await Promise.all(
      listed.map(async (request) => {
        if (this.replied.has(request.id)) return false;
        const message = await this.api.call("GET", `/session/${request.session}/message/${request.tool.messageID}`).catch(() => null);
        return message?.parts.some((/** @type {any} */ part) => part.callID === request.tool.callID && part.state?.status === "running");
      }),
    );
    return listed.filter((_, at) => live[at]);
  }

  /**
   * Replies to a request; false when somebody else was first.
   *
   * @param {Waiting} request
   * @param {() => number} random
   */
  async reply(request, random) {
    const answers = (request.questions ?? []).map(() => [["Red", "Green", "Elsewhere"][Math.floor(random() * 3)]]);
    const choice = random() < 0.8 ? "once" : "reject";
    this.replied.set(request.id, request.questions ? answers : choice);
    try {
      if (request.questions) await this.api.reply(request.id, answers);
      else await this.api.replyPermission(request.id, choice);
    } catch {
      this.replied.delete(request.id);
    }
  }

  /** @param {import("../api.js").Session} session */
  async abort(session) {
    this.aborted.add(session.id);
    await this.api.abort(session);
  }

  /** Lets sessions that have come to an end ask again. @param {() => number} random */
  async keepBusy(random) {
    const busy = await this.api.status();
    for (const session of this.sessions) if (!busy[session.id]) await this.api.prompt(session, this.asks(random));
  }

  /**
   * The tool part that asks this question.
   *
   * @param {string} text
   */
  async partOf(text) {
    for (const session of await this.api.sessions()) {
      const part = (await this.api.toolParts(session)).find((part) => JSON.stringify(part.state.input ?? {}).includes(`${text}"`));
      if (part) return part;
    }
    return null;
  }
}
