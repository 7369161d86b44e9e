/** Waits for the first word of a server. */
import type { Board as EngineBoard } from "../wasm/switchboard.js";
import type { View } from "../wasm/types.js";
import { checked } from "./errors.js";
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

async function until(board: EngineBoard, isSo: (view: View) => boolean, signal: AbortSignal | undefined): Promise<void> {
  for await (const view of iterate(board.views(), (view) => view, signal)) {
    if (isSo(view)) return;
  }
}
