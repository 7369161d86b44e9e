/** Async iterators over what the engine tells. */
import type { Items } from "../wasm/types.js";
import { translated } from "./errors.js";

/**
 * Passes on what an iterator of the engine gives, until the signal is aborted: then it rejects with its reason.
 *
 * It asks for the next item only when its reader does, so a slow reader gets the newest and memory does not grow. What comes
 * `first` is awaited before any item is asked for.
 *
 * @internal
 */
export function iterate<T, U>(
  items: Items<T>,
  show: (item: T) => U,
  signal?: AbortSignal,
  first?: () => Promise<void> | undefined,
): AsyncIterableIterator<U, undefined> {
  let isOver = false;
  const leave = () => {
    if (isOver) return;
    isOver = true;
    signal?.removeEventListener("abort", onAbort);
    // Who waits for an item hears the end; then nothing is left of it.
    void items.return?.();
    items.free();
  };
  const onAbort = () => leave();
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  let isTold = false;

  return {
    async next() {
      if (!isOver) {
        try {
          await first?.();
          first = undefined;
          const item = isOver ? undefined : await items.next();
          if (!isOver && item && !item.done) return { done: false, value: show(item.value) };
          leave();
        } catch (thrown) {
          leave();
          throw signal?.aborted && thrown === signal.reason ? thrown : translated(thrown);
        }
      }
      if (signal?.aborted && !isTold) {
        isTold = true;
        throw signal.reason;
      }
      return { done: true, value: undefined };
    },
    async return() {
      isTold = true;
      leave();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
