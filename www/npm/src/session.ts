/** A session of an agent: what is said to it, and what it asks. */
import type { Board as EngineBoard } from "../wasm/switchboard.js";
import type { Budget, Checked, Model, Round, SessionView, Timeline, TurnReply, Validated } from "../wasm/types.js";
import { needed, text } from "./arguments.js";
import { attend, type AskHandlers } from "./asking.js";
import { span, timeOut, type Duration } from "./duration.js";
import { checked, guarded, translated, type WasSent } from "./errors.js";
import { iterate } from "./iteration.js";
import { defined, given, type CallOptions } from "./options.js";
import { connected, reached } from "./reached.js";
import { Request, waitingRequests } from "./request.js";
import { tell, telling } from "./tell.js";

/** Who takes a message, and with which model. */
export interface AgentOptions {
  /** Defaults to the agent of the session's last message. */
  agent?: string | undefined;
  /** Defaults to the model of the session's last message. */
  model?: Model | undefined;
}

/** How to wait for a reply. */
export interface ReplyOptions extends AgentOptions, CallOptions, AskHandlers {
  /** How long to wait, from now. Defaults to 30 minutes. */
  timeout?: Duration | "never" | undefined;
  /** Whether the end of the wait, by time-out or signal, stops the agent, too. Defaults to `false`. */
  stop?: boolean | undefined;
  /** Told whether the message has reached the server, when the signal ends the wait. */
  onAborted?: (sent: WasSent) => void;
}

/** How a reply is checked, and how often. */
export interface ValidationOptions extends Omit<ReplyOptions, "onAborted"> {
  /**
   * A shell command that the OpenCode server runs in the directory of the session, and that exits with 0 when all is well;
   * or a function. What a function throws ends the loop.
   */
  check: string | ((reply: TurnReply) => Checked | Promise<Checked>);
  /** Replies that are checked. Defaults to 5. */
  rounds?: number;
  /** What all replies together may cost: `tokens`, `cost` in dollars, `time`. */
  budget?: Omit<Budget, "time"> & { time?: Duration };
  /** Told of each round. */
  onRound?: (round: Round) => void;
  /** How long a command may take; it is stopped then. Defaults to 10 minutes. */
  commandTimeout?: Duration;
  /** The agent whose rules hold for a command. Defaults to `build`. */
  commandAgent?: string;
}

/** Which session of a board was opened last. */
const shown = new WeakMap<EngineBoard, string>();

/** A session. It lives on the server: dropping this object changes nothing. */
export class Session {
  /** Its id. */
  readonly id: string;
  readonly #board: EngineBoard;

  /** @internal */
  constructor(board: EngineBoard, id: string) {
    this.#board = board;
    this.id = id;
  }

  /** What is known of it now; none before the server has listed it. */
  get view(): SessionView | undefined {
    return checked(() => this.#board.view()).sessions.find((session) => session.id === this.id);
  }

  /** What waits for a person in it and in the sessions of its sub-agents, oldest first. */
  requests(): Request[] {
    return waitingRequests(this.#board, this.id);
  }

  /**
   * Its messages with the text that streams, and the newest state of them whenever that has changed. A slow reader skips states.
   * One session of a board is open at a time: the loop ends when another one is opened, or the board is closed.
   *
   * @throws {@link DisposedError}
   */
  timeline(options: CallOptions = {}): AsyncIterableIterator<Timeline, undefined> {
    const open = () => {
      const items = this.#board.timeline(this.id);
      shown.set(this.#board, this.id);
      return items;
    };
    return iterate(this.#board, open, (timeline) => timeline, options.signal);
  }

  /**
   * Asks for the messages before the oldest one that its {@link timeline} shows; they come there. Nothing happens when there are
   * none, as its `older` tells, or when no timeline of it is open.
   */
  loadOlder(): void {
    if (shown.get(this.#board) === this.id) checked(() => this.#board.loadOlder());
  }

  /** What was typed for it and not sent; empty when nothing was. */
  get draft(): string {
    return checked(() => this.#board.view()).promptDrafts[this.id] ?? "";
  }

  /** Keeps what was typed for it, as long as answers are kept. Nothing is sent; a blank text drops the draft. */
  keepDraft(draft: string): void {
    checked(() => this.#board.keepPromptDraft(this.id, text(draft, "keepDraft: draft")));
  }

  /**
   * Prompts it, and waits for the reply: all that the agent says until the run ends that covers the prompt. Meanwhile the
   * handlers answer what it and its sub-agents ask. A prompt answers no question.
   *
   * @throws {@link TimedOutError} with `sent` and the `text` so far, {@link UnknownSessionError}, {@link EmptyPromptError},
   * {@link NotConnectedError}, {@link RefusedError}, {@link DisposedError}
   */
  prompt(message: string, options: ReplyOptions = {}): Promise<TurnReply> {
    return this.#attended("prompt", message, options, (prompt, given) => this.#board.promptForReply(this.id, prompt, given));
  }

  /** The same for a text that a program made: what is longer than 102,400 bytes of UTF-8 is cut. */
  followUp(message: string, options: ReplyOptions = {}): Promise<TurnReply> {
    return this.#attended("followUp", message, options, (prompt, given) => this.#board.followUp(this.id, prompt, given));
  }

  /**
   * Prompts it, and follows up with what a check says until it passes, the rounds or the budget are used up, or the same
   * failure comes twice. Resolves with how that ended, also when there is no reply.
   *
   * @throws {@link InvalidArgumentError}, {@link UnknownSessionError}
   */
  untilValid(message: string, options: ValidationOptions): Promise<Validated> {
    return this.#attended("untilValid", message, options, async (prompt, given) => {
      const { check, rounds, budget, commandAgent } = options;
      const validated = await this.#board.untilValid(this.id, prompt, {
        ...given,
        ...defined({ rounds, onRound: telling(options.onRound), commandAgent, commandTimeout: span(options.commandTimeout, "commandTimeout") }),
        check,
        ...(budget && { budget: defined({ ...budget, time: span(budget.time, "budget.time") }) }),
      });
      const { end } = validated;
      return end.kind === "noReply" ? { ...validated, end: { ...end, error: translated(end.error) as Error } } : validated;
    });
  }

  /**
   * Stops its run. Resolves when the server has said yes, which is before the run has ended.
   *
   * @throws {@link NotConnectedError}, {@link RefusedError}, {@link UnauthorizedError}, {@link InDoubtError},
   * {@link DisposedError}
   */
  abort(options: CallOptions = {}): Promise<void> {
    return guarded(async () => {
      const reaching = connected(this.#board, "abort", options.signal, this.id);
      if (reaching) await reaching;
      return this.#board.abort(this.id, given(options));
    }, options);
  }

  #attended<T>(
    call: string,
    message: string,
    options: ReplyOptions,
    work: (prompt: string, given: EngineReplyOptions) => Promise<T>,
  ): Promise<T> {
    return guarded(async () => {
      const prompt = text(message, `${call}: message`);
      const { signal } = needed(options, call);
      const over = new AbortController();
      try {
        const reaching = reached(this.#board, signal, this.id);
        if (reaching) await reaching;
        signal?.throwIfAborted();
      } catch (reason) {
        tell(options.onAborted, "no");
        throw reason;
      }
      try {
        const begun = checked(() => work(prompt, engineOptions(options)));
        void attend(this.#board, this.id, options, over.signal);
        return await begun;
      } finally {
        over.abort();
      }
    }, options);
  }
}

type EngineReplyOptions = import("../wasm/types.js").ReplyOptions;

function engineOptions(options: ReplyOptions): EngineReplyOptions {
  const { agent, model, signal, stop } = options;
  const timeout = timeOut(options.timeout, "timeout");
  return defined({ agent, model, signal, stop, onAborted: telling(options.onAborted), timeout });
}
