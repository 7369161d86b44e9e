/** Which server, and how. */
export interface ConnectOptions {
  /** What `server` says in all that the board shows. Defaults to its address. */
  name?: string;
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
  /** What happens to requests that nobody answers; in place of `requestTimeout`. */
  unattended?: Unattended;
  /** Closes the board when it is aborted. */
  signal?: AbortSignal;
  /** Writes each decision to the console, at debug level, or gives it to a function. Defaults to `false`. */
  log?: boolean | ((record: LogRecord) => void);
  /** Makes the requests. Defaults to the global `fetch`. */
  fetch?: typeof fetch;
  /** Keeps the ledger. Defaults to IndexedDB. */
  storage?: object;
}

/** What the engine tells one after the other. Once it is over or left, `free` gives back its memory. */
export interface Items<T> extends AsyncIterableIterator<T> {
  free(): void;
}

/** One decision, in words, with the ids it is about. */
export interface LogRecord {
  /** The name of the server. */
  server: string;
  /** Texts of people and agents appear at `trace` alone, passwords never. */
  level: "trace" | "debug" | "info" | "warn";
  /** The number of the newest read or send when it was decided. */
  number: number;
  text: string;
}

/** A name and a password; without a password none is sent. */
export interface CredentialOptions {
  username?: string;
  password?: string;
}

/** What happens to requests that nobody answers. The most exact policy holds. */
export interface Unattended {
  questions?: Policy;
  permissions?: Policy;
  /** Policies for all requests of some sessions, by their ids. */
  sessions?: Record<string, Policy>;
}

export interface Policy {
  /** After how many milliseconds, counted from when the request was first seen. Defaults to 30 minutes. */
  after?: number | "never";
  /**
   * What happens then, beyond freeing who waits. `"leave"`, the default, leaves it answerable. `{ answer }` gives questions
   * that have an option with this label that answer, after a countdown of 60 s; never permissions.
   */
  then?: "leave" | "reject" | { answer: string };
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the wait, with its reason. What was sent goes on its way; with a signal that is already aborted, nothing is sent. */
  signal?: AbortSignal;
}

export interface AnswerOptions extends CallOptions {
  /** The `revision` of the request that was looked at. Defaults to the present one. */
  revision?: number;
}

export interface PromptOptions extends CallOptions {
  /** Defaults to the agent of the session's last message. */
  agent?: string;
  /** Defaults to the model of the session's last message. */
  model?: Model;
}

export interface CreateSessionOptions extends CallOptions {
  /** Where its agent works. */
  directory: string;
  /** Defaults to one that the server makes up. */
  title?: string;
}

/** How to wait for a reply. */
export interface ReplyOptions extends PromptOptions {
  /** In milliseconds, from now. Defaults to 30 minutes. */
  timeout?: number | "never";
  /** Whether the end of the wait, by time-out or signal, stops the agent, too. Defaults to `false`. */
  stop?: boolean;
  /** Told whether the message has reached the server, when the signal ends the wait. */
  onAborted?: (sent: "yes" | "no" | "unknown") => void;
}

export interface ValidationOptions extends ReplyOptions {
  /** A shell command that the OpenCode server runs in the directory of the session, or a function. */
  check: string | ((reply: TurnReply) => Checked | Promise<Checked>);
  /** Replies that are checked. Defaults to 5. */
  rounds?: number;
  /** What all replies together may cost. */
  budget?: Budget;
  /** Told of each round. */
  onRound?: (round: Round) => void;
  /** How long a command may take, in milliseconds; it is stopped then, and has failed. Defaults to 10 minutes. */
  commandTimeout?: number;
  /** The agent whose rules hold for a command. Defaults to `build`. */
  commandAgent?: string;
}

export interface Budget {
  tokens?: number;
  /** In dollars. */
  cost?: number;
  /** In milliseconds, from the first prompt. */
  time?: number;
}

/**
 * What a check says. The agent is told the output: of a command the lines that tell what failed, the end, and the exit code, up to
 * 16 KB; of a function up to 102,400 bytes, beginning and end.
 */
export type Checked = { passed: true } | { passed: false; output: string };

/** A reply and what the check said to it; `null` when it could not be checked. */
export interface Round {
  reply: TurnReply;
  check: { passed: boolean; output: string } | null;
}

/** How a loop of checks ended. */
export interface Validated {
  end: ValidationEnd;
  /** In order. */
  rounds: Round[];
}

export type ValidationEnd =
  | { kind: "passed" }
  /** The last round has failed. */
  | { kind: "roundsUsedUp" }
  /** The check failed in the same way twice in a row. */
  | { kind: "stalled" }
  | { kind: "overBudget"; bound: "tokens" | "cost" | "time" }
  /** The agent did not finish: a person stopped it, or it failed. */
  | { kind: "ended"; ending: Ending }
  /** There is no result of the check: why, and what a command had printed. */
  | { kind: "checkBroken"; reason: string; output: string }
  | { kind: "noReply"; error: Error };

/** What one agent is to do. */
export interface Job extends PromptOptions {
  directory: string;
  prompt: string;
  /** The title of its session. Defaults to its agent. */
  title?: string;
  /** The id of the session that it is dispatched for. */
  madeFor?: string;
  /** In milliseconds, from its own beginning. Defaults to the time-out of the dispatch. */
  timeout?: number;
}

export interface DispatchOptions extends CallOptions {
  /** How many work at once. Defaults to 4. */
  atOnce?: number;
  /** How long each may take, in milliseconds. Defaults to what the rules of completion say for its agent and model: 180 s. */
  timeout?: number;
  /** The rules of completion, as JSON. Defaults to those of this device: they are written on first use, where it keeps any. */
  completion?: string;
  /** Whether an agent that takes too long is stopped. Defaults to `true`. */
  stop?: boolean;
}

/** How one agent has fared: `index` is the place of its job. */
export type Dispatched =
  | { index: number; session: string; reply: TurnReply; error?: undefined }
  | { index: number; session: string | null; reply?: undefined; error: Error };

export interface ShellOptions extends CallOptions {
  directory: string;
  /** For `sh`. */
  command: string;
  /** The title of its session. */
  title?: string;
  /** The id of the session that it is run for. */
  madeFor?: string;
  /** In milliseconds; it is stopped then. Defaults to 10 minutes. */
  commandTimeout?: number;
  /** The agent whose rules hold. Defaults to `build`. */
  commandAgent?: string;
}

export interface ShellResult {
  session: string;
  /** What it printed, to standard output and standard error. */
  output: string;
  /** `null` when its shell was killed before it could say so. */
  exit: number | null;
}

/** What a session replied to a message. */
export interface TurnReply {
  session: string;
  /** The message that it replies to. */
  message: string;
  ending: Ending;
  /** Why that ending was recognised, in words. */
  reason: string;
  /** The last text of the reply, else what its tools did, else that there is none. */
  text: string;
  /** All messages of the agent after the message, in order. */
  messages: Message[];
  /** In dollars. */
  cost: number;
  /** Read and written, over all steps. */
  tokens: number;
}

/** A message. Times are by the clock of the server. */
export interface Message {
  id: string;
  /** `user` or `assistant`; a word of a newer server as it is. */
  role: string;
  created: number;
  completed: number | null;
  agent: string | null;
  text: string;
  reasoning: readonly string[];
  tools: readonly ToolCall[];
  error: { name: string; message: string } | null;
  /** In dollars. */
  cost: number | null;
}

/** The messages of one session, with the text that streams. */
export interface Timeline {
  session: string;
  /** Oldest first, without gaps. */
  readonly messages: readonly Message[];
  /** What lies before the first of them: `none` when it is the first of the session. */
  older: "unknown" | "none" | "available" | "loading";
  /** The ids of tool calls that still ran when their turn had ended. The server may never say more about them. */
  readonly abandoned: readonly string[];
  /** Newer messages than these are being fetched. */
  catchingUp: boolean;
  /** Why the messages cannot be read, if so. */
  problem: string | null;
  /** What to show as the reply when the last message has no text; `null` while the turn runs or has text. */
  fallback: string | null;
}

/** A tool call and its result. */
export interface ToolCall {
  id: string;
  /** Such as `bash`, `edit`, `question`, `task`. */
  tool: string;
  /** `pending`, `running`, `completed` or `error`; a word of a newer server as it is. */
  status: string;
  title: string | null;
  /** The arguments, as JSON. */
  input: string;
  output: string | null;
  error: string | null;
  /** Unified diff. */
  diff: string | null;
  /** The exit code of a command. */
  exit: number | null;
  /** The session that a `task` call started. */
  child: string | null;
}

/** When requests were asked, seen, answered, accepted and confirmed. Spans are milliseconds. */
export interface Figures {
  askedToSeen: Spread | null;
  seenToAnswered: Spread | null;
  answeredToConfirmed: Spread | null;
  /** Oldest first. */
  requests: Figure[];
}

export interface Spread {
  count: number;
  median: number;
  p95: number;
}

/** The times of one request. */
export interface Figure {
  /** The name of the server. */
  server: string;
  request: string;
  session: string;
  kind: "question" | "permission";
  /** By the clock of the server. */
  asked: number | null;
  seen: number;
  answered: number | null;
  /** When the server said yes to the answer. */
  accepted: number | null;
  /** When it was seen that the agent has the answer. */
  confirmed: number | null;
  /** A person here, a policy here, or another client. */
  by: "here" | "policy" | "elsewhere" | null;
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
export type Reply = readonly (readonly string[])[] | "dismiss" | "once" | "always" | "reject" | { reject: string };

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

/**
 * Why something was not sent, and is not sent again by itself. The state that has a reason has it also in English, as `text`.
 */
export type NotSentReason =
  /** The server will not take it: the HTTP status, and the words of the server where it has any. */
  | { kind: "refused"; status: number; message: string | null }
  /** The request asks something else than when it was answered. */
  | { kind: "changed" }
  /** The reply to a permission is older than 10 minutes. */
  | { kind: "tooOld" }
  /** The age of the reply to a permission is unknown: it was given by another clock. */
  | { kind: "ageUnknown" }
  /** `"always"` is sent at once or not at all. */
  | { kind: "alwaysDelayed" }
  /** The server accepted the prompt several times and never stored it. */
  | { kind: "notStored" }
  | { kind: "sessionDeleted" }
  /** An earlier version has stored nothing but `text`. */
  | { kind: "other" };

/** The `name` of the errors that calls reject with. */
export type ErrorName =
  | "AlreadySent"
  | "Disposed"
  | "EmptyPrompt"
  | "InDoubt"
  | "InvalidAddress"
  | "InvalidAnswer"
  | "InvalidArgument"
  | "NotConnected"
  | "NotRescuable"
  | "Refused"
  | "RequestChanged"
  | "RequestEnded"
  | "TimedOut"
  | "Unauthorized"
  | "UnknownRequest"
  | "UnknownSession";

/** All that is known of one server; frozen, with all that it holds. Times are milliseconds since the epoch, by the clock of this machine unless it says otherwise. */
export interface View {
  server: ServerView;
  /** Everything that waits for a person, is on its way, or ended in a way that needs a word. Oldest first. */
  readonly requests: readonly RequestView[];
  /** Newest first. */
  readonly sessions: readonly SessionView[];
  /** Prompts that are on their way or were not taken. */
  readonly prompts: readonly PromptView[];
  /** What was typed for sessions and not sent, by their ids. */
  readonly promptDrafts: Readonly<Record<string, string>>;
}

export interface ServerView {
  /** What it is called in `server` of requests, sessions and prompts. */
  name: string;
  /** Its address, without a slash at its end. */
  baseUrl: string;
  link: Link;
  version: string | null;
  /** The last read that succeeded. */
  read: number | null;
  /**
   * Whether the sessions, and the questions and permissions of all directories that are known, have been read once. A request that
   * was asked before the board was opened and is not shown then does not wait, unless its directory is in `failing`.
   */
  listed: boolean;
  nextTry: number | null;
  /** Directories that fail while others do not: after two failures in a row, or as soon as one that was never read hangs. */
  failing: readonly { directory: string; since: number | null; reason: string }[];
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
  /** The name of the server. */
  server: string;
  /** Only one request of this server has it; another server may have the same. */
  id: string;
  /** Grows when the server asks something else under the same id. An answer is for the revision that was looked at. */
  revision: number;
  session: string;
  directory: string;
  /** Where its tool part is. */
  tool: { message: string; call: string } | null;
  ask: Ask;
  state: RequestState;
  /** When this board first saw it. */
  seen: number;
  /** When it was asked, by the clock of this device. */
  asked: number | null;
  /** Set when what is shown is old: the last success in its directory. */
  stale: number | null;
  /** Who asks: the oldest ancestor first, the asking session last. */
  origin: readonly SessionRef[];
  /** What was sent, or is being sent. */
  reply: Reply | null;
  /** Whether that reply is not a person's, but of the policy for requests that nobody answers. */
  byPolicy: boolean;
  /** What was typed or chosen and not sent. */
  draft: readonly DraftField[] | null;
  /** Whether reply and draft are kept on this device: false while one of them is being written, and when it cannot be. */
  saved: boolean;
  /** How many other permissions of the session wait: a rejection takes them along. */
  others: number;
  /** What was answered to a like question that died before the answer arrived. It is never sent by itself. */
  suggestion: readonly (readonly string[])[] | null;
  /** How the answer of a dead question could still reach the agent. */
  rescue: { text: string; to: SessionRef; complete: boolean } | null;
  /** Until when somebody should have answered; `null` where nothing happens by itself, or an answer was given. */
  unanswered: {
    until: number;
    /** The time is running out. */
    warned: boolean;
    timedOut: number | null;
    /** How many milliseconds until the default answer is given, unless a person stops that. */
    answeringIn: number | null;
  } | null;
  /** Where what is asked for would run. A permission does not tell: the call that asks for it does. */
  runsIn: RunsIn;
}

/** Where a command would run. `directory` is what the model wrote: absolute, or relative to the directory of the session. */
export type RunsIn = { kind: "unread" } | { kind: "session" } | { kind: "named"; directory: string };

export type Ask =
  | { kind: "questions"; questions: readonly Question[] }
  | { kind: "permission"; permission: Permission };

export interface Question {
  text: string;
  /** A word or two for a tab. */
  header: string;
  options: readonly { label: string; description: string }[];
  /** Several options may be chosen. */
  multiple: boolean;
  /** A text of one's own is welcome. */
  custom: boolean;
}

export interface Permission {
  /** Such as `bash`, `edit`, `external_directory`, `webfetch`. */
  kind: string;
  patterns: readonly string[];
  /** What `"always"` would allow from then on. */
  always: readonly string[];
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
  | { kind: "notSent"; reason: NotSentReason; text: string }
  | { kind: "gone"; reason: GoneReason; at: number };

/** What is filled in for one question; for a permission, `own` is the word of a rejection. */
export interface DraftField {
  /** Labels. */
  chosen: readonly string[];
  /** A text of one's own. It counts as chosen when `ownChosen` is set. */
  own: string;
  ownChosen: boolean;
}

export interface SessionRef {
  /** The name of the server. */
  server: string;
  id: string;
  title: string;
}

export interface SessionView {
  /** The name of the server. */
  server: string;
  /** Only one session of this server has it; another server may have the same. */
  id: string;
  directory: string;
  /** The session whose `task` call made this one. */
  parent: string | null;
  title: string;
  /** By the clock of the server. */
  created: number;
  /** Its last prompt, step or end of a run, by the clock of this device. */
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
  /** Its questions that wait in another process. `waiting` leaves them out. */
  askedElsewhere: readonly AskedElsewhere[];
}

/**
 * A question that waits in another OpenCode process on the same data. It can be read here, and is answered there. A permission
 * that waits there shows as a call that runs.
 */
export interface AskedElsewhere {
  /** The message that asks. */
  message: string;
  /** Its part that asks. */
  part: string;
  questions: readonly Question[];
  /** When it was asked, by the clock of this device; `null` where the server does not say. */
  asked: number | null;
  /**
   * Whether another process is known to have asked it; whether that still lives is not. Otherwise it may also have been this
   * server, before it was restarted.
   */
  certain: boolean;
}

/** The state of the newest turn of a session. */
export type SessionState =
  | { kind: "unknown" }
  | { kind: "working" }
  /** `descendant` asks, when the session itself does not. */
  | { kind: "waitingForHuman"; descendant: string | null }
  /** `next` is the next try, by the clock of this device. */
  | { kind: "retrying"; attempt: number; message: string; next: number | null }
  | { kind: "stuck"; cause: { kind: "descendantWaits"; session: string } | { kind: "silent" }; since: number }
  /**
   * Its newest message is open, and this server does not run it. Several OpenCode processes on the same data, such as a
   * terminal beside a server, share sessions and messages; each knows only its own runs and requests. `certain`: another
   * process has begun the run, and whether that still lives cannot be known. Otherwise this server may also have run it, and
   * have been restarted since. A prompt begins a second run beside it.
   */
  | { kind: "elsewhere"; certain: boolean }
  | { kind: "ended"; ending: Ending; reason: string };

/**
 * How a run ended. `interrupted`: its message was never completed, since the server went away or for a reason that it does not
 * tell (`reason` says which is known). A reply is told as interrupted once that has stood for 15 s: a busy server completes
 * the message of a run that failed, or was stopped, long after it has ended.
 */
export type Ending = "done" | "empty" | "dismissed" | "failed" | "aborted" | "interrupted" | "notStarted" | "timedOut";

export interface PromptView {
  /** The name of the server. */
  server: string;
  /** Its entry in the ledger. */
  entry: string;
  session: string;
  /** The id that its message has, or will have. */
  message: string;
  text: string;
  /** The request whose answer it carries. */
  rescues: string | null;
  state:
    | { kind: "sending"; attempt: number; problem: string | null }
    | { kind: "sent" }
    | { kind: "stored"; at: number }
    | { kind: "notSent"; reason: NotSentReason; text: string };
}
