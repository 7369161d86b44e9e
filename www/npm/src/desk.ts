/// <reference lib="esnext.disposable" preserve="true" />
/** Several OpenCode servers, and everything that waits there for a person. */
import type { Board as EngineBoard } from "../wasm/switchboard.js";
import type { Figure, Figures, LogRecord, Outcome, Reply } from "../wasm/types.js";
import { known, list, text, type Known } from "./arguments.js";
import type { Board, CreateSessionOptions } from "./board.js";
import { closed, isClosed, onClose } from "./closing.js";
import { begin, placeOf, type ConnectOptions, type Opened, type Place } from "./connecting.js";
import { merging, type DeskView } from "./desk-view.js";
import type { Duration } from "./duration.js";
import { DisposedError, InvalidArgumentError, SwitchboardError, UnknownServerError, guarded } from "./errors.js";
import { iterate, type Updates } from "./iteration.js";
import { nameOf } from "./naming.js";
import { newest } from "./newest.js";
import { CALL, defined, type CallOptions } from "./options.js";
import { findRequest, requestOf, sendAnswer, type AgentRequest, type PermissionReply, type QuestionReply } from "./request.js";
import type { Session } from "./session.js";
import { isWaiting } from "./snapshot.js";
import type { LedgerStorage } from "./storage.js";
import { noticing } from "./subscription.js";
import type { Unattended } from "./unattended.js";

/**
 * What holds for each server whose own options do not say otherwise. A name and a password are never shared: each server is sent
 * its own alone.
 */
export interface ConnectAllOptions {
  /** Closes the desk when it is aborted. The `signal` of a server removes that one. */
  signal?: AbortSignal | undefined;
  /** Limits the boards to this directory, and is where new sessions work. Defaults to all of each server. */
  directory?: string | undefined;
  /** How long a request may wait for an answer, from when it was first seen. Defaults to 30 minutes. */
  requestTimeout?: Duration | "never" | undefined;
  /** What happens to requests that nobody answers; in place of `requestTimeout`. For single sessions their server says it. */
  unattended?: Pick<Unattended, "questions" | "permissions"> | undefined;
  /** Writes each decision to the console, at debug level, or gives it to a function. Defaults to `false`. */
  log?: boolean | ((record: LogRecord) => void) | undefined;
  /** Makes the requests. Defaults to the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Keeps the ledgers of all, told apart by their addresses. Defaults to what {@link ConnectOptions} says. */
  storage?: LedgerStorage | undefined;
}

const SHARED: Known<ConnectAllOptions> = {
  signal: true,
  directory: true,
  requestTimeout: true,
  unattended: true,
  log: true,
  fetch: true,
  storage: true,
};

/** A session: its id is of one server alone. Every session and every view of one is such a key. */
export interface SessionKey {
  /** The name of its server. */
  readonly server: string;
  readonly id: string;
}

/** A request: its id is of one server alone. Every request and every view of one is such a key. */
export interface RequestKey {
  /** The name of its server. */
  readonly server: string;
  readonly id: string;
  /** What was looked at, where something else may be asked under the same id by now. */
  readonly revision?: number | undefined;
}

/** A new session on one of several servers. */
export interface DeskSessionOptions extends CreateSessionOptions {
  /** The name of the server. */
  server: string;
}

/** When requests of several servers were asked, seen, answered, accepted and confirmed. */
export interface DeskFigures {
  /** What they amount to for each server, by its name. */
  servers: Record<string, Figures>;
  /** Of all servers, in the order in which they were first seen. */
  requests: Figure[];
}

/** A server, from when its name is taken. */
interface Entry {
  readonly place: Place & { readonly name: string };
  /** Nothing while it is being opened. */
  opened?: Opened;
}

/** Opens a desk over an engine that is loaded. @internal */
export function openAll(servers: readonly ConnectOptions[], options: ConnectAllOptions = {}): Promise<Desk> {
  return guarded(async () => {
    const { signal, ...shared } = known(options, "connectAll", SHARED);
    if (shared.unattended) known(shared.unattended, "connectAll: unattended", { questions: true, permissions: true });
    if (list(servers, "connectAll: servers").length === 0) throw new InvalidArgumentError("connectAll: give at least one server");
    signal?.throwIfAborted();
    const desk = new Desk(shared);
    const onAbort = () => void desk.close();
    onClose(desk, () => signal?.removeEventListener("abort", onAbort));
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      await desk.open(servers, (at) => `connectAll: servers[${at}]`);
    } catch (error) {
      await desk.close();
      signal?.throwIfAborted();
      throw error;
    }
    return desk;
  }, options);
}

/**
 * Several servers as one. Each is a {@link Board} of its own, which is read until it is removed or the desk is closed: one that
 * is slow, wants a password or cannot be reached changes nothing for the others.
 *
 * Two servers may have the same ids, as two over one data directory do. What is shown therefore has the name of its server in
 * `server` beside its `id`, and what is asked for takes both.
 */
export class Desk implements AsyncDisposable {
  readonly #shared: Omit<ConnectAllOptions, "signal">;
  /** By name, in the order in which they were given. */
  readonly #entries = new Map<string, Entry>();
  readonly #merged = merging();
  readonly #listeners = new Set<() => void>();
  /** What ends to be told of boards. None is followed while nobody listens. */
  readonly #followed = new Map<Board, () => void>();

  /** @internal */
  constructor(shared: Omit<ConnectAllOptions, "signal">) {
    this.#shared = shared;
  }

  /**
   * Calls back whenever {@link getSnapshot} gives another view, until the function that it returns is called. Both need no `this`,
   * as in `useSyncExternalStore(desk.subscribe, desk.getSnapshot)`.
   */
  readonly subscribe = (onChange: () => void): (() => void) => this.#listen(noticing(this.getSnapshot, onChange));

  /** What is known now, as {@link view}. */
  readonly getSnapshot = (): DeskView => this.#merged(this.boards().map((board) => board.view()));

  /** What is known now: the same frozen object until something has changed, and in the next one the same parts where they have not. */
  view(): DeskView {
    return this.getSnapshot();
  }

  /**
   * Resolves when it is known of each server whether it answers, and everything has been read once of those that do, so a server or
   * a directory that hangs delays it by a few seconds; `ready` of {@link board} waits for one alone. Resolves with an error for each
   * that does not: with an empty list when all are live. The desk goes on trying until it is closed. A server that is removed
   * meanwhile counts no more, one that is added not yet.
   *
   * The errors are {@link NotConnectedError} where the server cannot be reached and {@link UnauthorizedError} where it wants a
   * password, with its name in `server`.
   *
   * @throws {@link DisposedError}
   */
  ready(options: CallOptions = {}): Promise<SwitchboardError[]> {
    return guarded(async () => {
      const { signal } = known(options, "ready", CALL);
      this.#open("ready");
      const ends = await Promise.allSettled(this.boards().map((board) => board.ready(defined({ signal }))));
      signal?.throwIfAborted();
      this.#open("ready");
      const reasons = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as SwitchboardError] : []));
      return reasons.filter((reason) => !(reason instanceof DisposedError));
    }, options, this);
  }

  /**
   * The present view, and the newest one whenever it has changed. A slow reader skips views, and makes nothing grow. It ends
   * when the desk is closed or the loop is left, and rejects with the reason of its signal.
   */
  views(options: CallOptions = {}): Updates<DeskView> {
    const open = () => newest(this, this.getSnapshot, (onChange) => this.#listen(onChange));
    return iterate(this, open, (view) => view, known(options, "views", CALL).signal);
  }

  /** The boards of all servers, in the order in which they were given. */
  boards(): Board[] {
    return this.#opened().map(({ board }) => board);
  }

  /**
   * The board of a server: for what is said to one alone, such as {@link Board.setCredentials}, {@link Board.dispatch} and
   * {@link Board.shell}. Closing it removes the server.
   *
   * @throws {@link UnknownServerError}
   */
  board(server: string): Board {
    return this.#on(server, "board").board;
  }

  /** Everything that waits for a person, oldest first. */
  requests(): AgentRequest[] {
    return this.view()
      .requests.filter(isWaiting)
      .map((view) => requestOf(this.#on(view.server, "requests").engine, view));
  }

  /** A request. See {@link Board.request}. @throws {@link UnknownServerError} */
  request(key: RequestKey, options: CallOptions = {}): Promise<AgentRequest | undefined> {
    return guarded(async () => {
      const { server, id } = keyOf(key, "request");
      return findRequest(this.#on(server, "request").engine, id, options);
    }, options, this.#sourceOf(key));
  }

  /** All sessions that are known, newest first. */
  sessions(): Session[] {
    return this.view().sessions.map((key) => this.session(key));
  }

  /** A session. Whether there is one shows when it is spoken to. @throws {@link UnknownServerError} */
  session(key: SessionKey): Session {
    const { server, id } = keyOf(key, "session");
    return this.#on(server, "session").board.session(id);
  }

  /** Makes a session on one of the servers. See {@link Board.createSession}. @throws {@link UnknownServerError} */
  createSession(options: DeskSessionOptions): Promise<Session> {
    return guarded(async () => {
      const { server, ...rest } = options;
      return this.#on(server, "createSession").board.createSession(rest);
    }, options, this.#sourceOf(options));
  }

  /**
   * Answers a request: as it was looked at where the key has a `revision`, which every {@link AgentRequest} and every view of one
   * has, else as {@link Board.answer} does. See {@link AgentRequest.answer}.
   *
   * @throws {@link UnknownServerError}
   */
  answer(request: RequestKey, reply: Reply | QuestionReply | PermissionReply, options: CallOptions = {}): Promise<Outcome> {
    return guarded(async () => {
      const { server, id, revision } = keyOf(request, "answer");
      return sendAnswer(this.#on(server, "answer").engine, id, revision, reply, options);
    }, options, this.#sourceOf(request));
  }

  /**
   * When each request of the last 30 days was asked, seen, answered, accepted and confirmed, and by whom.
   *
   * @throws {@link DisposedError}
   */
  figures(): DeskFigures {
    this.#open("figures");
    const figures = this.boards().map((board) => [board.name, board.figures()] as const);
    const requests = figures.flatMap(([, { requests }]) => requests).sort((one, other) => one.seen - other.seen);
    return { servers: Object.fromEntries(figures), requests };
  }

  /** Reads everything at once, on all servers. @throws {@link DisposedError} */
  tryNow(): void {
    this.#open("tryNow");
    for (const board of this.boards()) board.tryNow();
  }

  /**
   * Adds a server, after the others. Resolves with its board when its options are right, without waiting for the server.
   *
   * @throws {@link InvalidArgumentError} also when its name or its address is there already, {@link InvalidAddressError},
   * {@link DisposedError}
   */
  add(server: ConnectOptions): Promise<Board> {
    return guarded(async () => {
      this.#open("add");
      const [opened] = await this.open([server], () => "add");
      return (opened as Opened).board;
    }, server, this);
  }

  /**
   * Removes a server: what was shown of it is gone at once, calls to it that wait reject with {@link DisposedError}. Resolves when
   * what was said to it before is kept, as {@link Board.close}. Its name and its address are free again.
   *
   * @throws {@link UnknownServerError}
   */
  remove(server: string): Promise<void> {
    return guarded(async () => this.#on(server, "remove").board.close());
  }

  /**
   * Closes all boards; twice is fine. Resolves when what was said before is kept, 2 s later at most. The view stays as it was. What
   * was not delivered goes on with the next connections that have the same storage.
   */
  close(): Promise<void> {
    return guarded(async () => {
      closed(this);
      this.#listeners.clear();
      this.#follow();
      await Promise.all(this.boards().map((board) => board.close()));
    });
  }

  /** Closes it, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Opens servers, all or none. @internal */
  async open(servers: readonly ConnectOptions[], callOf: (at: number) => string): Promise<Opened[]> {
    const entries = this.#reserve(servers.map((server, at) => placeOf(server, callOf(at))), callOf);
    const opened: Opened[] = [];
    try {
      for (const [at, server] of servers.entries()) {
        const { place } = entries[at] as Entry;
        opened.push(await begin({ ...this.#sharedFor(server), ...defined(server) }, place, callOf(at)));
      }
      this.#open(callOf(0));
    } catch (error) {
      for (const { place } of entries) this.#entries.delete(place.name);
      await Promise.all(opened.map(({ board }) => board.close()));
      throw error;
    }
    opened.forEach((one, at) => this.#admit(entries[at] as Entry, one));
    return opened;
  }

  /** Takes names and addresses for servers, all or none. */
  #reserve(places: readonly Place[], callOf: (at: number) => string): Entry[] {
    const addresses = new Map([...this.#entries.values()].map(({ place }) => [place.address, place.name]));
    const names = new Set(this.#entries.keys());
    for (const [at, { address, name }] of places.entries()) {
      const other = addresses.get(address);
      if (other !== undefined) throw new InvalidArgumentError(`${callOf(at)}: ${address} is there already, as "${other}"`);
      if (name !== undefined && names.has(name)) throw new InvalidArgumentError(`${callOf(at)}: there is a server "${name}" already`);
      addresses.set(address, name ?? nameOf(address));
      if (name !== undefined) names.add(name);
    }
    return places.map(({ address, name = nameOf(address, names) }) => {
      const entry = { place: { address, name } };
      names.add(name);
      this.#entries.set(name, entry);
      return entry;
    });
  }

  /** What holds for a server that does not say otherwise. One that says what happens without an answer says all of it. */
  #sharedFor({ requestTimeout, unattended }: ConnectOptions): Partial<ConnectOptions> {
    const { requestTimeout: _, unattended: __, ...rest } = this.#shared;
    return requestTimeout === undefined && unattended === undefined ? this.#shared : rest;
  }

  #admit(entry: Entry, opened: Opened): void {
    entry.opened = opened;
    onClose(opened.engine, () => this.#dismiss(entry));
    this.#follow();
    this.#tell();
  }

  /** Forgets a server whose board is closed. One that is closed with the desk stays in view. */
  #dismiss(entry: Entry): void {
    if (isClosed(this)) return;
    this.#entries.delete(entry.place.name);
    this.#follow();
    this.#tell();
  }

  #listen(listener: () => void): () => void {
    if (isClosed(this)) return () => {};
    this.#listeners.add(listener);
    this.#follow();
    return () => {
      this.#listeners.delete(listener);
      this.#follow();
    };
  }

  /** Is told of the boards that are there, while somebody listens, and of no others. */
  #follow(): void {
    const wanted = new Set(this.#listeners.size > 0 ? this.boards() : []);
    for (const [board, end] of this.#followed) {
      if (wanted.has(board)) continue;
      this.#followed.delete(board);
      end();
    }
    for (const board of wanted) if (!this.#followed.has(board)) this.#followed.set(board, board.subscribe(() => this.#tell()));
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #opened(): Opened[] {
    return [...this.#entries.values()].flatMap(({ opened }) => opened ?? []);
  }

  #open(call: string): void {
    if (isClosed(this)) throw new DisposedError(`${call}: the desk is closed`);
  }

  /** What must be open for a call to a server. */
  #sourceOf(key: { readonly server: string } | undefined): object {
    return this.#entries.get(key?.server ?? "")?.opened?.engine ?? this;
  }

  #on(server: string, call: string): Opened {
    const opened = this.#entries.get(text(server, `${call}: server`))?.opened;
    if (opened) return opened;
    const names = this.boards().map(({ name }) => `"${name}"`);
    throw new UnknownServerError(`${call}: there is no server "${server}"; known: ${names.join(", ") || "none"}`);
  }
}

function keyOf<Key extends SessionKey | RequestKey>(key: Key, call: string): Key {
  if (typeof key !== "object" || key === null) throw new InvalidArgumentError(`${call}: what is meant must be an object with server and id`);
  text(key.server, `${call}: server`);
  text(key.id, `${call}: id`);
  return key;
}
