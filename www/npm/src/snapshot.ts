/** The view of a board: one frozen object per version, and what is looked up in it. */
import type { Board as EngineBoard } from "../wasm/switchboard.js";
import type { RequestView, SessionView, View } from "../wasm/types.js";
import { checked } from "./errors.js";

/** What a view holds, by the ids of sessions and requests. */
interface Index {
  sessions: ReadonlyMap<string, SessionView>;
  requests: ReadonlyMap<string, RequestView>;
  /** What waits for a person in a session and in the sessions of its sub-agents, oldest first. */
  waiting: ReadonlyMap<string, readonly RequestView[]>;
}

const indices = new WeakMap<View, Index>();

/** The present view. The engine gives the same object until something has changed. @internal */
export function viewOf(board: EngineBoard): View {
  return frozen(checked(() => board.view()));
}

/** What is looked up in the present view. @internal */
export function indexOf(board: EngineBoard): Index {
  const view = viewOf(board);
  const known = indices.get(view);
  if (known) return known;
  const index = {
    sessions: new Map(view.sessions.map((session) => [session.id, session])),
    requests: new Map(view.requests.map((request) => [request.id, request])),
    waiting: waitingIn(view),
  };
  indices.set(view, index);
  return index;
}

/** Whether a request waits for a person. @internal */
export function isWaiting({ state }: RequestView): boolean {
  return state.kind === "waiting" || state.kind === "notSent";
}

/** Freezes a value with all that it holds. @internal */
export function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}

function waitingIn({ requests }: View): ReadonlyMap<string, readonly RequestView[]> {
  const waiting = new Map<string, RequestView[]>();
  for (const request of requests.filter(isWaiting)) {
    for (const session of new Set(request.origin.map((place) => place.id))) {
      const ours = waiting.get(session);
      if (ours) ours.push(request);
      else waiting.set(session, [request]);
    }
  }
  return waiting;
}
