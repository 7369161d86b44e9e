/** Async iterators over what the engine tells. */
import { translated } from "./errors.js";

/**
 * Passes on what an iterator of the engine gives, until the signal is aborted: then it rejects with its reason.
 *
 * It asks for the next item only when its reader does, so a slow reader gets the newest and memory does not grow.
 *
 * @internal
 */
export function iterate<T, U>(
  items: AsyncIterableIterator<T>,
  show: (item: T) => U,
  signal?: AbortSignal,
): AsyncIterableIterator<U, undefined> {
  let isOver = false;
  const leave = () => {
    isOver = true;
    signal?.removeEventListener("abort", onAbort);
    return items.return?.().catch(() => {});
  };
  const onAbort = () => void leave();
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  let isTold = false;

  return {
    async next() {
      if (!isOver) {
        try {
          const item = await items.next();
          if (!isOver && !item.done) return { done: false, value: show(item.value) };
          if (!isOver) await leave();
        } catch (thrown) {
          await leave();
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
      await leave();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
