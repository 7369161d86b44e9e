/** What is a value in both entries and needs no WebAssembly. */
export { Board } from "./board.js";
export { Desk } from "./desk.js";
export { AgentRequest } from "./request.js";
export { Session } from "./session.js";
export { MemoryStorage } from "./storage.js";
export {
  AlreadySentError,
  DisposedError,
  EmptyPromptError,
  InDoubtError,
  IncompleteError,
  InvalidAddressError,
  InvalidAnswerError,
  InvalidArgumentError,
  NotConnectedError,
  NotLoadedError,
  NotRescuableError,
  RefusedError,
  RequestChangedError,
  RequestEndedError,
  StorageLockedError,
  SwitchboardError,
  TimedOutError,
  UnauthorizedError,
  UnfinishedError,
  UnknownRequestError,
  UnknownServerError,
  UnknownSessionError,
} from "./errors.js";
