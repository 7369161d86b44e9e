/** What callers give, checked before the engine takes it. */
import { InvalidArgumentError } from "./errors.js";

/** Returns a text. @internal @throws {@link InvalidArgumentError} when it is none */
export function text(value: string, name: string): string {
  if (typeof value !== "string") throw new InvalidArgumentError(`${name} must be a string`);
  return value;
}

/** Returns a list. @internal @throws {@link InvalidArgumentError} when it is none */
export function list<T>(value: readonly T[], name: string): readonly T[] {
  if (!Array.isArray(value)) throw new InvalidArgumentError(`${name} must be an array`);
  return value;
}

/** Checks a function that need not be given. @internal @throws {@link InvalidArgumentError} when it is none */
export function callback<F extends (...given: never[]) => unknown>(value: F | undefined, name: string): F | undefined {
  if (value !== undefined && typeof value !== "function") throw new InvalidArgumentError(`${name} must be a function`);
  return value;
}

/** The names of the options that a call knows; the compiler sees that none is missing. @internal */
export type Known<T> = Record<keyof T, true>;

/** Returns the options of a call. @internal @throws {@link InvalidArgumentError} when they are no object, or one is not known */
export function known<T extends object>(options: T, call: string, names: Known<T>): T {
  if (typeof options !== "object" || options === null) throw new InvalidArgumentError(`${call}: the options must be an object`);
  const strange = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (strange !== undefined) throw new InvalidArgumentError(`${call}: there is no option "${strange}"`);
  return options;
}
