/** The views of several servers as one. */
import type { PromptView, RequestView, ServerView, SessionView, View } from "../wasm/types.js";

/**
 * All that is known of several servers; frozen, with all that it holds. What is not of a desk alone is what the views of its
 * boards have: the same objects, each with the name of its server in `server`.
 *
 * Times are milliseconds since the epoch, by the clock of this machine unless it says otherwise: the clocks of the servers may
 * differ.
 */
export interface DeskView {
  /** How each server is, in the order in which they were given. */
  readonly servers: readonly ServerView[];
  /** Everything that waits for a person, is on its way, or ended in a way that needs a word. Oldest first. */
  readonly requests: readonly RequestView[];
  /** Newest first. */
  readonly sessions: readonly SessionView[];
  /** Prompts that are on their way or were not taken, by server. */
  readonly prompts: readonly PromptView[];
  /** What was typed for sessions and not sent, by the names of servers and then by the ids of sessions. */
  readonly promptDrafts: Readonly<Record<string, View["promptDrafts"]>>;
}

/** Returns what makes one view of several: the same object, with the same parts, until something has changed. @internal */
export function merging(): (views: readonly View[]) => DeskView {
  const [servers, prompts, promptDrafts] = [joining<ServerView>(), joining<PromptView>(), naming()];
  const requests = joining<RequestView>((one, other) => (one.asked ?? one.seen) - (other.asked ?? other.seen));
  const sessions = joining<SessionView>((one, other) => other.updated - one.updated);
  let merged: DeskView | undefined;
  return (views) => {
    const next: DeskView = {
      servers: servers([views.map(({ server }) => server)]),
      requests: requests(views.map((view) => view.requests)),
      sessions: sessions(views.map((view) => view.sessions)),
      prompts: prompts(views.map((view) => view.prompts)),
      promptDrafts: promptDrafts(views),
    };
    if (!merged || !isSame(Object.values(next), Object.values(merged))) merged = Object.freeze(next);
    return merged;
  };
}

/** Returns what puts the drafts of servers beside their names: the same object until a draft has changed. */
function naming(): (views: readonly View[]) => DeskView["promptDrafts"] {
  const joined = joining<View["promptDrafts"]>();
  let known: readonly View["promptDrafts"][] | undefined;
  let named: DeskView["promptDrafts"] = {};
  return (views) => {
    const drafts = joined([views.map(({ promptDrafts }) => promptDrafts)]);
    if (drafts !== known) named = Object.freeze(Object.fromEntries(views.map(({ server, promptDrafts }) => [server.name, promptDrafts])));
    known = drafts;
    return named;
  };
}

/**
 * Returns what puts lists together, in that order or one after the other: the same list until its elements have changed. Lists
 * that are in order already cost little.
 */
function joining<T>(order?: (one: T, other: T) => number): (lists: readonly (readonly T[])[]) => readonly T[] {
  let known: readonly (readonly T[])[] = [];
  let joined: readonly T[] = Object.freeze([]);
  return (lists) => {
    if (isSame(lists, known)) return joined;
    known = lists;
    const next = lists.flat() as T[];
    if (order) next.sort(order);
    if (!isSame(next, joined)) joined = Object.freeze(next);
    return joined;
  };
}

function isSame<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((element, at) => element === other[at]);
}
