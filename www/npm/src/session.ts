/** A session of an agent: what is said to it, and what it asks. */
import type { Board as EngineBoard } from "../wasm/switchboard.js";
import type { Checked, Model, Round, SessionView, Timeline, TurnReply, Validated } from "../wasm/types.js";
import { callback, known, text, type Known } from "./arguments.js";
import { HANDLERS, attend, checkHandlers, type AskHandlers } from "./asking.js";
import { span, timeOut, type Duration } from "./duration.js";
import { NotConnectedError, checked, guarded, translated, type WasSent } from "./errors.js";
import { iterate, type Updates } from "./iteration.js";
import { about } from "./naming.js";
import { CALL, defined, given, type CallOptions } from "./options.js";
import { addressable, connected, openBoard } from "./reached.js";
import { waitingRequests, type AgentRequest } from "./request.js";
import { frozen, indexOf, viewOf } from "./snapshot.js";
import { subscribe } from "./subscription.js";
import { tell, telling } from "./tell.js";

/** Who takes a message, and with which model. */
export interface AgentOptions {
  /** Defaults to the agent of the session's last message. */
  agent?: string | undefined;
  /** Defaults to the model of the session's last message. */
  model?: Model | undefined;
}

/** @internal */
export const AGENT: Known<AgentOptions> = { agent: true, model: true };

/** How to wait for a reply. */
export interface ReplyOptions extends AgentOptions, CallOptions, AskHandlers {
  /**
   * How long to wait, from the call, a connection that is still being made included. Defaults to 30 minutes. When the time is up
   * the session is read once more, since the reply may have come in time: the wait ends with that read, or 10 s later where it
   * fails.
   */
  timeout?: Duration | "never" | undefined;
  /** Whether the end of the wait, by time-out or signal, stops the agent, too. Defaults to `false`. */
  stop?: boolean | undefined;
  /** Told whether the message has reached the server, when the signal ends the wait. */
  onAborted?: ((sent: WasSent) => void) | undefined;
}

const REPLY: Known<ReplyOptions> = { ...AGENT, ...CALL, ...HANDLERS, timeout: true, stop: true, onAborted: true };

/** How a reply is checked, and how often. */
export interface ValidationOptions extends Omit<ReplyOptions, "onAborted" | "timeout"> {
  /** How long to wait for each reply, and for a connection that is still being made. Defaults to 30 minutes. */
  timeout?: Duration | "never" | undefined;
  /**
   * A shell command that the OpenCode server runs in the directory of the session, and that exits with 0 when all is well;
   * or a function. What a function throws ends the loop.
   *
   * The loop ends as `stalled` when the check fails in the same way twice in a row: a command, when it prints the same lines but for
   * times, in any order; a function, when it returns the same `output`.
   */
  check: string | ((reply: TurnReply) => Checked | Promise<Checked>);
  /** Replies that are checked. Defaults to 5. */
  rounds?: number | undefined;
  /** What all replies together may cost: `tokens`, `cost` in dollars, `time`. */
  budget?: Budget | undefined;
  /** Told of each round. */
  onRound?: ((round: Round) => void) | undefined;
  /** How long a command may take; it is stopped then, and has failed. Defaults to 10 minutes. */
  commandTimeout?: Duration | undefined;
  /** The agent whose rules hold for a command. Defaults to `build`. */
  commandAgent?: string | undefined;
}

/** What all replies of a loop of checks may cost together. */
export interface Budget {
  tokens?: number | undefined;
  /** In dollars. */
  cost?: number | undefined;
  /** From the first prompt. */
  time?: Duration | undefined;
}

const BUDGET: Known<Budget> = { tokens: true, cost: true, time: true };
const VALIDATION: Known<ValidationOptions> = {
  ...AGENT,
  ...CALL,
  ...HANDLERS,
  timeout: true,
  stop: true,
  check: true,
  rounds: true,
  budget: true,
  onRound: true,
  commandTimeout: true,
  commandAgent: true,
};

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

  /** The name of its server. */
  get server(): string {
    return viewOf(this.#board).server.name;
  }

  /** Calls back whenever {@link getSnapshot} gives another view, until the function that it returns is called. Both need no `this`. */
  readonly subscribe = (onChange: () => void): (() => void) => subscribe(this.#board, this.getSnapshot, onChange);

  /** What is known of it now, as {@link view}. */
  readonly getSnapshot = (): SessionView | undefined => indexOf(this.#board).sessions.get(this.id);

  /** What is known of it now: the same frozen object until that has changed; none before the server has listed it. */
  get view(): SessionView | undefined {
    return this.getSnapshot();
  }

  /** What waits for a person in it and in the sessions of its sub-agents, oldest first. */
  requests(): AgentRequest[] {
    return waitingRequests(this.#board, this.id);
  }

  /**
   * Its messages with the text that streams, and the newest state of them whenever that has changed: frozen, with the same objects
   * for messages that have not. A slow reader skips states.
   * One session of a board is open at a time: the loop ends when another one is opened, or the board is closed.
   *
   * @throws {@link DisposedError}
   */
  timeline(options: CallOptions = {}): Updates<Timeline> {
    const { signal } = known(options, "timeline", CALL);
    const open = () => {
      const items = openBoard(this.#board, "timeline").timeline(this.id);
      shown.set(this.#board, this.id);
      return items;
    };
    return iterate(this.#board, open, frozen, signal);
  }

  /**
   * Asks for the messages before the oldest one that its {@link timeline} shows; they come there. Nothing happens when there are
   * none, as its `older` tells, or when no timeline of it is open.
   *
   * @throws {@link DisposedError}
   */
  loadOlder(): void {
    const board = openBoard(this.#board, "loadOlder");
    if (shown.get(board) === this.id) checked(() => board.loadOlder(), board);
  }

  /** What was typed for it and not sent; empty when nothing was. */
  get draft(): string {
    return viewOf(this.#board).promptDrafts[this.id] ?? "";
  }

  /**
   * Keeps what was typed for it, as long as answers are kept. Nothing is sent; a blank text drops the draft.
   *
   * @throws {@link InvalidArgumentError}, {@link DisposedError}
   */
  keepDraft(draft: string): void {
    checked(() => openBoard(this.#board, "keepDraft").keepPromptDraft(this.id, text(draft, "keepDraft: draft")), this.#board);
  }

  /**
   * Prompts it, and waits for the reply: all that the agent says until the run ends that covers the prompt. Meanwhile the
   * handlers answer what it and its sub-agents ask. A prompt answers no question.
   *
   * @throws {@link TimedOutError} with `sent` and the `text` so far, {@link UnknownSessionError}, {@link EmptyPromptError},
   * {@link NotConnectedError}, {@link UnauthorizedError}, {@link RefusedError}, {@link DisposedError}
   */
  prompt(message: string, options: ReplyOptions = {}): Promise<TurnReply> {
    const send = (prompt: string, given: EngineReplyOptions) => this.#board.promptForReply(this.id, prompt, given);
    return this.#attended("prompt", message, options, REPLY, send);
  }

  /** The same for a text that a program made: what is longer than 102,400 bytes of UTF-8 is cut. */
  followUp(message: string, options: ReplyOptions = {}): Promise<TurnReply> {
    const send = (prompt: string, given: EngineReplyOptions) => this.#board.followUp(this.id, prompt, given);
    return this.#attended("followUp", message, options, REPLY, send);
  }

  /**
   * Prompts it, and follows up with what a check says until it passes, the rounds or the budget are used up, or it fails in
   * the same way twice in a row. Resolves with how that ended, also when there is no reply.
   *
   * @throws {@link InvalidArgumentError}, {@link UnknownSessionError}, {@link NotConnectedError}, {@link UnauthorizedError},
   * {@link DisposedError}
   */
  untilValid(message: string, options: ValidationOptions): Promise<Validated> {
    return this.#attended("untilValid", message, options, VALIDATION, async (prompt, given) => {
      const { check, rounds, budget, onRound, commandAgent } = options;
      const { timeout } = engineOptions(options);
      const validated = await this.#board.untilValid(this.id, prompt, {
        ...given,
        ...defined({ timeout, rounds, onRound: telling(onRound), commandAgent, commandTimeout: span(options.commandTimeout, "commandTimeout") }),
        check,
        ...(budget && { budget: engineBudget(budget) }),
      });
      const { end } = validated;
      return end.kind === "noReply" ? { ...validated, end: { ...end, error: translated(end.error, about(this.#board)) as Error } } : validated;
    });
  }

  /**
   * Stops its run. Resolves when the server has said yes, which is before the run has ended.
   *
   * @throws {@link NotConnectedError}, {@link RefusedError}, {@link UnauthorizedError}, {@link InDoubtError},
   * {@link DisposedError}
   */
  abort(options: CallOptions = {}): Promise<void> {
    const stop = async () => {
      const { signal } = known(options, "abort", CALL);
      const connecting = connected(this.#board, "abort", { signal });
      if (connecting) await connecting;
      const addressing = addressable(this.#board, "abort", this.id, { signal });
      if (addressing) await addressing;
      return this.#board.abort(this.id, given(options));
    };
    return guarded(stop, options, this.#board);
  }

  /** Sends a message, and has the handlers answer what is asked until its reply is there. */
  #attended<T, Options extends ReplyOptions>(
    call: string,
    message: string,
    options: Options,
    names: Known<Options>,
    send: (prompt: string, given: EngineReplyOptions) => Promise<T>,
  ): Promise<T> {
    const begin = async () => {
      const prompt = text(message, `${call}: message`);
      const { signal, onAborted } = known<ReplyOptions>(options, call, names);
      checkHandlers(options, call);
      const given = engineOptions(options);
      const { timeout } = given;
      const asked = performance.now();
      const over = new AbortController();
      try {
        const reaching = this.#addressable(call, { signal, timeout });
        if (reaching) await reaching;
        signal?.throwIfAborted();
      } catch (reason) {
        if (signal?.aborted) tell(onAborted, "no");
        throw reason;
      }
      const left = typeof timeout === "number" ? { timeout: Math.max(timeout - (performance.now() - asked), 0) } : {};
      try {
        const begun = checked(() => send(prompt, { ...given, ...left }), this.#board);
        void attend(this.#board, this.id, options, over.signal);
        return await begun;
      } finally {
        over.abort();
      }
    };
    return guarded(begin, options, this.#board);
  }

  /** In the words that callers who wait for a reply know. */
  #addressable(call: string, wait: { signal: AbortSignal | undefined; timeout: number | "never" | undefined }): Promise<void> | undefined {
    const inTheirWords = (error: unknown) => {
      throw error instanceof NotConnectedError ? new NotConnectedError("OpenCode client not initialized", { ...about(this.#board), cause: error }) : error;
    };
    try {
      return addressable(this.#board, call, this.id, wait)?.catch(inTheirWords);
    } catch (error) {
      return inTheirWords(error);
    }
  }
}

type EngineReplyOptions = import("../wasm/types.js").ReplyOptions;

function engineOptions(options: ReplyOptions): EngineReplyOptions {
  const { agent, model, signal, stop } = options;
  const timeout = timeOut(options.timeout, "timeout");
  return defined({ agent, model, signal, stop, onAborted: telling(callback(options.onAborted, "onAborted")), timeout });
}

function engineBudget(budget: Budget) {
  const { tokens, cost, time } = known(budget, "untilValid: budget", BUDGET);
  return defined({ tokens, cost, time: span(time, "budget.time") });
}
