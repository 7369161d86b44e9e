/** Waits until a server has answered, and says why a call cannot be made. */
import type { Board as EngineBoard } from "../wasm/switchboard.js";
import type { View } from "../wasm/types.js";
import { isClosed } from "./closing.js";
import { DELAY_MAX } from "./duration.js";
import { DisposedError, NotConnectedError, TimedOutError, UnauthorizedError } from "./errors.js";
import { iterate } from "./iteration.js";
import { about } from "./naming.js";
import { frozen, viewOf } from "./snapshot.js";

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
  const demand = () => {
    if (isClosed(board)) return;
    const { link } = viewOf(board).server;
    if (link.kind === "password") throw unauthorized(board, call);
    if (link.kind === "offline") throw unreachable(board, call, link.reason);
  };
  return after(board, (view) => isReached(board, view), wait, demand);
}

/**
 * The same for a message to a session. One that is known takes messages at any time: the ledger keeps them until they can be
 * delivered.
 *
 * @throws {@link NotConnectedError}, {@link UnauthorizedError} when it cannot be known whether there is such a session
 * @internal
 */
export function addressable(board: EngineBoard, call: string, session: string, wait: Wait = {}): Promise<void> | undefined {
  const has = ({ sessions }: View) => sessions.some(({ id }) => id === session);
  const isDecided = (view: View) => has(view) || (view.server.link.kind === "live" ? view.server.listed : isReached(board, view));
  const demand = () => {
    const view = viewOf(board);
    if (isClosed(board) || has(view)) return;
    const { link, listed } = view.server;
    if (link.kind === "password") throw unauthorized(board, call);
    if (link.kind === "offline" || (link.kind === "stale" && !listed)) throw unreachable(board, call, link.reason);
  };
  return after(board, isDecided, wait, demand);
}

/**
 * Resolves when the server has answered.
 *
 * @throws {@link NotConnectedError}, {@link UnauthorizedError}, {@link DisposedError}
 * @internal
 */
export async function ready(board: EngineBoard, wait: Wait): Promise<void> {
  wait.signal?.throwIfAborted();
  await connected(board, "ready", wait);
  const { link } = viewOf(openBoard(board, "ready")).server;
  if (link.kind === "stale") throw unreachable(board, "ready", link.reason);
}

/** From now on, that the server wants a password is old news. @internal */
export function expectLogin(board: EngineBoard): void {
  outdated.set(board, viewOf(board));
}

function isReached(board: EngineBoard, view: View): boolean {
  const { kind } = view.server.link;
  return kind === "password" ? outdated.get(board) !== view : kind !== "connecting";
}

function unauthorized(board: EngineBoard, call: string): UnauthorizedError {
  return new UnauthorizedError(`${call}: the server wants a password`, about(board));
}

function unreachable(board: EngineBoard, call: string, reason: string): NotConnectedError {
  return new NotConnectedError(`${call}: the server cannot be reached: ${reason}`, about(board));
}

function after(board: EngineBoard, isSo: (view: View) => boolean, wait: Wait, demand: () => void): Promise<void> | undefined {
  if (!isSo(viewOf(board))) return until(board, isSo, wait).then(demand);
  demand();
  return undefined;
}

async function until(board: EngineBoard, isSo: (view: View) => boolean, { signal, timeout }: Wait): Promise<void> {
  const leaving = new AbortController();
  const onAbort = () => leaving.abort(signal?.reason);
  const onTimeout = () => leaving.abort(new TimedOutError("the server did not answer in time (sent: no)", "", "no", about(board)));
  const timer = typeof timeout === "number" ? setTimeout(onTimeout, Math.min(timeout, DELAY_MAX)) : undefined;
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    for await (const view of iterate(board, () => board.views(), frozen, leaving.signal)) {
      if (isSo(view)) return;
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Returns a board that is open, for a call by this name. @internal @throws {@link DisposedError} when it is closed */
export function openBoard(board: EngineBoard, call: string): EngineBoard {
  if (isClosed(board)) throw new DisposedError(`${call}: the board is closed`, about(board));
  return board;
}
