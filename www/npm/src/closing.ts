/** What goes when a board or a rendezvous is closed. */

const leaving = new WeakMap<object, Set<() => void>>();
const gone = new WeakSet<object>();

/** Adds what is done when this is closed. Returns what takes it back. @internal */
export function onClose(source: object, leave: () => void): () => void {
  const all = leaving.get(source) ?? new Set();
  leaving.set(source, all.add(leave));
  return () => void all.delete(leave);
}

/** Does what was to be done when this is closed: signals of callers are listened to no more. @internal */
export function closed(source: object): void {
  gone.add(source);
  for (const leave of leaving.get(source) ?? []) leave();
  leaving.delete(source);
}

/** @internal */
export function isClosed(source: object): boolean {
  return gone.has(source);
}
