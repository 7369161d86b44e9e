/** What calls take, as callers write it and as the engine does. */
import type { Known } from "./arguments.js";

/** What calls that wait take. */
export interface CallOptions {
  /** Ends the wait, with its reason. What was sent goes on its way; with a signal that is already aborted, nothing is sent. */
  signal?: AbortSignal | undefined;
}

/** @internal */
export const CALL: Known<CallOptions> = { signal: true };

/** Options as the engine takes them: it knows no property that is there and undefined. @internal */
export function given({ signal }: CallOptions): { signal?: AbortSignal } {
  return signal ? { signal } : {};
}

/** The properties that have a value. @internal */
export function defined<T extends object>(properties: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept = Object.entries(properties).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
