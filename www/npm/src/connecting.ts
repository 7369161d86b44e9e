/** Opens a board: the options of `connect`. */
import type { Board as EngineBoard } from "../wasm/switchboard.js";
import type { LogRecord } from "../wasm/types.js";
import { known, text, type Known } from "./arguments.js";
import { Board } from "./board.js";
import { closed, onClose } from "./closing.js";
import { timeOut, type Duration } from "./duration.js";
import { engine } from "./engine.js";
import { InvalidAddressError, InvalidArgumentError, guarded, translated } from "./errors.js";
import { nameOf, tellName } from "./naming.js";
import { defined } from "./options.js";
import { MemoryStorage, checkedStorage, type LedgerStorage } from "./storage.js";
import { telling } from "./tell.js";
import { policies, type Unattended } from "./unattended.js";
import { refusingRedirects } from "./workers.js";

/** Which server, and how. */
export interface ConnectOptions {
  /**
   * What it is called in `server` of its requests, sessions and errors, which begin with it. Defaults to host, port and path of
   * its address, which errors do not say.
   */
  name?: string | undefined;
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
  name: true,
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

/** The default stores where there is no IndexedDB, by user name: nobody delivers what another user has said. */
const memories = /* @__PURE__ */ new Map<string | undefined, MemoryStorage>();

/** A board, and the engine below it. @internal */
export interface Opened {
  readonly board: Board;
  readonly engine: EngineBoard;
}

/** Where a server is, and its name if it was given one. @internal */
export interface Place {
  readonly address: string;
  readonly name: string | undefined;
}

/** Connects over an engine that is loaded. @internal */
export function open(options: ConnectOptions): Promise<Board> {
  return guarded(async () => (await begin(options, placeOf(options, "connect"), "connect")).board, options);
}

/**
 * Reads where a server is. Those with the same address are one.
 *
 * @internal
 * @throws {@link InvalidArgumentError}, {@link InvalidAddressError}
 */
export function placeOf(options: ConnectOptions, call: string): Place {
  const { baseUrl, name } = known(options, call, CONNECT);
  if (name !== undefined && text(name, `${call}: name`).trim() === "") throw new InvalidArgumentError(`${call}: the name must not be empty`);
  return { address: addressOf(baseUrl instanceof URL ? baseUrl.href : text(baseUrl ?? "", `${call}: baseUrl`), call), name };
}

function addressOf(baseUrl: string, call: string): string {
  try {
    return engine().normaliseAddress(baseUrl);
  } catch (thrown) {
    const isInvalid = thrown instanceof Error && thrown.name === "InvalidAddress";
    throw isInvalid ? new InvalidAddressError(`${call}: ${thrown.message}`, { cause: thrown }) : thrown;
  }
}

/** Opens a board at that place. @internal */
export async function begin(options: Omit<ConnectOptions, "baseUrl">, { address, name }: Place, call: string): Promise<Opened> {
  const { username, password, directory, signal, fetch } = options;
  const given = defined({
    username,
    password,
    directory,
    signal,
    log: logOf(options, name),
    fetch: refusingRedirects(fetch),
    storage: options.storage === undefined ? defaultStorage(username) : checkedStorage(options.storage),
    requestTimeout: timeOut(options.requestTimeout, `${call}: requestTimeout`),
    unattended: options.unattended && policies(options.unattended, `${call}: unattended`),
  });
  const board = await engine()
    .connect({ name: name ?? nameOf(address), baseUrl: address, ...given })
    .catch((thrown: unknown) => {
      throw translated(thrown, defined({ server: name }));
    });
  if (name !== undefined) tellName(board, name);
  if (signal) closeOn(signal, board);
  return { board: new Board(board, directory), engine: board };
}

/** On the console, the records of a server with a name begin with it. */
function logOf({ log }: Pick<ConnectOptions, "log">, name: string | undefined): boolean | ((record: LogRecord) => void) | undefined {
  if (typeof log === "function") return telling(log);
  return log === true && name !== undefined ? printed : log;
}

/** Texts of people and agents are not written. */
function printed({ server, level, number, text }: LogRecord): void {
  if (level !== "trace") console.debug(`switchboard ${server} ${level} #${number} ${text}`);
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
