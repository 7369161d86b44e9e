/// <reference lib="esnext.disposable" preserve="true" />
/** One OpenCode server, and everything that waits there for a person. */
import type { Board as EngineBoard } from "../wasm/switchboard.js";
import type {
  Dispatched,
  Figures,
  LogRecord,
  Outcome,
  Policy as EnginePolicy,
  Reply,
  ShellResult,
  TurnReply,
  Unattended as EngineUnattended,
  View,
} from "../wasm/types.js";
import { engine } from "./engine.js";
import { callback, known, list, text, type Known } from "./arguments.js";
import { closed, onClose } from "./closing.js";
import { span, timeOut, type Duration } from "./duration.js";
import { InvalidArgumentError, checked, guarded, translated } from "./errors.js";
import { iterate, type Updates } from "./iteration.js";
import { CALL, defined, type CallOptions } from "./options.js";
import { addressable, connected, expectLogin, openBoard, ready } from "./reached.js";
import { requestOf, sendAnswer, waitingRequests, type AgentRequest, type PermissionReply, type QuestionReply } from "./request.js";
import { readVerdict, tallyOf, type ReadVerdict, type Tally, type VerdictOptions } from "./reviews.js";
import { AGENT, Session, type AgentOptions } from "./session.js";
import { frozen, indexOf, viewOf } from "./snapshot.js";
import { MemoryStorage, checkedStorage, type LedgerStorage } from "./storage.js";
import { subscribe } from "./subscription.js";
import { tell, telling } from "./tell.js";
import { refusingRedirects } from "./workers.js";

/** Which server, and how. */
export interface ConnectOptions {
  /** Its address, such as `http://127.0.0.1:4096`. Never put a password into it. */
  baseUrl: string | URL;
  /** The name to log in with. Defaults to `opencode`. */
  username?: string | undefined;
  /** The password; without one none is sent. */
  password?: string | undefined;
  /** Limits the board to this directory, and is where new sessions work. Defaults to all of the server. */
  directory?: string | undefined;
  /** Closes the board when it is aborted. */
  signal?: AbortSignal | undefined;
  /**
   * How long a request may wait for an answer, from when it was first seen. Defaults to 30 minutes. Who awaits it is then
   * freed; the request stays answerable.
   */
  requestTimeout?: Duration | "never" | undefined;
  /** What happens to requests that nobody answers; in place of `requestTimeout`. */
  unattended?: Unattended | undefined;
  /** Writes each decision to the console, at debug level, or gives it to a function. Defaults to `false`. */
  log?: boolean | ((record: LogRecord) => void) | undefined;
  /** Makes the requests. Defaults to the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /**
   * Keeps the ledger: what is on its way, drafts and figures. Defaults to IndexedDB in a browser. Elsewhere it defaults to the
   * memory of this process: what is not delivered when a board is closed goes on with the next board of this process that has the
   * same `baseUrl` and `username`, and ends with the process. Give a `FileStorage` where it must outlive the process.
   */
  storage?: LedgerStorage | undefined;
}

const CONNECT: Known<ConnectOptions> = {
  baseUrl: true,
  username: true,
  password: true,
  directory: true,
  signal: true,
  requestTimeout: true,
  unattended: true,
  log: true,
  fetch: true,
  storage: true,
};

/** What happens to one kind of request that nobody answers. */
export interface Policy {
  /** After how long, counted from when the request was first seen. Defaults to 30 minutes. */
  after?: Duration | "never" | undefined;
  /**
   * What happens then, beyond freeing who waits. `"leave"`, the default, leaves it answerable. `{ answer }` gives questions
   * that have an option with this label that answer, after a countdown of 60 s; never permissions.
   */
  then?: "leave" | "reject" | { answer: string } | undefined;
}

const POLICY: Known<Policy> = { after: true, then: true };

/** What happens to requests that nobody answers. The most exact policy holds: of the session, else of the kind. */
export interface Unattended {
  questions?: Policy | undefined;
  permissions?: Policy | undefined;
  /** By the ids of sessions. */
  sessions?: Record<string, Policy> | undefined;
}

const UNATTENDED: Known<Unattended> = { questions: true, permissions: true, sessions: true };

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

const CREATE: Known<CreateSessionOptions> = { ...CALL, directory: true, title: true };

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

/** The default stores where there is no IndexedDB, by user name: nobody delivers what another user has said. */
const memories = /* @__PURE__ */ new Map<string | undefined, MemoryStorage>();

/** Connects over an engine that is loaded. @internal */
export function open(options: ConnectOptions): Promise<Board> {
  return guarded(async () => {
    const { baseUrl, username, password, directory, signal, log, fetch } = known(options, "connect", CONNECT);
    const storage = options.storage === undefined ? defaultStorage(username) : checkedStorage(options.storage);
    const board = await engine().connect({
      baseUrl: baseUrl instanceof URL ? baseUrl.href : baseUrl,
      ...defined({
        username,
        password,
        directory,
        signal,
        log: typeof log === "function" ? telling(log) : log,
        fetch: refusingRedirects(fetch),
        storage,
        requestTimeout: timeOut(options.requestTimeout, "requestTimeout"),
        unattended: options.unattended && policies(options.unattended, "connect: unattended"),
      }),
    });
    if (signal) closeOn(signal, board);
    return new Board(board, directory);
  }, options);
}

/** The engine has one of its own where there is IndexedDB. */
function defaultStorage(username: string | undefined): LedgerStorage | undefined {
  if (typeof indexedDB !== "undefined") return undefined;
  const memory = memories.get(username) ?? new MemoryStorage();
  memories.set(username, memory);
  return memory;
}

/** The engine closes itself then; what is left on this side goes with it. */
function closeOn(signal: AbortSignal, board: EngineBoard): void {
  const onAbort = () => closed(board);
  onClose(board, () => signal.removeEventListener("abort", onAbort));
  signal.addEventListener("abort", onAbort, { once: true });
}

/** One server. It is read until the board is closed. */
export class Board implements AsyncDisposable {
  readonly #board: EngineBoard;
  readonly #directory: string | undefined;

  /** @internal */
  constructor(board: EngineBoard, directory: string | undefined) {
    this.#board = board;
    this.#directory = directory;
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
   * Resolves when the server has answered, and rejects when it is known that it does not. It may be called again later: the board
   * goes on trying until it is closed.
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

  /** Everything that waits for a person, oldest first. */
  requests(): AgentRequest[] {
    return waitingRequests(this.#board);
  }

  /** A request that is shown, whatever became of it. */
  request(id: string): AgentRequest | undefined {
    const view = indexOf(this.#board).requests.get(id);
    return view && requestOf(this.#board, view);
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
   * Answers a request by its id, as the board knows it at the call. See {@link AgentRequest.answer}, which is for the request as it was
   * looked at.
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

  #dispatch(call: string, jobs: readonly Job[], options: DispatchOptions): Updates<Dispatched> {
    const { atOnce, completion, stop, signal } = options;
    const timeout = span(options.timeout, "timeout");
    const placed = list(jobs, `${call}: jobs`).map((job) => {
      const { madeFor, directory } = known(job, `${call}: a job`, JOB);
      return engineJob(job, this.#placeOf(call, { madeFor, directory }));
    });
    const open = () => this.#board.dispatch(placed, defined({ atOnce, completion, stop, signal, timeout }));
    return iterate(this.#board, open, shown, signal, () => connected(this.#board, call, { signal }));
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
    return checked(() => openBoard(this.#board, "figures").figures());
  }

  /** Sets what happens to requests that nobody answers. @throws {@link InvalidArgumentError}, {@link DisposedError} */
  setUnattended(unattended: Unattended): void {
    const given = policies(unattended, "setUnattended");
    checked(() => openBoard(this.#board, "setUnattended").setUnattended(given));
  }

  /** Gives another name and password. What waits for them goes on at once. @throws {@link DisposedError} */
  setCredentials(credentials: Credentials): void {
    const { username, password } = known(credentials, "setCredentials", CREDENTIALS);
    checked(() => openBoard(this.#board, "setCredentials").setCredentials(defined({ username, password })));
    expectLogin(this.#board);
  }

  /** Gives up a prompt that was not taken, by the `entry` of its view. @throws {@link DisposedError} */
  discardPrompt(entry: string): void {
    checked(() => openBoard(this.#board, "discardPrompt").discardPrompt(text(entry, "discardPrompt: entry")));
  }

  /** Reads everything at once. @throws {@link DisposedError} */
  tryNow(): void {
    checked(() => openBoard(this.#board, "tryNow").tryNow());
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

function shown(dispatched: Dispatched): Dispatched {
  return dispatched.error ? { ...dispatched, error: translated(dispatched.error) as Error } : dispatched;
}

function engineJob({ prompt, title, madeFor, agent, model, timeout }: Job, directory: string) {
  return { directory, prompt, ...defined({ title, madeFor, agent, model, timeout: span(timeout, "timeout") }) };
}

function policies(unattended: Unattended, call: string): EngineUnattended {
  const { questions, permissions, sessions } = known(unattended, call, UNATTENDED);
  const policy = (given: Policy, of: string): EnginePolicy => {
    const { after, then } = known(given, `${call}: ${of}`, POLICY);
    return defined({ after: timeOut(after, "after"), then });
  };
  const bySession = sessions && Object.entries(sessions).map(([id, given]) => [id, policy(given, `sessions.${id}`)] as const);
  return defined({
    questions: questions && policy(questions, "questions"),
    permissions: permissions && policy(permissions, "permissions"),
    sessions: bySession && Object.fromEntries(bySession),
  });
}
