/** Waits until a server has answered, and says why a call cannot be made. */
import type { Board as EngineBoard } from "../wasm/switchboard.js";
import type { View } from "../wasm/types.js";
import { isClosed } from "./closing.js";
import { DELAY_MAX } from "./duration.js";
import { DisposedError, NotConnectedError, TimedOutError, UnauthorizedError } from "./errors.js";
import { iterate } from "./iteration.js";
import { about } from "./naming.js";
import { frozen, indexOf, viewOf } from "./snapshot.js";

/** The views from before a password was given. */
const outdated = new WeakMap<EngineBoard, View>();

/** What ends a wait for the server early. */
interface Wait {
  signal?: AbortSignal | undefined;
  /** In milliseconds. */
  timeout?: number | "never" | undefined;
}

/**
 * Resolves when the first answer of the server is there, or its absence known, or when the board is closed. Returns nothing where
 * that is known already: then a call and the `close` after it keep their order.
 *
 * @throws {@link NotConnectedError}, {@link UnauthorizedError} when nothing can be sent
 * @internal
 */
export function connected(board: EngineBoard, call: string, wait: Wait = {}): Promise<void> | undefined {
  const isDecided = (view: View) => isReached(board, view);
  const demand = () => {
    if (!isClosed(board)) demandLink(board, call, ["password", "offline"]);
  };
  if (!isDecided(viewOf(board))) return within(board, wait, (signal) => until(board, isDecided, signal)).then(demand);
  demand();
  return undefined;
}

/**
 * The same for a message to a session. One that is known takes messages at any time: the ledger keeps them until they can be
 * delivered. For another the list of sessions is read once more.
 *
 * @throws {@link NotConnectedError}, {@link UnauthorizedError} when it cannot be known whether there is such a session
 * @internal
 */
export function addressable(board: EngineBoard, call: string, session: string, wait: Wait = {}): Promise<void> | undefined {
  const has = () => indexOf(board).sessions.has(session);
  return found(board, call, has, (signal) => board.findSession(session, { signal }), wait);
}

/**
 * The same for an answer to a request. For one that is not shown everything is read once more.
 *
 * @throws {@link NotConnectedError}, {@link UnauthorizedError} when it cannot be known whether there is such a request
 * @internal
 */
export function answerable(board: EngineBoard, call: string, request: string, wait: Wait = {}): Promise<void> | undefined {
  const has = () => indexOf(board).requests.has(request);
  return found(board, call, has, (signal) => board.find(request, { signal }), wait);
}

/**
 * Resolves when everything has been read once.
 *
 * @throws {@link NotConnectedError}, {@link UnauthorizedError}, {@link DisposedError}
 * @internal
 */
export async function ready(board: EngineBoard, wait: Wait): Promise<void> {
  wait.signal?.throwIfAborted();
  await connected(board, "ready", wait);
  await within(board, wait, (signal) => until(board, ({ server }) => server.link.kind !== "live" || server.listed, signal));
  demandLink(openBoard(board, "ready"), "ready", ["password", "offline", "stale"]);
}

/** From now on, that the server wants a password is old news. @internal */
export function expectLogin(board: EngineBoard): void {
  outdated.set(board, viewOf(board));
}

/** Returns a board that is open, for a call by this name. @internal @throws {@link DisposedError} when it is closed */
export function openBoard(board: EngineBoard, call: string): EngineBoard {
  if (isClosed(board)) throw new DisposedError(`${call}: the board is closed`, about(board));
  return board;
}

function isReached(board: EngineBoard, view: View): boolean {
  const { kind } = view.server.link;
  return kind === "password" ? outdated.get(board) !== view : kind !== "connecting";
}

/** Throws when the connection is in one of these states. */
function demandLink(board: EngineBoard, call: string, refused: readonly View["server"]["link"]["kind"][]): void {
  const { link } = viewOf(board).server;
  if (!refused.includes(link.kind)) return;
  if (link.kind === "password") throw new UnauthorizedError(`${call}: the server wants a password`, about(board));
  if ("reason" in link) throw new NotConnectedError(`${call}: the server cannot be reached: ${link.reason}`, about(board));
}

/** Returns nothing where the view has it already: then a call and the `close` after it keep their order. */
function found(
  board: EngineBoard,
  call: string,
  has: () => boolean,
  find: (signal: AbortSignal) => Promise<boolean>,
  wait: Wait,
): Promise<void> | undefined {
  if (isClosed(board) || has()) return undefined;
  return within(board, wait, async (signal) => {
    await until(board, (view) => has() || isReached(board, view), signal);
    if (isClosed(board) || has()) return;
    demandLink(board, call, ["password", "offline"]);
    try {
      await find(signal);
    } catch (error) {
      // The call itself says so, by its name.
      if (!isClosed(board)) throw error;
    }
  });
}

/** Does something until the wait for it is over. */
async function within<T>(board: EngineBoard, { signal, timeout }: Wait, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const leaving = new AbortController();
  const onAbort = () => leaving.abort(signal?.reason);
  const onTimeout = () => leaving.abort(new TimedOutError("the server did not answer in time (sent: no)", "", "no", about(board)));
  const timer = typeof timeout === "number" ? setTimeout(onTimeout, Math.min(timeout, DELAY_MAX)) : undefined;
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await work(leaving.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Resolves with the first view for which that is so, or when the board is closed. */
async function until(board: EngineBoard, isSo: (view: View) => boolean, signal: AbortSignal): Promise<void> {
  for await (const view of iterate(board, () => board.views(), frozen, signal)) if (isSo(view)) return;
}
