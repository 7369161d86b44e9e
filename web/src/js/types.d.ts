/** Which server, and how. */
export interface ConnectOptions {
  /** Its address, such as `http://127.0.0.1:4096`. Never put a password into it. */
  baseUrl: string;
  /** The name to log in with. Defaults to `opencode`. */
  username?: string;
  /** The password; without one none is sent. */
  password?: string;
  /** Limits the board to this directory. Defaults to all of the server. */
  directory?: string;
  /**
   * How long a request may wait for an answer, in milliseconds from when it was first seen, or `"never"`. Defaults to 30
   * minutes. Who awaits it is then freed; the request stays answerable.
   */
  requestTimeout?: number | "never";
  /** Closes the board when it is aborted. */
  signal?: AbortSignal;
  /** Writes each decision to the console, at debug level. Defaults to `false`. */
  log?: boolean;
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the wait, with its reason. What was sent goes on its way; with a signal that is already aborted, nothing is sent. */
  signal?: AbortSignal;
}

export interface PromptOptions extends CallOptions {
  /** Defaults to the agent of the session's last message. */
  agent?: string;
  /** Defaults to the model of the session's last message. */
  model?: Model;
}

export interface Model {
  /** Such as `anthropic`. */
  provider: string;
  /** Such as `claude-sonnet-4-5`. */
  model: string;
}

/**
 * What is said to a request. Questions take one list of answers each (labels, or a text of one's own), or `"dismiss"`.
 * Permissions take `"once"`, `"always"`, `"reject"`, or a rejection with a word for the agent.
 */
export type Reply = string[][] | "dismiss" | "once" | "always" | "reject" | { reject: string };

/** How a request ended. */
export type Outcome =
  /** The agent has this answer. */
  | { kind: "confirmed"; note: string | null }
  | { kind: "answeredElsewhere"; answer: ElsewhereAnswer }
  /** Somebody else turned the question away. */
  | { kind: "dismissed" }
  | { kind: "gone"; reason: GoneReason }
  /** The run was stopped while it waited. */
  | { kind: "cancelled"; byUs: boolean }
  /** The answer was not sent, and nobody gave another in time. The request may still be answered. */
  | { kind: "timedOut" };

/** How somebody else answered. */
export type ElsewhereAnswer =
  | { kind: "answers"; answers: string[][] }
  | { kind: "allowed" }
  | { kind: "rejected" }
  | { kind: "unknown" };

/** Why a request ended without an answer. */
export type GoneReason =
  | { kind: "restarted" }
  | { kind: "stopped"; byUs: boolean }
  | { kind: "sessionDeleted" }
  | { kind: "messageRemoved" }
  | { kind: "failed"; message: string };

/** The `name` of the errors that calls reject with. */
export type ErrorName =
  | "AlreadySent"
  | "Disposed"
  | "EmptyPrompt"
  | "InDoubt"
  | "InvalidAddress"
  | "InvalidAnswer"
  | "InvalidArgument"
  | "Refused"
  | "RequestEnded"
  | "Unauthorized"
  | "UnknownRequest"
  | "UnknownSession";

/** All that is known of one server. Times are milliseconds since the epoch, by the clock of this machine unless it says otherwise. */
export interface View {
  server: ServerView;
  /** Everything that waits for a person, is on its way, or ended in a way that needs a word. Oldest first. */
  requests: RequestView[];
  /** Newest first. */
  sessions: SessionView[];
  /** Prompts that are on their way or were not taken. */
  prompts: PromptView[];
}

export interface ServerView {
  link: Link;
  version: string | null;
  /** The last read that succeeded. */
  read: number | null;
  nextTry: number | null;
  /** Directories that fail while others do not. */
  failing: { directory: string; since: number | null; reason: string }[];
  /** Why answers cannot be kept on this device. */
  unsaved: string | null;
}

/** How the connection is. */
export type Link =
  | { kind: "connecting" }
  | { kind: "live" }
  /** Older data is shown since the last success. */
  | { kind: "stale"; since: number; reason: string }
  /** Nothing answers since the first failure. */
  | { kind: "offline"; since: number; reason: string }
  /** A password is wanted; nothing is sent until there is one. */
  | { kind: "password" };

export interface RequestView {
  id: string;
  session: string;
  directory: string;
  /** Where its tool part is. */
  tool: { message: string; call: string } | null;
  ask: Ask;
  state: RequestState;
  /** When this board first saw it. */
  seen: number;
  /** When it was asked, by the clock of the server. */
  asked: number | null;
  /** Set when what is shown is old: the last success in its directory. */
  stale: number | null;
  /** Who asks: the oldest ancestor first, the asking session last. */
  origin: SessionRef[];
  /** What was sent, or is being sent. */
  reply: Reply | null;
  /** Whether the reply is kept on this device. */
  saved: boolean;
  /** How many other permissions of the session wait: a rejection takes them along. */
  others: number;
  /** What was answered to a like question that died before the answer arrived. It is never sent by itself. */
  suggestion: string[][] | null;
  /** How the answer of a dead question could still reach the agent. */
  rescue: { text: string; to: SessionRef; complete: boolean } | null;
}

export type Ask =
  | { kind: "questions"; questions: Question[] }
  | { kind: "permission"; permission: Permission };

export interface Question {
  text: string;
  /** A word or two for a tab. */
  header: string;
  options: { label: string; description: string }[];
  /** Several options may be chosen. */
  multiple: boolean;
  /** A text of one's own is welcome. */
  custom: boolean;
}

export interface Permission {
  /** Such as `bash`, `edit`, `external_directory`, `webfetch`. */
  kind: string;
  patterns: string[];
  /** What `"always"` would allow from then on. */
  always: string[];
  command: string | null;
  file: string | null;
  /** Unified diff. */
  diff: string | null;
  /** Everything else the server says about it, as JSON; empty when there is nothing else. */
  detail: string;
}

export type RequestState =
  | { kind: "waiting" }
  | { kind: "sending"; attempt: number; since: number; problem: string | null; nextTry: number | null }
  /** The server took it; that proves nothing yet. */
  | { kind: "sent"; at: number }
  | { kind: "answered"; at: number; sent: number; note: string | null }
  | { kind: "answeredElsewhere"; answer: ElsewhereAnswer; at: number }
  | { kind: "dismissed"; byUs: boolean; at: number }
  | { kind: "notSent"; reason: string }
  | { kind: "gone"; reason: GoneReason; at: number };

export interface SessionRef {
  id: string;
  title: string;
}

export interface SessionView {
  id: string;
  directory: string;
  /** The session whose `task` call made this one. */
  parent: string | null;
  title: string;
  /** By the clock of the server. */
  created: number;
  /** By the clock of the server. */
  updated: number;
  archived: boolean;
  /** In dollars, where the server tells it. */
  cost: number | null;
  state: SessionState;
  /** Requests of its own that wait. */
  waiting: number;
  /** Requests of its descendants that wait. */
  waitingBelow: number;
  stale: number | null;
  /** The last change that was seen in it. */
  moved: number | null;
  agent: string | null;
  /** What the agent has said last, in one line. */
  lastText: string;
}

/** The state of the newest turn of a session. */
export type SessionState =
  | { kind: "unknown" }
  | { kind: "working" }
  /** `descendant` asks, when the session itself does not. */
  | { kind: "waitingForHuman"; descendant: string | null }
  | { kind: "retrying"; attempt: number; message: string; next: number | null }
  | { kind: "stuck"; cause: { kind: "descendantWaits"; session: string } | { kind: "silent" }; since: number }
  | { kind: "ended"; ending: Ending; reason: string };

export type Ending = "done" | "empty" | "dismissed" | "failed" | "aborted" | "interrupted" | "notStarted" | "timedOut";

export interface PromptView {
  /** Its entry in the ledger. */
  entry: string;
  session: string;
  text: string;
  /** The request whose answer it carries. */
  rescues: string | null;
  state:
    | { kind: "sending"; attempt: number; problem: string | null }
    | { kind: "sent" }
    | { kind: "stored"; at: number }
    | { kind: "notSent"; reason: string };
}
