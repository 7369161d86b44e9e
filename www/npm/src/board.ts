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
import { needed, text } from "./arguments.js";
import { closed, onClose } from "./closing.js";
import { span, timeOut, type Duration } from "./duration.js";
import { InvalidArgumentError, checked, guarded, translated } from "./errors.js";
import { iterate } from "./iteration.js";
import { defined, given, type CallOptions } from "./options.js";
import { connected, reached } from "./reached.js";
import { Request, replyOf, waitingRequests, type PermissionReply, type QuestionReply } from "./request.js";
import { readVerdict, tallyOf, type ReadVerdict, type Tally, type VerdictOptions } from "./reviews.js";
import { Session, type AgentOptions } from "./session.js";
import { MemoryStorage, type Storage } from "./storage.js";
import { tell, telling } from "./tell.js";

/** Which server, and how. */
export interface ConnectOptions {
  /** Its address, such as `http://127.0.0.1:4096`. Never put a password into it. */
  baseUrl: string;
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
  /** Keeps the ledger. Defaults to IndexedDB, and to the memory of this process where there is none. */
  storage?: Storage | undefined;
}

/** What happens to one kind of request that nobody answers. */
export interface Policy {
  /** After how long, counted from when the request was first seen. Defaults to 30 minutes. */
  after?: Duration | "never";
  /**
   * What happens then, beyond freeing who waits. `"leave"`, the default, leaves it answerable. `{ answer }` gives questions
   * that have an option with this label that answer, after a countdown of 60 s; never permissions.
   */
  then?: "leave" | "reject" | { answer: string };
}

/** What happens to requests that nobody answers. The most exact policy holds: of the session, else of the kind. */
export interface Unattended {
  questions?: Policy;
  permissions?: Policy;
  /** By the ids of sessions. */
  sessions?: Record<string, Policy>;
}

/** A new session. */
export interface CreateSessionOptions extends CallOptions {
  /** Where its agent works. Defaults to the directory of the board. */
  directory?: string | undefined;
  /** Defaults to one that the server makes up. */
  title?: string | undefined;
}

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

/** How reviewers are dispatched. */
export interface ReviewOptions extends DispatchOptions, VerdictOptions {
  /** Told of each agent as it ends. */
  onVerdict?: (reviewed: Reviewed) => void;
}

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

/** Who takes a prompt, and the signal of the call. */
export interface SendOptions extends AgentOptions, CallOptions {}

/** What is not delivered when a board without a store of its own is closed goes on with the next one. */
const MEMORY = /* @__PURE__ */ new MemoryStorage();

/** Connects over an engine that is loaded. @internal */
export function open(options: ConnectOptions): Promise<Board> {
  return guarded(async () => {
    const { baseUrl, username, password, directory, signal, log, fetch } = needed(options, "connect");
    const isWithoutDatabase = typeof indexedDB === "undefined";
    const board = await engine().connect({
      baseUrl,
      ...defined({
        username,
        password,
        directory,
        signal,
        log: typeof log === "function" ? telling(log) : log,
        fetch,
        storage: options.storage ?? (isWithoutDatabase ? MEMORY : undefined),
        requestTimeout: timeOut(options.requestTimeout, "requestTimeout"),
        unattended: options.unattended && policies(options.unattended),
      }),
    });
    if (signal) closeOn(signal, board);
    return new Board(board, directory);
  }, options);
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

  /** What is known now. */
  view(): View {
    return checked(() => this.#board.view());
  }

  /**
   * The present view, and the newest one whenever it has changed. A slow reader skips views, and makes nothing grow. It ends
   * when the board is closed or the loop is left, and rejects with the reason of its signal.
   */
  views(options: CallOptions = {}): AsyncIterableIterator<View, undefined> {
    return iterate(this.#board, () => this.#board.views(), (view) => view, options.signal);
  }

  /** Everything that waits for a person, oldest first. */
  requests(): Request[] {
    return waitingRequests(this.#board);
  }

  /** A request that is shown, whatever became of it. */
  request(id: string): Request | undefined {
    const view = this.view().requests.find((request) => request.id === id);
    return view && new Request(this.#board, view);
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
      const { title, signal } = options;
      const directory = this.#placeOf("createSession", options);
      await connected(this.#board, "createSession", signal);
      const id = await this.#board.createSession({ directory, ...defined({ title, signal }) });
      return new Session(this.#board, id);
    }, options);
  }

  /** Answers a request by its id. See {@link Request.answer}. */
  answer(requestId: string, reply: Reply | QuestionReply | PermissionReply, options: CallOptions = {}): Promise<Outcome> {
    return guarded(() => this.#board.answer(text(requestId, "answer: requestId"), replyOf(reply), given(options)), options);
  }

  /**
   * Prompts a session by its id. Resolves with the id of the message when the server shows it; {@link Session.prompt} waits
   * for the reply.
   *
   * @throws {@link UnknownSessionError}, {@link EmptyPromptError}, {@link RefusedError}, {@link DisposedError}
   */
  prompt(sessionId: string, message: string, options: SendOptions = {}): Promise<string> {
    return guarded(async () => {
      const { agent, model, signal } = options;
      const [session, prompt] = [text(sessionId, "prompt: sessionId"), text(message, "prompt: message")];
      const reaching = reached(this.#board, signal, session);
      if (reaching) await reaching;
      return this.#board.prompt(session, prompt, defined({ agent, model, signal }));
    }, options);
  }

  /** Stops the run of a session by its id. See {@link Session.abort}. */
  abort(sessionId: string, options: CallOptions = {}): Promise<void> {
    return guarded(() => this.session(text(sessionId, "abort: sessionId")).abort(options), options);
  }

  /**
   * Starts agents side by side, each in a session of its own, and gives their replies in the order in which they end. One that
   * hangs holds nobody up. Leaving the loop starts no more agents; those that work go on.
   *
   * @throws {@link InvalidArgumentError}, {@link DisposedError}; from the loop {@link NotConnectedError}
   */
  dispatched(jobs: readonly Job[], options: DispatchOptions = {}): AsyncIterableIterator<Dispatched, undefined> {
    const { atOnce, completion, stop, signal } = options;
    const timeout = span(options.timeout, "timeout");
    const placed = jobs.map((job) => engineJob(job, this.#placeOf("dispatch", job)));
    const open = () => this.#board.dispatch(placed, defined({ atOnce, completion, stop, signal, timeout }));
    return iterate(this.#board, open, shown, signal, () => connected(this.#board, "dispatch", signal));
  }

  /**
   * Starts reviewers side by side, reads the verdict in each reply, and adds them up. Resolves when all have ended; one that
   * fails or says nothing that can be read is silent.
   *
   * @throws {@link InvalidArgumentError}, {@link NotConnectedError}, {@link DisposedError}
   */
  dispatch(jobs: readonly Job[], options: ReviewOptions = {}): Promise<Review> {
    return guarded(async () => {
      const results: Reviewed[] = [];
      for await (const dispatched of this.dispatched(jobs, options)) {
        const reviewed = await review(dispatched, options);
        results[reviewed.index] = reviewed;
        tell(options.onVerdict, reviewed);
      }
      return { results, tally: tallyOf(results.map((reviewed) => reviewed.verdict ?? null)) };
    }, options);
  }

  /**
   * Runs a command on the server's machine, once: it is never sent again.
   *
   * @throws {@link TimedOutError} with the `text` that it printed, {@link NotConnectedError}, {@link RefusedError},
   * {@link InDoubtError}, {@link DisposedError}
   */
  shell(options: ShellOptions): Promise<ShellResult> {
    return guarded(async () => {
      const { command, title, madeFor, agent: commandAgent, signal } = needed(options, "shell");
      const commandTimeout = span(options.timeout, "timeout");
      await connected(this.#board, "shell", signal);
      const directory = this.#placeOf("shell", options);
      return this.#board.shell({ directory, command, ...defined({ title, madeFor, commandAgent, commandTimeout, signal }) });
    }, options);
  }

  /** When each request of the last 30 days was asked, seen, answered, accepted and confirmed, and by whom. */
  figures(): Figures {
    return checked(() => this.#board.figures());
  }

  /** Sets what happens to requests that nobody answers. */
  setUnattended(unattended: Unattended): void {
    checked(() => this.#board.setUnattended(policies(unattended)));
  }

  /** Gives another name and password. What waits for them goes on at once. */
  setCredentials(credentials: { username?: string; password?: string }): void {
    checked(() => this.#board.setCredentials(credentials));
  }

  /** Gives up a prompt that was not taken, by the `entry` of its view. */
  discardPrompt(entry: string): void {
    checked(() => this.#board.discardPrompt(text(entry, "discardPrompt: entry")));
  }

  /** Reads everything at once. */
  tryNow(): void {
    checked(() => this.#board.tryNow());
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

function policies({ questions, permissions, sessions }: Unattended): EngineUnattended {
  const bySession = sessions && Object.entries(sessions).map(([id, given]) => [id, policy(given)] as const);
  return defined({
    questions: questions && policy(questions),
    permissions: permissions && policy(permissions),
    sessions: bySession && Object.fromEntries(bySession),
  });
}

function policy({ after, then }: Policy): EnginePolicy {
  return defined({ after: timeOut(after, "after"), then });
}
