/** Callbacks that hear of changes. All of a board share one loop over its views, which runs while there is one. */
import type { Board as EngineBoard } from "../wasm/switchboard.js";
import type { View } from "../wasm/types.js";
import { InvalidArgumentError } from "./errors.js";
import { iterate, type Updates } from "./iteration.js";
import { frozen } from "./snapshot.js";
import { tell } from "./tell.js";

interface Loop {
  listeners: Set<() => void>;
  views: Updates<View>;
}

const loops = new WeakMap<EngineBoard, Loop>();

/** Calls back whenever `look` gives something else than before. Returns what ends that. @internal */
export function subscribe(board: EngineBoard, look: () => unknown, onChange: () => void): () => void {
  const listener = noticing(look, onChange);
  const loop = loops.get(board) ?? begin(board);
  loop.listeners.add(listener);
  return () => {
    loop.listeners.delete(listener);
    if (loop.listeners.size > 0 || loops.get(board) !== loop) return;
    loops.delete(board);
    void loop.views.return();
  };
}

/** Calls back whenever it is called while `look` gives something else than before. @internal */
export function noticing(look: () => unknown, onChange: () => void): () => void {
  if (typeof onChange !== "function") throw new InvalidArgumentError("subscribe: the callback must be a function");
  let seen = look();
  return () => {
    const before = seen;
    seen = look();
    if (seen !== before) tell(onChange);
  };
}

function begin(board: EngineBoard): Loop {
  const loop = { listeners: new Set<() => void>(), views: iterate(board, () => board.views(), frozen) };
  loops.set(board, loop);
  void (async () => {
    for await (const _ of loop.views) for (const listener of loop.listeners) listener();
  })();
  return loop;
}
