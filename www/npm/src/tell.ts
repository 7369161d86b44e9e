/** Calls the functions of callers that are only told something. */

/** Tells a function of the caller. What it throws, and what it rejects with, changes nothing: it goes to the console. @internal */
export function tell<Told extends unknown[]>(callback: ((...told: Told) => unknown) | undefined, ...told: Told): void {
  void (async () => callback?.(...told))().catch((error: unknown) => console.error("opencode-switchboard: a callback failed", error));
}

/** The same as a function; none where there is none. What is no function is left to whoever checks it. @internal */
export function telling<Told extends unknown[]>(
  callback: ((...told: Told) => unknown) | undefined,
): ((...told: Told) => void) | undefined {
  return typeof callback === "function" ? (...told) => tell(callback, ...told) : callback;
}
