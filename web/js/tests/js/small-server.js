// @ts-check
/** A very small OpenCode inside the page: one session, which may ask one question. */
export class SmallServer {
  base = `http://${crypto.randomUUID()}.test`;
  directory = "/d";
  /** @type {string[][] | null} */
  answers = null;
  isAsking = false;
  /** @type {{ authorization: string | null, path: string, body: any }[]} */
  posts = [];
  /** @type {any[]} */
  prompts = [];

  constructor() {
    const fetchBefore = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      const url = new URL(String(input instanceof Request ? input.url : input));
      return url.origin === this.base ? this.#answer(url, init ?? {}) : fetchBefore(input, init);
    };
  }

  ask() {
    this.isAsking = true;
  }

  /** @param {string[][]} answers */
  answerElsewhere(answers) {
    this.isAsking = false;
    this.answers = answers;
  }

  /** @param {URL} url @param {RequestInit} init */
  #answer(url, init) {
    if (init.method === "POST") return this.#post(url, init);
    const body = this.#read(url.pathname, url.searchParams.get("directory"));
    return body === undefined ? new Response("<html>", { headers: { "content-type": "text/html" } }) : json(body);
  }

  /** @param {string} path @param {string | null} directory */
  #read(path, directory) {
    switch (path) {
      case "/global/health":
        return { healthy: true, version: "1.18.33" };
      case "/project":
        return [{ id: "p", worktree: this.directory, sandboxes: [] }];
      case "/experimental/session":
        return [this.#session()];
      case "/session/ses_1":
        return this.#session();
      case "/question":
        return this.isAsking && directory === this.directory ? [this.#request()] : [];
      case "/permission":
        return [];
      case "/session/status":
        return directory === this.directory ? { ses_1: { type: "busy" } } : {};
      case "/session/ses_1/message":
        return [this.#message(), ...this.prompts];
      case "/session/ses_1/message/msg_1":
        return this.#message();
      default:
        return this.prompts.find((prompt) => path === `/session/ses_1/message/${prompt.info.id}`);
    }
  }

  /** @param {URL} url @param {RequestInit} init */
  #post(url, init) {
    const body = init.body ? JSON.parse(String(init.body)) : null;
    this.posts.push({ path: url.pathname, body, authorization: new Headers(init.headers).get("authorization") });
    switch (url.pathname) {
      case "/question/que_1/reply":
        this.answerElsewhere(body.answers);
        return json(true);
      case "/session/ses_1/prompt_async":
        this.prompts.push({
          info: { id: body.messageID, sessionID: "ses_1", role: "user", time: { created: Date.now() } },
          parts: body.parts.map((/** @type {any} */ part) => ({ ...part, messageID: body.messageID, sessionID: "ses_1" })),
        });
        return new Response(null, { status: 204 });
      case "/session/ses_1/abort":
        return json(true);
      default:
        return json({ name: "NotFoundError", data: { message: url.pathname } }, 404);
    }
  }

  #session() {
    return { id: "ses_1", directory: this.directory, title: "Colours", time: { created: 1, updated: 2 } };
  }

  #request() {
    return {
      id: "que_1",
      sessionID: "ses_1",
      questions: this.#questions(),
      tool: { messageID: "msg_1", callID: "call_1" },
    };
  }

  #questions() {
    const options = ["Red", "Blue"].map((label) => ({ label, description: "" }));
    return [{ question: "Which colour?", header: "Colour", options, custom: false }];
  }

  #message() {
    const input = { questions: this.#questions() };
    const state = this.answers
      ? { status: "completed", input, metadata: { answers: this.answers }, output: "", title: "", time: { start: 3, end: 4 } }
      : { status: "running", input, time: { start: 3 } };
    const place = { sessionID: "ses_1", messageID: "msg_1" };
    return {
      info: { id: "msg_1", sessionID: "ses_1", role: "assistant", time: { created: 2 } },
      parts: this.isAsking || this.answers
        ? [{ ...place, id: "prt_1", type: "tool", tool: "question", callID: "call_1", state }]
        : [],
    };
  }
}

/** @param {unknown} body */
function json(body, status = 200) {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}
