/** The types of both entries. */
export type {
  Ask,
  AskedElsewhere,
  Checked,
  Dispatched,
  DraftField,
  ElsewhereAnswer,
  Ending,
  Figure,
  Figures,
  GoneReason,
  Link,
  LogRecord,
  Message,
  Model,
  NotSentReason,
  Outcome,
  Permission,
  PromptView,
  Question,
  Reply,
  RequestState,
  RequestView,
  Round,
  RunsIn,
  ServerView,
  SessionRef,
  SessionState,
  SessionView,
  ShellResult,
  Spread,
  Timeline,
  ToolCall,
  TurnReply,
  Validated,
  ValidationEnd,
  View,
} from "../wasm/types.js";
export type { AskHandlers } from "./asking.js";
export type {
  CreateSessionOptions,
  Credentials,
  DispatchOptions,
  Job,
  Review,
  ReviewOptions,
  Reviewer,
  SessionReviewOptions,
  Reviewed,
  SendOptions,
  ShellOptions,
} from "./board.js";
export type { ConnectOptions } from "./connecting.js";
export type { ConnectAllOptions, DeskFigures, DeskSessionOptions, RequestKey, SessionKey } from "./desk.js";
export type { DeskView } from "./desk-view.js";
export type { Late, TurnReport, Settlement, Settling } from "./deferred.js";
export type { CompletionMarkers, CompletionRules, DetectorOptions, Output, Piece } from "./detector.js";
export type { Duration } from "./duration.js";
export type { Effect, EffectContext, Progress, EffectResponse, Submitted } from "./effects.js";
export type { ErrorCode, WasSent } from "./errors.js";
export type { Updates } from "./iteration.js";
export type { CallOptions } from "./options.js";
export type { AnswerStatus, AskOptions, AskOutcome, Asked, LateAnswer } from "./rendezvous.js";
export type { PermissionReply, QuestionReply } from "./request.js";
export type { Fault, ReadVerdict, Tally, Verdict, VerdictOptions, Vote } from "./reviews.js";
export type { AgentOptions, ReplyOptions, Budget, ValidationOptions } from "./session.js";
export type { Change, Shelf, LedgerStorage, StoredEntry } from "./storage.js";
export type { Policy, Unattended } from "./unattended.js";
