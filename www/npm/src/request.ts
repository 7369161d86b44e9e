/** A question or a permission that waits for a person. */
import type { Ask, DraftField, Outcome, Permission, Question, Reply, RequestView } from "../wasm/types.js";
import type { Board as EngineBoard } from "../wasm/switchboard.js";
import { known, list, text } from "./arguments.js";
import { InvalidArgumentError, checked, guarded } from "./errors.js";
import { CALL, defined, given, type CallOptions } from "./options.js";
import { answerable, openBoard } from "./reached.js";
import { indexOf, isWaiting, viewOf } from "./snapshot.js";

/** What may be said to a permission. `message` is a word for the agent, and goes with `"reject"` alone. */
export type PermissionReply =
  | "once"
  | "always"
  | "reject"
  | { reply: "once" | "always" }
  | { reply: "reject"; message?: string | undefined };

/** One list per question: the chosen labels, or a text of one's own. `"dismiss"` turns the questions away. */
export type QuestionReply = readonly (readonly string[])[] | "dismiss";

/** A request, as it was when it was looked up. An answer is for what was asked then. */
export class AgentRequest {
  /** What was known of it. */
  readonly view: RequestView;
  readonly #board: EngineBoard;

  /** @internal */
  constructor(board: EngineBoard, view: RequestView) {
    this.#board = board;
    this.view = view;
  }

  /** The name of its server. */
  get server(): string {
    return this.view.server;
  }

  /** The server's id of it: another server may have the same. */
  get id(): string {
    return this.view.id;
  }

  /** Which of the things that were asked under this id it is. */
  get revision(): number {
    return this.view.revision;
  }

  /** The id of the session that asks. */
  get session(): string {
    return this.view.session;
  }

  /** What is asked. */
  get ask(): Ask {
    return this.view.ask;
  }

  /** Its questions; none of a permission. */
  get questions(): readonly Question[] {
    return this.view.ask.kind === "questions" ? this.view.ask.questions : [];
  }

  /** The permission that is asked for; none of a question. */
  get permission(): Permission | undefined {
    return this.view.ask.kind === "permission" ? this.view.ask.permission : undefined;
  }

  /**
   * Answers it. Resolves when the request has ended, with how: `confirmed` means that the agent has this answer.
   *
   * @throws {@link RequestChangedError} when the server asks something else under this id by now,
   * {@link InvalidAnswerError} when the reply does not fit, {@link AlreadySentError}, {@link RequestEndedError},
   * {@link UnknownRequestError}, {@link DisposedError}
   */
  answer(reply: QuestionReply | PermissionReply, options: CallOptions = {}): Promise<Outcome> {
    return sendAnswer(this.#board, this.id, this.view.revision, reply, options);
  }

  /** Turns its questions away, which ends the run; rejects a permission. Resolves and throws as {@link answer}. */
  dismiss(options: CallOptions = {}): Promise<Outcome> {
    return this.answer(this.view.ask.kind === "questions" ? "dismiss" : "reject", options);
  }

  /** Waits for its end without answering it. Resolves as {@link answer}. */
  wait(options: CallOptions = {}): Promise<Outcome> {
    return guarded(() => this.#board.wait(this.id, given(known(options, "wait", CALL))), options, this.#board);
  }

  /**
   * Sends the answer of a dead question as a message that quotes it. Resolves with the id of the message.
   *
   * @throws {@link NotRescuableError}, {@link AlreadySentError}, {@link DisposedError}
   */
  rescue(options: CallOptions = {}): Promise<string> {
    return guarded(() => this.#board.rescue(this.id, given(known(options, "rescue", CALL))), options, this.#board);
  }

  /**
   * Keeps what was typed or chosen, one field per question, as long as answers are kept. Nothing is sent; a blank draft is
   * dropped. It is in the `draft` of the view.
   *
   * @throws {@link UnknownRequestError}, {@link InvalidArgumentError}, {@link DisposedError}
   */
  keepDraft(fields: readonly DraftField[]): void {
    checked(() => openBoard(this.#board, "keepDraft").keepDraft(this.id, [...list(fields, "keepDraft: fields")]), this.#board);
  }

  /** Gives up the answer of a request that has ended or was refused. */
  discard(): void {
    checked(() => openBoard(this.#board, "discard").discard(this.id), this.#board);
  }

  /** Keeps the default answer from being given: the request stays as it is. */
  stopCountdown(): void {
    checked(() => openBoard(this.#board, "stopCountdown").stopCountdown(this.id), this.#board);
  }
}

const requests = new WeakMap<RequestView, AgentRequest>();

/** A request as it is in a view: the same object for the same view of it. @internal */
export function requestOf(board: EngineBoard, view: RequestView): AgentRequest {
  const request = requests.get(view) ?? new AgentRequest(board, view);
  requests.set(view, request);
  return request;
}

/** What waits for a person, oldest first: all of it, or in one session and the sessions of its sub-agents. @internal */
export function waitingRequests(board: EngineBoard, session?: string): AgentRequest[] {
  const waiting = session === undefined ? viewOf(board).requests.filter(isWaiting) : (indexOf(board).waiting.get(session) ?? []);
  return waiting.map((view) => requestOf(board, view));
}

/** A request by its id: from the view, or when everything was read since the call. @internal */
export function findRequest(board: EngineBoard, id: string, options: CallOptions): Promise<AgentRequest | undefined> {
  const find = async () => {
    const { signal } = known(options, "request", CALL);
    await answerable(openBoard(board, "request"), "request", text(id, "request: id"), { signal });
    const view = indexOf(openBoard(board, "request")).requests.get(id);
    return view && requestOf(board, view);
  };
  return guarded(find, options, board);
}

/** Answers a request as it was at a revision; without one, as it is now. @internal */
export function sendAnswer(
  board: EngineBoard,
  id: string,
  revision: number | undefined,
  reply: QuestionReply | PermissionReply | Reply,
  options: CallOptions,
): Promise<Outcome> {
  const send = async () => {
    const { signal } = known(options, "answer", CALL);
    const said = replyOf(reply);
    const reaching = answerable(board, "answer", id, { signal });
    if (reaching) await reaching;
    return board.answer(id, said, defined({ signal, revision }));
  };
  return guarded(send, options, board);
}

function replyOf(reply: QuestionReply | PermissionReply | Reply): Reply {
  if (typeof reply === "string" || Array.isArray(reply)) return reply;
  if (typeof reply !== "object" || reply === null) {
    throw new InvalidArgumentError(`answer: the reply must be a list of answers, a word or an object, not ${String(reply)}`);
  }
  if ("reject" in reply) return reply;
  const said = reply as Exclude<typeof reply, readonly unknown[]>;
  if (said.reply !== "reject" || said.message === undefined) return said.reply;
  return { reject: said.message };
}
