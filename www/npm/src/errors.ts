/** The errors of this package. Each has a `name` and a `code` that stay the same. */

import { isClosed } from "./closing.js";
import { about } from "./naming.js";

/** Whether a message has reached the server: it has, it has not and will not, or it is not known yet. */
export type WasSent = "yes" | "no" | "unknown";

/** The `code` of each error. */
export type ErrorCode =
  | "ALREADY_SENT"
  | "DISPOSED"
  | "EMPTY_PROMPT"
  | "IN_DOUBT"
  | "INCOMPLETE"
  | "INVALID_ADDRESS"
  | "INVALID_ANSWER"
  | "INVALID_ARGUMENT"
  | "NOT_CONNECTED"
  | "NOT_LOADED"
  | "NOT_RESCUABLE"
  | "REFUSED"
  | "REQUEST_CHANGED"
  | "REQUEST_ENDED"
  | "STORAGE_LOCKED"
  | "TIMED_OUT"
  | "UNAUTHORIZED"
  | "UNKNOWN_REQUEST"
  | "UNKNOWN_SERVER"
  | "UNKNOWN_SESSION";

/**
 * The base of all errors of this package. An aborted call rejects with the reason of its signal, which is not one of these. An
 * error that the engine found has the engine's own error as its `cause`.
 */
export abstract class SwitchboardError extends Error {
  /** Says which error this is, for programs. */
  abstract readonly code: ErrorCode;
  /** The name of the server that it is about, with which its message begins; `undefined` where no name was given to it. */
  readonly server: string | undefined;

  constructor(message: string, { server, ...options }: ErrorOptions & { server?: string | undefined } = {}) {
    super(server === undefined ? message : `${server}: ${message}`, options);
    this.server = server;
  }
}

/** Another answer is on its way. */
export class AlreadySentError extends SwitchboardError {
  override readonly name = "AlreadySent";
  readonly code = "ALREADY_SENT";
}

/** The server asks something else under the same id than what the answer is for. Nothing was sent. */
export class RequestChangedError extends SwitchboardError {
  override readonly name = "RequestChanged";
  readonly code = "REQUEST_CHANGED";
}

/** The board was closed before the call, or while it waited. What was sent goes on with the next connection. */
export class DisposedError extends SwitchboardError {
  override readonly name = "Disposed";
  readonly code = "DISPOSED";
}

/** A prompt without text. */
export class EmptyPromptError extends SwitchboardError {
  override readonly name = "EmptyPrompt";
  readonly code = "EMPTY_PROMPT";
}

/** It may or may not have taken effect; it is not sent again by itself. */
export class InDoubtError extends SwitchboardError {
  override readonly name = "InDoubt";
  readonly code = "IN_DOUBT";
}

/** An address that is none, or that holds a password. */
export class InvalidAddressError extends SwitchboardError {
  override readonly name = "InvalidAddress";
  readonly code = "INVALID_ADDRESS";
}

/** A reply that does not fit its request. Nothing was sent. */
export class InvalidAnswerError extends SwitchboardError {
  override readonly name = "InvalidAnswer";
  readonly code = "INVALID_ANSWER";
}

/** An argument of the wrong form. Nothing was done. */
export class InvalidArgumentError extends SwitchboardError {
  override readonly name = "InvalidArgument";
  readonly code = "INVALID_ARGUMENT";
}

/** The server cannot be reached, or has not been yet. Nothing was sent. */
export class NotConnectedError extends SwitchboardError {
  override readonly name = "NotConnected";
  readonly code = "NOT_CONNECTED";
}

/** The WebAssembly was not loaded: the slim entry wants `await init(...)` first. */
export class NotLoadedError extends SwitchboardError {
  override readonly name = "NotLoaded";
  readonly code = "NOT_LOADED";
}

/** There is no answer of a dead question that could go as a message. */
export class NotRescuableError extends SwitchboardError {
  override readonly name = "NotRescuable";
  readonly code = "NOT_RESCUABLE";
}

/** The server will not take it; in its words. */
export class RefusedError extends SwitchboardError {
  override readonly name = "Refused";
  readonly code = "REFUSED";
}

/** The request has ended: it was answered, dismissed, or is gone. */
export class RequestEndedError extends SwitchboardError {
  override readonly name = "RequestEnded";
  readonly code = "REQUEST_ENDED";
}

/** Another process has the file that keeps the ledger. */
export class StorageLockedError extends SwitchboardError {
  override readonly name = "StorageLocked";
  readonly code = "STORAGE_LOCKED";
}

/** The server wants a password. Nothing happened. */
export class UnauthorizedError extends SwitchboardError {
  override readonly name = "Unauthorized";
  readonly code = "UNAUTHORIZED";
}

/** No such request is known. */
export class UnknownRequestError extends SwitchboardError {
  override readonly name = "UnknownRequest";
  readonly code = "UNKNOWN_REQUEST";
}

/** No server has this name. */
export class UnknownServerError extends SwitchboardError {
  override readonly name = "UnknownServer";
  readonly code = "UNKNOWN_SERVER";
}

/** No such session is known, or it is gone. */
export class UnknownSessionError extends SwitchboardError {
  override readonly name = "UnknownSession";
  readonly code = "UNKNOWN_SESSION";
}

/** Something that ended before it was whole. */
export abstract class UnfinishedError extends SwitchboardError {
  constructor(
    message: string,
    /** What had arrived, was said or was printed; empty when nothing was. */
    readonly text: string,
    options?: ErrorOptions & { server?: string | undefined },
  ) {
    super(message, options);
  }
}

/** An output that will not be complete any more. */
export class IncompleteError extends UnfinishedError {
  override readonly name = "Incomplete";
  readonly code = "INCOMPLETE";
  /** Why it ends here. */
  readonly reason: "timedOut" | "failed" | "empty";
  /** What its process ended with, when it has ended and said so. */
  readonly exit: number | null;
  /** What the process wrote to its standard error. */
  readonly stderr: string;

  constructor(message: string, text: string, end: Pick<IncompleteError, "reason" | "exit">, stderr = "") {
    super(message, text);
    this.reason = end.reason;
    this.exit = end.exit;
    this.stderr = stderr;
  }
}

/** It took too long. The agent goes on, unless it was to be stopped. */
export class TimedOutError extends UnfinishedError {
  override readonly name = "TimedOut";
  readonly code = "TIMED_OUT";
  /** Whether the message has reached the server; none where nothing was a message. */
  readonly sent: WasSent | undefined;

  constructor(message: string, text: string, sent: WasSent | undefined, options?: ErrorOptions & { server?: string | undefined }) {
    super(message, text, options);
    this.sent = sent;
  }
}

const BY_NAME: Readonly<Record<string, new (message: string, options: ErrorOptions & { server?: string }) => SwitchboardError>> = {
  AlreadySent: AlreadySentError,
  RequestChanged: RequestChangedError,
  Disposed: DisposedError,
  EmptyPrompt: EmptyPromptError,
  InDoubt: InDoubtError,
  InvalidAddress: InvalidAddressError,
  InvalidAnswer: InvalidAnswerError,
  InvalidArgument: InvalidArgumentError,
  NotConnected: NotConnectedError,
  NotRescuable: NotRescuableError,
  Refused: RefusedError,
  RequestEnded: RequestEndedError,
  Unauthorized: UnauthorizedError,
  UnknownRequest: UnknownRequestError,
  UnknownSession: UnknownSessionError,
};

/** Returns one of the errors above for an error that the engine threw, which becomes its cause. @internal */
export function translated(thrown: unknown, said: { server?: string } = {}): unknown {
  if (!(thrown instanceof Error) || thrown instanceof SwitchboardError) return thrown;
  const options = { ...said, cause: thrown };
  if (thrown.name === "TimedOut") {
    const { sent, text } = thrown as Error & { sent?: WasSent; text?: string };
    return new TimedOutError(thrown.message, text ?? "", sent, options);
  }
  const known = Object.hasOwn(BY_NAME, thrown.name) ? BY_NAME[thrown.name] : undefined;
  return known ? new known(thrown.message, options) : thrown;
}

/**
 * Does the work, and translates what it throws, unless that is the reason of the signal in its options.
 *
 * A rejection that nobody handles is reported as usual, except a cancellation by the caller: the reason of the signal, or that
 * `source`, which was open at the call, has been closed.
 *
 * @internal
 */
export function guarded<T>(work: () => Promise<T>, options?: { signal?: AbortSignal | undefined } | null, source?: object): Promise<T> {
  const wasClosed = source !== undefined && isClosed(source);
  const result = (async () => {
    const signal = options?.signal;
    try {
      return await work();
    } catch (thrown) {
      const isAborted = signal?.aborted && thrown === signal.reason;
      const error = isAborted ? thrown : translated(thrown, about(source));
      const isClosing = error instanceof DisposedError && source !== undefined && !wasClosed;
      if (isAborted || isClosing) queueMicrotask(() => void result.catch(() => {}));
      throw error;
    }
  })();
  return result;
}

/** The same for what ends at once. @internal */
export function checked<T>(work: () => T, source?: object): T {
  try {
    return work();
  } catch (thrown) {
    throw translated(thrown, about(source));
  }
}
