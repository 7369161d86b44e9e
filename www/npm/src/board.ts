/// <reference lib="esnext.disposable" preserve="true" />
/** One OpenCode server, and everything that waits there for a person. */
import type { Board as EngineBoard } from "../wasm/switchboard.js";
import type { Dispatched, Figures, Outcome, Reply, ShellResult, TurnReply, View } from "../wasm/types.js";
import { callback, known, list, text, type Known } from "./arguments.js";
import { closed } from "./closing.js";
import { span, type Duration } from "./duration.js";
import { InvalidArgumentError, checked, guarded, translated } from "./errors.js";
import { iterate, type Updates } from "./iteration.js";
import { about } from "./naming.js";
import { CALL, defined, type CallOptions } from "./options.js";
import { addressable, connected, expectLogin, openBoard, ready } from "./reached.js";
import { findRequest, sendAnswer, waitingRequests, type AgentRequest, type PermissionReply, type QuestionReply } from "./request.js";
import { readVerdict, tallyOf, type ReadVerdict, type Tally, type VerdictOptions } from "./reviews.js";
import { AGENT, Session, type AgentOptions } from "./session.js";
import { frozen, indexOf, viewOf } from "./snapshot.js";
import { subscribe } from "./subscription.js";
import { tell } from "./tell.js";
import { policies, type Unattended } from "./unattended.js";

/** A name and a password; without a password none is sent. */
export interface Credentials {
  /** Defaults to `opencode`. */
  username?: string | undefined;
  password?: string | undefined;
}

const CREDENTIALS: Known<Credentials> = { username: true, password: true };

/** A new session. */
export interface CreateSessionOptions extends CallOptions {
  /** Where its agent works. Defaults to the directory of the board. */
  directory?: string | undefined;
  /** Defaults to one that the server makes up. */
  title?: string | undefined;
}

/** @internal */
export const CREATE: Known<CreateSessionOptions> = { ...CALL, directory: true, title: true };

/** What one agent is to do. */
export interface Job extends AgentOptions {
  prompt: string;
  /** Where it works. Defaults to the directory of the session in `madeFor`, else of the board. */
  directory?: string | undefined;
  /** The title of its session. Defaults to the name of its agent. */
  title?: string | undefined;
  /** The id of the session that it is dispatched for. */
  madeFor?: string | undefined;
  /** How long it may take, from its own beginning. Defaults to the time-out of the dispatch. */
  timeout?: Duration | undefined;
}

const JOB: Known<Job> = { ...AGENT, prompt: true, directory: true, title: true, madeFor: true, timeout: true };

/** How agents are dispatched. */
export interface DispatchOptions extends CallOptions {
  /** How many work at once. Defaults to 4. */
  atOnce?: number | undefined;
  /** How long each may take. Defaults to what the rules of completion say for its agent and model: 180 s, a safety net, not a wait. */
  timeout?: Duration | undefined;
  /**
   * The rules of completion, as JSON. A browser defaults to those in its `localStorage` (`switchboard:completion`), where they
   * are written on first use.
   */
  completion?: string | undefined;
  /** Whether an agent that takes too long is stopped. Defaults to `true`; what it has asked ends with it. */
  stop?: boolean | undefined;
}

const DISPATCH: Known<DispatchOptions> = { ...CALL, atOnce: true, timeout: true, completion: true, stop: true };

/** How reviewers are dispatched. */
export interface ReviewOptions extends DispatchOptions, VerdictOptions {
  /** Told of each agent as it ends. */
  onVerdict?: ((reviewed: Reviewed) => void) | undefined;
}

const REVIEW: Known<ReviewOptions> = { ...DISPATCH, format: true, onVerdict: true };

/** A reviewer of a session. */
export interface Reviewer extends AgentOptions {
  /** Such as `security`. */
  name: string;
  /** What it looks for. */
  prompt: string;
  /** How long it may take, from its own beginning. Defaults to the time-out of the review. */
  timeout?: Duration | undefined;
}

const REVIEWER: Known<Reviewer> = { ...AGENT, name: true, prompt: true, timeout: true };

/** Who reviews a session, and what they look at. */
export interface SessionReviewOptions extends ReviewOptions {
  reviewers: readonly Reviewer[];
  /** A change, or the names of files. */
  material: string;
  /** Where they work. Defaults to the directory of the session. */
  directory?: string | undefined;
}

const SESSION_REVIEW: Known<SessionReviewOptions> = { ...REVIEW, reviewers: true, material: true, directory: true };

/** How one reviewer has fared. Without a reply there is no verdict. */
export type Reviewed = Dispatched & Partial<ReadVerdict>;

/** What all reviewers said, in the order of their jobs. */
export interface Review {
  results: Reviewed[];
  tally: Tally;
}

/** A command for the server's machine. */
export interface ShellOptions extends CallOptions {
  /** For `sh`. */
  command: string;
  /** Where it runs. Defaults to the directory of the session in `madeFor`, else of the board. */
  directory?: string | undefined;
  /** The title of its session. Defaults to the command. */
  title?: string | undefined;
  /** The id of the session that it is run for. */
  madeFor?: string | undefined;
  /** It is stopped then. Defaults to 10 minutes. */
  timeout?: Duration | undefined;
  /** The agent whose rules hold. Defaults to `build`. */
  agent?: string | undefined;
}

const SHELL: Known<ShellOptions> = { ...CALL, command: true, directory: true, title: true, madeFor: true, timeout: true, agent: true };

/** Who takes a prompt, and the signal of the call. */
export interface SendOptions extends AgentOptions, CallOptions {}

const SEND: Known<SendOptions> = { ...AGENT, ...CALL };

/** One server. It is read until the board is closed. */
export class Board implements AsyncDisposable {
  readonly #board: EngineBoard;
  readonly #directory: string | undefined;

  /** @internal */
  constructor(board: EngineBoard, directory: string | undefined) {
    this.#board = board;
    this.#directory = directory;
  }

  /** The name of its server. */
  get name(): string {
    return viewOf(this.#board).server.name;
  }

  /**
   * Calls back whenever {@link getSnapshot} gives another view, until the function that it returns is called. Both need no `this`,
   * as in `useSyncExternalStore(board.subscribe, board.getSnapshot)`.
   */
  readonly subscribe = (onChange: () => void): (() => void) => subscribe(this.#board, this.getSnapshot, onChange);

  /** What is known now, as {@link view}. */
  readonly getSnapshot = (): View => viewOf(this.#board);

  /** What is known now: the same frozen object until something has changed, and in the next one the same parts where they have not. */
  view(): View {
    return viewOf(this.#board);
  }

  /**
   * Resolves when everything has been read once: what {@link requests} and {@link sessions} do not have then is not there, unless its
   * directory is in `view().server.failing`. A directory that hangs delays it by 8 s. Rejects when it is known that the server does
   * not answer. It may be called again later: the board goes on trying until it is closed.
   *
   * @throws {@link NotConnectedError} when the server cannot be reached, {@link UnauthorizedError} when it wants a password,
   * {@link DisposedError}
   */
  ready(options: CallOptions = {}): Promise<void> {
    return guarded(() => ready(this.#board, known(options, "ready", CALL)), options, this.#board);
  }

  /**
   * The present view, and the newest one whenever it has changed. A slow reader skips views, and makes nothing grow. It ends
   * when the board is closed or the loop is left, and rejects with the reason of its signal.
   */
  views(options: CallOptions = {}): Updates<View> {
    return iterate(this.#board, () => this.#board.views(), frozen, known(options, "views", CALL).signal);
  }

  /** Everything that waits for a person, oldest first, as far as it has been read: all of it once {@link ready} has resolved. */
  requests(): AgentRequest[] {
    return waitingRequests(this.#board);
  }

  /**
   * A request by its id, at once where the view has it, whatever became of it. Else everything is read once more, three reads for
   * each directory that is known: `undefined` then means that it did not wait when this was called.
   *
   * @throws {@link NotConnectedError} when it was not found and the server, or one of its directories, cannot be read,
   * {@link UnauthorizedError}, {@link DisposedError}
   */
  request(id: string, options: CallOptions = {}): Promise<AgentRequest | undefined> {
    return findRequest(this.#board, id, options);
  }

  /** All sessions that are known, newest first. */
  sessions(): Session[] {
    return this.view().sessions.map(({ id }) => new Session(this.#board, id));
  }

  /** A session by its id. Whether there is one shows when it is spoken to. */
  session(id: string): Session {
    return new Session(this.#board, text(id, "session: id"));
  }

  /**
   * Makes a session.
   *
   * @throws {@link NotConnectedError}, {@link RefusedError}, {@link UnauthorizedError}, {@link DisposedError};
   * {@link InDoubtError} when there may be one: it then appears in the view
   */
  createSession(options: CreateSessionOptions = {}): Promise<Session> {
    return guarded(async () => {
      const { title, signal } = known(options, "createSession", CREATE);
      const directory = this.#placeOf("createSession", options);
      await connected(this.#board, "createSession", { signal });
      const id = await this.#board.createSession({ directory, ...defined({ title, signal }) });
      return new Session(this.#board, id);
    }, options, this.#board);
  }

  /**
   * Answers a request by its id, as the board knows it at the call, or as {@link request} finds it. See {@link AgentRequest.answer},
   * which is for the request as it was looked at.
   *
   * @throws {@link UnknownRequestError} when no such request waits; {@link NotConnectedError}, {@link UnauthorizedError} when it is
   * not shown and that cannot be known
   */
  answer(requestId: string, reply: Reply | QuestionReply | PermissionReply, options: CallOptions = {}): Promise<Outcome> {
    return guarded(async () => sendAnswer(this.#board, text(requestId, "answer: requestId"), undefined, reply, options), options, this.#board);
  }

  /**
   * Prompts a session by its id. Resolves with the id of the message when the server shows it; {@link Session.prompt} waits
   * for the reply.
   *
   * @throws {@link UnknownSessionError}, {@link NotConnectedError}, {@link UnauthorizedError}, {@link EmptyPromptError},
   * {@link RefusedError}, {@link DisposedError}
   */
  prompt(sessionId: string, message: string, options: SendOptions = {}): Promise<string> {
    return guarded(async () => {
      const { agent, model, signal } = known(options, "prompt", SEND);
      const [session, prompt] = [text(sessionId, "prompt: sessionId"), text(message, "prompt: message")];
      const reaching = addressable(this.#board, "prompt", session, { signal });
      if (reaching) await reaching;
      return this.#board.prompt(session, prompt, defined({ agent, model, signal }));
    }, options, this.#board);
  }

  /** Stops the run of a session by its id. See {@link Session.abort}. */
  abort(sessionId: string, options: CallOptions = {}): Promise<void> {
    return guarded(async () => this.session(text(sessionId, "abort: sessionId")).abort(options), options, this.#board);
  }

  /**
   * Starts agents side by side, each in a session of its own, and gives their replies in the order in which they end. One that
   * hangs holds nobody up. Leaving the loop starts no more agents; those that work go on.
   *
   * @throws {@link InvalidArgumentError}, {@link DisposedError}; from the loop {@link NotConnectedError},
   * {@link UnauthorizedError}
   */
  dispatched(jobs: readonly Job[], options: DispatchOptions = {}): Updates<Dispatched> {
    return this.#dispatch("dispatched", jobs, known(options, "dispatched", DISPATCH));
  }

  /**
   * Starts reviewers side by side, reads the verdict in each reply, and adds them up. Resolves when all have ended; one that
   * fails or says nothing that can be read is silent.
   *
   * @throws {@link InvalidArgumentError}, {@link NotConnectedError}, {@link UnauthorizedError}, {@link DisposedError}
   */
  dispatch(jobs: readonly Job[], options: ReviewOptions = {}): Promise<Review> {
    return guarded(async () => {
      const { onVerdict, format } = known(options, "dispatch", REVIEW);
      callback(onVerdict, "dispatch: onVerdict");
      const results: Reviewed[] = [];
      for await (const dispatched of this.#dispatch("dispatch", jobs, options)) {
        const reviewed = await review(dispatched, { format });
        results[reviewed.index] = reviewed;
        tell(onVerdict, reviewed);
      }
      return { results, tally: tallyOf(results.map((reviewed) => reviewed.verdict ?? null)) };
    }, options, this.#board);
  }

  /**
   * Asks reviewers about a session, side by side and each in a session of its own, and adds their verdicts up. Each is told what to
   * look for and at what, to change no file, and to answer in the form that {@link readVerdict} reads. Resolves when all have
   * ended; one that fails or says nothing that can be read is silent.
   *
   * @throws {@link InvalidArgumentError}, {@link NotConnectedError}, {@link UnauthorizedError}, {@link DisposedError}
   */
  review(sessionId: string, options: SessionReviewOptions): Promise<Review> {
    return guarded(async () => {
      const madeFor = text(sessionId, "review: sessionId");
      const { reviewers, material, directory, ...dispatching } = known(options, "review", SESSION_REVIEW);
      const looksAt = text(material, "review: material");
      await connected(this.#board, "review", { signal: dispatching.signal });
      const jobs = list(reviewers, "review: reviewers").map((reviewer) => {
        const { name, prompt, ...rest } = known(reviewer, "review: a reviewer", REVIEWER);
        const told = this.#board.reviewPrompt(text(name, "review: name"), text(prompt, "review: prompt"), looksAt);
        return { ...rest, prompt: told, title: `Review: ${name}`, madeFor, directory };
      });
      return this.dispatch(jobs, dispatching);
    }, options, this.#board);
  }

  #dispatch(call: string, jobs: readonly Job[], options: DispatchOptions): Updates<Dispatched> {
    const { atOnce, completion, stop, signal } = options;
    const timeout = span(options.timeout, "timeout");
    const placed = list(jobs, `${call}: jobs`).map((job) => {
      const { madeFor, directory } = known(job, `${call}: a job`, JOB);
      return engineJob(job, this.#placeOf(call, { madeFor, directory }));
    });
    const open = () => this.#board.dispatch(placed, defined({ atOnce, completion, stop, signal, timeout }));
    return iterate(this.#board, open, (dispatched) => shown(this.#board, dispatched), signal, () => connected(this.#board, call, { signal }));
  }

  /**
   * Runs a command on the server's machine, once: it is never sent again.
   *
   * @throws {@link TimedOutError} with the `text` that it printed, {@link NotConnectedError}, {@link UnauthorizedError},
   * {@link RefusedError}, {@link InDoubtError}, {@link DisposedError}
   */
  shell(options: ShellOptions): Promise<ShellResult> {
    return guarded(async () => {
      const { command, title, madeFor, agent: commandAgent, signal } = known(options, "shell", SHELL);
      const commandTimeout = span(options.timeout, "timeout");
      await connected(this.#board, "shell", { signal });
      const directory = this.#placeOf("shell", options);
      return this.#board.shell({ directory, command, ...defined({ title, madeFor, commandAgent, commandTimeout, signal }) });
    }, options, this.#board);
  }

  /**
   * When each request of the last 30 days was asked, seen, answered, accepted and confirmed, and by whom.
   *
   * @throws {@link DisposedError}
   */
  figures(): Figures {
    return checked(() => openBoard(this.#board, "figures").figures(), this.#board);
  }

  /** Sets what happens to requests that nobody answers. @throws {@link InvalidArgumentError}, {@link DisposedError} */
  setUnattended(unattended: Unattended): void {
    const given = policies(unattended, "setUnattended");
    checked(() => openBoard(this.#board, "setUnattended").setUnattended(given), this.#board);
  }

  /** Gives another name and password. What waits for them goes on at once. @throws {@link DisposedError} */
  setCredentials(credentials: Credentials): void {
    const { username, password } = known(credentials, "setCredentials", CREDENTIALS);
    checked(() => openBoard(this.#board, "setCredentials").setCredentials(defined({ username, password })), this.#board);
    expectLogin(this.#board);
  }

  /** Gives up a prompt that was not taken, by the `entry` of its view. @throws {@link DisposedError} */
  discardPrompt(entry: string): void {
    checked(() => openBoard(this.#board, "discardPrompt").discardPrompt(text(entry, "discardPrompt: entry")), this.#board);
  }

  /** Reads everything at once. @throws {@link DisposedError} */
  tryNow(): void {
    checked(() => openBoard(this.#board, "tryNow").tryNow(), this.#board);
  }

  /**
   * Ends everything; twice is fine. Resolves when what was said before is kept, 2 s later at most. What was not delivered goes
   * on with the next connection that has the same storage.
   */
  close(): Promise<void> {
    return guarded(async () => {
      closed(this.#board);
      await this.#board.close();
    });
  }

  /** Closes it, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Where something is done that says nothing else. */
  #placeOf(call: string, { directory, madeFor }: { directory?: string | undefined; madeFor?: string | undefined }): string {
    const owner = madeFor === undefined ? undefined : this.session(madeFor).view?.directory;
    const place = directory ?? owner ?? this.#directory;
    if (place === undefined) throw new InvalidArgumentError(`${call}: name a directory, here or in connect`);
    return place;
  }
}

async function review(dispatched: Dispatched, options: VerdictOptions): Promise<Reviewed> {
  if (!dispatched.reply) return dispatched;
  return { ...dispatched, ...(await readVerdict((dispatched.reply as TurnReply).text, options)) };
}

function shown(board: EngineBoard, dispatched: Dispatched): Dispatched {
  return dispatched.error ? { ...dispatched, error: translated(dispatched.error, about(board)) as Error } : dispatched;
}

function engineJob({ prompt, title, madeFor, agent, model, timeout }: Job, directory: string) {
  return { directory, prompt, ...defined({ title, madeFor, agent, model, timeout: span(timeout, "timeout") }) };
}
