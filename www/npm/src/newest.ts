/** The newest of what changes, as the engine gives its own. */
import type { Items } from "../wasm/types.js";
import { isClosed, onClose } from "./closing.js";

/**
 * Gives what `look` gives: at once, and then whenever that is another object after a change of which `listen` tells. A slow
 * reader skips objects, and makes nothing grow. It ends when the source is closed.
 *
 * @internal
 */
export function newest<T extends object>(source: object, look: () => T, listen: (onChange: () => void) => () => void): Items<T> {
  let seen: T | undefined;
  let isOver = false;
  let change: Promise<void> | undefined;
  let wake = () => {};
  const end = () => {
    isOver = true;
    ignore();
    forget();
    wake();
  };
  const ignore = listen(() => wake());
  const forget = onClose(source, end);
  if (isClosed(source)) end();

  return {
    async next() {
      for (;;) {
        const value = look();
        if (value !== seen) {
          seen = value;
          return { done: false, value };
        }
        if (isOver) return { done: true, value: undefined };
        change ??= new Promise((resolve) => {
          wake = () => {
            change = undefined;
            resolve();
          };
        });
        await change;
      }
    },
    async return() {
      end();
      return { done: true, value: undefined };
    },
    free: end,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
