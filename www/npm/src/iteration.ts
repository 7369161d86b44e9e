/** Async iterators over what the engine tells. */
import type { Items } from "../wasm/types.js";
import { onClose } from "./closing.js";
import { checked, translated } from "./errors.js";
import { about } from "./naming.js";

/** The newest state, whenever it has changed. It ends when what it comes from is closed, or the loop over it is left. */
export interface Updates<T> extends AsyncIterable<T> {
  /** The present state at first, then a newer one as soon as there is one. */
  next(): Promise<IteratorResult<T, undefined>>;
  /** Ends it. */
  return(): Promise<IteratorResult<T, undefined>>;
  /** The iterator itself. */
  [Symbol.asyncIterator](): this;
}

/**
 * Passes on what an iterator of the engine gives, until the signal is aborted: then it rejects with its reason. A signal that is
 * aborted before opens none.
 *
 * It asks for the next item only when its reader does, so a slow reader gets the newest and memory does not grow. What comes
 * `first` is awaited before any item is asked for.
 *
 * @internal
 */
export function iterate<T, U>(
  source: object,
  open: () => Items<T>,
  show: (item: T) => U,
  signal?: AbortSignal,
  first?: () => Promise<void> | undefined,
): Updates<U> {
  const items = signal?.aborted ? undefined : checked(open, source);
  let isOver = items === undefined;
  let forget = () => {};
  const leave = () => {
    if (isOver) return;
    isOver = true;
    forget();
    // Who waits for an item hears the end; then nothing is left of it.
    void items?.return?.();
    items?.free();
  };
  if (signal && !isOver) {
    const deafen = () => {
      signal.removeEventListener("abort", leave);
      take();
    };
    const take = onClose(source, deafen);
    forget = deafen;
    signal.addEventListener("abort", leave, { once: true });
  }
  let isTold = false;

  return {
    async next() {
      if (!isOver) {
        try {
          await first?.();
          first = undefined;
          const item = isOver ? undefined : await items?.next();
          if (!isOver && item && !item.done) return { done: false, value: show(item.value) };
          leave();
        } catch (thrown) {
          leave();
          throw signal?.aborted && thrown === signal.reason ? thrown : translated(thrown, about(source));
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
