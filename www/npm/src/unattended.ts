/** What happens to requests that nobody answers, as callers write it and as the engine does. */
import type { Policy as EnginePolicy, Unattended as EngineUnattended } from "../wasm/types.js";
import { known, type Known } from "./arguments.js";
import { timeOut, type Duration } from "./duration.js";
import { defined } from "./options.js";

/** What happens to one kind of request that nobody answers. */
export interface Policy {
  /** After how long, counted from when the request was first seen. Defaults to 30 minutes. */
  after?: Duration | "never" | undefined;
  /**
   * What happens then, beyond freeing who waits. `"leave"`, the default, leaves it answerable. `{ answer }` gives questions
   * that have an option with this label that answer, after a countdown of 60 s; never permissions.
   */
  then?: "leave" | "reject" | { answer: string } | undefined;
}

const POLICY: Known<Policy> = { after: true, then: true };

/** What happens to requests that nobody answers. The most exact policy holds: of the session, else of the kind. */
export interface Unattended {
  questions?: Policy | undefined;
  permissions?: Policy | undefined;
  /** By the ids of sessions. */
  sessions?: Record<string, Policy> | undefined;
}

const UNATTENDED: Known<Unattended> = { questions: true, permissions: true, sessions: true };

/** Policies for the engine. @internal @throws {@link InvalidArgumentError} */
export function policies(unattended: Unattended, call: string): EngineUnattended {
  const { questions, permissions, sessions } = known(unattended, call, UNATTENDED);
  const policy = (given: Policy, of: string): EnginePolicy => {
    const { after, then } = known(given, `${call}: ${of}`, POLICY);
    return defined({ after: timeOut(after, `${call}: ${of}: after`), then });
  };
  const bySession = sessions && Object.entries(sessions).map(([id, given]) => [id, policy(given, `sessions.${id}`)] as const);
  return defined({
    questions: questions && policy(questions, "questions"),
    permissions: permissions && policy(permissions, "permissions"),
    sessions: bySession && Object.fromEntries(bySession),
  });
}
