// @ts-check
/** The other client: talks to OpenCode directly, to prepare a test, to interfere, and to prove what happened. */
import { setTimeout as sleep } from "node:timers/promises";
import { basicAuthorization } from "../../www/npm/serve/opencode.mjs";
import { asks } from "./say.js";

/** The first call in a directory starts its instance: up to 20 s on a busy machine, and four are started at once. */
const CALL_TIMEOUT_MS = 60_000;
const LOOK_AGAIN_MS = 50;
/** The first prompt in a directory takes 4 to 6 s, and 20 s on a busy machine. */
const LOOK_FOR_MS = 120_000;

/**
 * @typedef {{ id: string, parentID?: string, title: string, directory: string }} Session
 *
 * @typedef {object} ToolPart
 * @property {"tool"} type
 * @property {string} tool
 * @property {string} callID
 * @property {string} messageID
 * @property {{ status: string, input?: any, output?: string, error?: string, time?: { start: number, end?: number }, metadata?: any }} state
 *
 * @typedef {{ id: string, role: string, agent?: string, model?: { providerID: string, modelID: string }, finish?: string, error?: unknown, time: { created: number, completed?: number } }} MessageInfo
 * @typedef {{ info: MessageInfo, parts: (ToolPart | { type: string, text?: string, synthetic?: boolean })[] }} Message
 * @typedef {{ id: string, sessionID: string, questions: { question: string }[], tool: { messageID: string, callID: string } }} Question
 * @typedef {{ id: string, sessionID: string, permission: string, patterns: string[], tool: { messageID: string, callID: string } }} Permission
 */

/**
 * Calls `look` until it returns something, and returns that.
 *
 * @template T
 * @param {string} what
 * @param {() => Promise<T | null | undefined | false>} look
 * @param {number} [timeout]
 * @returns {Promise<T>}
 */
export async function until(what, look, timeout = LOOK_FOR_MS) {
  const deadline = Date.now() + timeout;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`not seen within ${timeout / 1000} s: ${what}`);
    await sleep(LOOK_AGAIN_MS);
  }
}

/** A client of one server, which works in one directory unless told otherwise. */
export class Api {
  #url;
  /** @type {Record<string, string>} */
  #headers;

  /**
   * @param {{ url: string, username?: string, password?: string }} server
   * @param {string} directory
   */
  constructor({ url, username, password }, directory) {
    this.#url = url;
    this.#headers = password ? { authorization: basicAuthorization(username ?? "opencode", password) } : {};
    this.directory = directory;
  }

  /**
   * Returns the parsed body; throws unless the server took the call.
   *
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @returns {Promise<any>}
   */
  async call(method, path, body) {
    const response = await fetch(this.#url + path, {
      method,
      headers: { ...this.#headers, "content-type": "application/json", "x-opencode-directory": encodeURIComponent(this.directory) },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }

  /**
   * @param {{ title?: string, permission?: unknown, parentID?: string }} [wanted]
   * @returns {Promise<Session>}
   */
  createSession(wanted = {}) {
    return this.call("POST", "/session", wanted);
  }

  /** @returns {Promise<Session[]>} */
  sessions() {
    return this.call("GET", "/session?limit=500");
  }

  /**
   * The sessions of every directory.
   *
   * @returns {Promise<Session[]>}
   */
  everySession() {
    return this.call("GET", "/experimental/session?limit=500");
  }

  /**
   * @param {Session} session
   * @param {string} text
   * @param {object} [more]
   */
  prompt(session, text, more = {}) {
    return this.call("POST", `/session/${session.id}/prompt_async`, { ...more, parts: [{ type: "text", text }] });
  }

  /**
   * Makes a session that begins with this prompt. If its script asks, returns when its first request is listed: how long a
   * server takes until then is not the page's doing.
   *
   * @param {string} text
   * @param {{ title?: string, permission?: unknown }} [wanted]
   * @returns {Promise<Session>}
   */
  async begin(text, wanted = {}) {
    const session = await this.beginNow(text, wanted);
    if (asks(text)) await until(`the first request of ${session.title} (${session.id}), or its end`, async () => (await this.#hasAsked(session)) || (await this.#hasEnded(session)));
    return session;
  }

  /**
   * Makes a session that begins with this prompt, and returns when the prompt is accepted: for tests that look at the page
   * while a request comes.
   *
   * @param {string} text
   * @param {{ title?: string, permission?: unknown }} [wanted]
   * @returns {Promise<Session>}
   */
  async beginNow(text, wanted = {}) {
    const session = await this.createSession(wanted);
    await this.prompt(session, text);
    return session;
  }

  /**
   * Whether a request of this session or of one of its sub-agents is listed.
   *
   * @param {Session} session
   */
  async #hasAsked(session) {
    for (const { sessionID } of [...(await this.questions()), ...(await this.permissions())]) {
      /** @type {string | undefined} */
      let id = sessionID;
      while (id && id !== session.id) id = (await this.call("GET", `/session/${id}`)).parentID;
      if (id) return true;
    }
    return false;
  }

  /**
   * Whether the run of this session is over.
   *
   * @param {Session | { id: string }} session
   */
  async #hasEnded(session) {
    if ((await this.status())[session.id]) return false;
    const last = (await this.messages(session)).at(-1);
    return last?.info.role === "assistant" && last.info.time.completed !== undefined;
  }

  /** @param {Session | { id: string }} session */
  abort(session) {
    return this.call("POST", `/session/${session.id}/abort`);
  }

  /** @returns {Promise<Question[]>} */
  questions() {
    return this.call("GET", "/question");
  }

  /** @returns {Promise<Permission[]>} */
  permissions() {
    return this.call("GET", "/permission");
  }

  /** @returns {Promise<Record<string, { type: string }>>} */
  status() {
    return this.call("GET", "/session/status");
  }

  /**
   * @param {string} requestId
   * @param {string[][]} answers
   * @returns {Promise<boolean>}
   */
  reply(requestId, answers) {
    return this.call("POST", `/question/${requestId}/reply`, { answers });
  }

  /**
   * @param {string} requestId
   * @returns {Promise<boolean>}
   */
  rejectQuestion(requestId) {
    return this.call("POST", `/question/${requestId}/reject`);
  }

  /**
   * @param {string} requestId
   * @param {"once" | "always" | "reject"} reply
   * @returns {Promise<boolean>}
   */
  replyPermission(requestId, reply) {
    return this.call("POST", `/permission/${requestId}/reply`, { reply });
  }

  /**
   * @param {Session | { id: string }} session
   * @returns {Promise<Message[]>}
   */
  messages(session) {
    return this.call("GET", `/session/${session.id}/message`);
  }

  /**
   * @param {Session | { id: string }} session
   * @param {string} [tool]
   * @returns {Promise<ToolPart[]>}
   */
  async toolParts(session, tool = "question") {
    const parts = (await this.messages(session)).flatMap((message) => message.parts);
    return parts.flatMap((part) => ("tool" in part && part.tool === tool ? [part] : []));
  }

  /**
   * Waits until a question with this text is pending.
   *
   * @param {string} text
   * @returns {Promise<Question>}
   */
  untilAsked(text) {
    return until(`the question ${text}`, async () => (await this.questions()).find((request) => request.questions.some((question) => question.question === text)));
  }

  /**
   * Waits until the tool part of the question with this text is completed, and returns the answers in it.
   *
   * @param {Session | { id: string }} session
   * @param {string} text
   * @returns {Promise<{ answers: string[][], at: number }>}
   */
  async untilAnswered(session, text) {
    const part = await until(`an answer to ${text} in its tool part`, async () => {
      const parts = await this.toolParts(session);
      return parts.find((part) => part.state.status === "completed" && JSON.stringify(part.state.input).includes(JSON.stringify(text).slice(1, -1)));
    });
    return { answers: part.state.metadata.answers, at: part.state.time?.end ?? 0 };
  }

  /**
   * Waits until nothing runs in this session.
   *
   * @param {Session | { id: string }} session
   */
  async untilIdle(session) {
    await until(`session ${session.id} idle`, () => this.#hasEnded(session));
  }

  /** Forgets what the server keeps in memory for the directory: its settings, and what is always allowed. */
  dispose() {
    return this.call("POST", "/instance/dispose");
  }

  /** Throws if anything runs or waits in the directory. */
  async expectQuiet() {
    const [questions, permissions, status] = await Promise.all([this.questions(), this.permissions(), this.status()]);
    if (questions.length + permissions.length + Object.keys(status).length > 0) {
      throw new Error(`still in ${this.directory}: ${JSON.stringify({ questions, permissions, status })}`);
    }
  }

  /** Ends everything that runs or waits in the directory, and deletes its sessions. */
  async endAll() {
    const deadline = Date.now() + LOOK_FOR_MS;
    for (;;) {
      try {
        return await this.#tryToEndAll();
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
      await sleep(LOOK_AGAIN_MS);
    }
  }

  async #tryToEndAll() {
    for (const id of Object.keys(await this.status())) await this.call("POST", `/session/${id}/abort`);
    // The abort of a session leaves its requests listed.
    for (const { id } of await this.questions()) await this.rejectQuestion(id);
    for (const { id } of await this.permissions()) await this.replyPermission(id, "reject");
    await this.expectQuiet();
    for (const session of await this.sessions()) if (session.directory === this.directory && !session.parentID) await this.call("DELETE", `/session/${session.id}`);
    // A prompt that was accepted just before may have begun its run meanwhile.
    await this.expectQuiet();
  }
}
