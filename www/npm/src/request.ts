/** A question or a permission that waits for a person. */
import type { Ask, DraftField, Outcome, Permission, Question, Reply, RequestView } from "../wasm/types.js";
import type { Board as EngineBoard } from "../wasm/switchboard.js";
import { checked, guarded } from "./errors.js";
import { given, type CallOptions } from "./options.js";

/** What may be said to a permission. `message` is a word for the agent, and goes with `"reject"` alone. */
export type PermissionReply =
  | "once"
  | "always"
  | "reject"
  | { reply: "once" | "always" }
  | { reply: "reject"; message?: string };

/** One list per question: the chosen labels, or a text of one's own. `"dismiss"` turns the questions away. */
export type QuestionReply = string[][] | "dismiss";

/** A request, as it was when it was looked up. Its calls act on what it is now. */
export class Request {
  /** What was known of it. */
  readonly view: RequestView;
  readonly #board: EngineBoard;

  /** @internal */
  constructor(board: EngineBoard, view: RequestView) {
    this.#board = board;
    this.view = view;
  }

  /** The server's id of it. */
  get id(): string {
    return this.view.id;
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
  get questions(): Question[] {
    return this.view.ask.kind === "questions" ? this.view.ask.questions : [];
  }

  /** The permission that is asked for; none of a question. */
  get permission(): Permission | undefined {
    return this.view.ask.kind === "permission" ? this.view.ask.permission : undefined;
  }

  /**
   * Answers it. Resolves when the request has ended, with how: `confirmed` means that the agent has this answer.
   *
   * @throws {@link InvalidAnswerError} when the reply does not fit, {@link AlreadySentError}, {@link RequestEndedError},
   * {@link UnknownRequestError}, {@link DisposedError}
   */
  answer(reply: QuestionReply | PermissionReply, options: CallOptions = {}): Promise<Outcome> {
    return guarded(() => this.#board.answer(this.id, replyOf(reply), given(options)), options);
  }

  /** Turns its questions away, which ends the run; rejects a permission. Resolves and throws as {@link answer}. */
  dismiss(options: CallOptions = {}): Promise<Outcome> {
    return this.answer(this.view.ask.kind === "questions" ? "dismiss" : "reject", options);
  }

  /** Waits for its end without answering it. Resolves as {@link answer}. */
  wait(options: CallOptions = {}): Promise<Outcome> {
    return guarded(() => this.#board.wait(this.id, given(options)), options);
  }

  /**
   * Sends the answer of a dead question as a message that quotes it. Resolves with the id of the message.
   *
   * @throws {@link NotRescuableError}, {@link AlreadySentError}, {@link DisposedError}
   */
  rescue(options: CallOptions = {}): Promise<string> {
    return guarded(() => this.#board.rescue(this.id, given(options)), options);
  }

  /**
   * Keeps what was typed or chosen, one field per question, as long as answers are kept. Nothing is sent; a blank draft is
   * dropped. It is in the `draft` of the view.
   *
   * @throws {@link UnknownRequestError}, {@link InvalidArgumentError}
   */
  keepDraft(fields: DraftField[]): void {
    checked(() => this.#board.keepDraft(this.id, fields));
  }

  /** Gives up the answer of a request that has ended or was refused. */
  discard(): void {
    checked(() => this.#board.discard(this.id));
  }

  /** Keeps the default answer from being given: the request stays as it is. */
  stopCountdown(): void {
    checked(() => this.#board.stopCountdown(this.id));
  }
}

/** What waits for a person, oldest first: all of it, or in one session and the sessions of its sub-agents. @internal */
export function waitingRequests(board: EngineBoard, session?: string): Request[] {
  const waiting = checked(() => board.view()).requests.filter(({ state }) => state.kind === "waiting" || state.kind === "notSent");
  const ours = waiting.filter(({ origin }) => session === undefined || origin.some((place) => place.id === session));
  return ours.map((view) => new Request(board, view));
}

/** @internal */
export function replyOf(reply: QuestionReply | PermissionReply | Reply): Reply {
  if (typeof reply === "string" || Array.isArray(reply) || "reject" in reply) return reply;
  if (reply.reply !== "reject" || reply.message === undefined) return reply.reply;
  return { reject: reply.message };
}
