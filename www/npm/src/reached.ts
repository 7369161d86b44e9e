/** Waits for the first word of a server. */
import type { Board as EngineBoard } from "../wasm/switchboard.js";
import type { View } from "../wasm/types.js";
import { isClosed } from "./closing.js";
import { NotConnectedError, checked } from "./errors.js";
import { iterate } from "./iteration.js";

/**
 * Resolves when it is known whether the server can be reached and has this session, or when the board is closed. Nothing is to be
 * awaited when that is known: what is sent and a `close` behind it keep their order.
 *
 * @internal
 */
export function reached(board: EngineBoard, signal?: AbortSignal, session?: string): Promise<void> | undefined {
  const isKnown = ({ server, sessions }: View) => {
    if (server.link.kind !== "live") return server.link.kind !== "connecting";
    return session === undefined || server.listed || sessions.some(({ id }) => id === session);
  };
  return isKnown(checked(() => board.view())) ? undefined : until(board, isKnown, signal);
}

/**
 * The same for a call that is sent once: it is not sent to a server that cannot be reached. One that wants a password says so itself.
 *
 * @internal
 * @throws {@link NotConnectedError}
 */
export function connected(board: EngineBoard, call: string, signal?: AbortSignal, session?: string): Promise<void> | undefined {
  const demand = (): undefined => {
    if (isClosed(board)) return;
    const { link } = checked(() => board.view()).server;
    if (link.kind !== "offline") return;
    throw new NotConnectedError(`${call}: the server cannot be reached: ${link.reason}`);
  };
  const reaching = reached(board, signal, session);
  return reaching ? reaching.then(demand) : demand();
}

async function until(board: EngineBoard, isSo: (view: View) => boolean, signal: AbortSignal | undefined): Promise<void> {
  for await (const view of iterate(board, () => board.views(), (view) => view, signal)) {
    if (isSo(view)) return;
  }
}
