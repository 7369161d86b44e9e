/** What callers give, checked before the engine takes it. */
import { InvalidArgumentError } from "./errors.js";

/** Returns a text. @internal @throws {@link InvalidArgumentError} when it is none */
export function text(value: string, name: string): string {
  if (typeof value !== "string") throw new InvalidArgumentError(`${name} must be a string`);
  return value;
}

/** Returns the options of a call that needs some. @internal @throws {@link InvalidArgumentError} when they are none */
export function needed<T extends object>(options: T, call: string): T {
  if (typeof options !== "object" || options === null) throw new InvalidArgumentError(`${call}: the options must be an object`);
  return options;
}
