/** Answers the requests of a session while something runs there. */
import type { Board as EngineBoard } from "../wasm/switchboard.js";
import { AlreadySentError, DisposedError, RequestEndedError } from "./errors.js";
import { callback, type Known } from "./arguments.js";
import { isClosed } from "./closing.js";
import { iterate } from "./iteration.js";
import { requestOf, type AgentRequest, type PermissionReply, type QuestionReply } from "./request.js";
import { frozen } from "./snapshot.js";
import { tell } from "./tell.js";

/**
 * Who answers what the agent and its sub-agents ask. What has no handler waits for somebody else.
 *
 * A reply is for the request as the handler saw it. When the server asks something else under the same id before the reply is
 * sent, the reply is not sent, `onHandlerError` is told a {@link RequestChangedError}, and the handler is called again.
 */
export interface AskHandlers {
  /** Called once for each request with questions. Its result is the answer; without one the request goes on waiting. */
  onQuestion?: ((request: AgentRequest) => Promise<QuestionReply | void> | QuestionReply | void) | undefined;
  /** Called once for each permission. Its result is the reply; without one the request goes on waiting. */
  onPermission?: ((request: AgentRequest) => Promise<PermissionReply | void> | PermissionReply | void) | undefined;
  /**
   * Told what a handler threw, and why its answer could not be sent; the request goes on waiting. Defaults to the console.
   * An answer that comes after another one is no error.
   */
  onHandlerError?: ((error: unknown, request: AgentRequest) => void) | undefined;
}

/** @internal */
export const HANDLERS: Known<AskHandlers> = { onQuestion: true, onPermission: true, onHandlerError: true };

/** Checks handlers. @internal @throws {@link InvalidArgumentError} when one is no function */
export function checkHandlers({ onQuestion, onPermission, onHandlerError }: AskHandlers, call: string): void {
  callback(onQuestion, `${call}: onQuestion`);
  callback(onPermission, `${call}: onPermission`);
  callback(onHandlerError, `${call}: onHandlerError`);
}

/** Calls the handlers for what a session and its descendants ask, until the signal is aborted. @internal */
export async function attend(
  board: EngineBoard,
  session: string,
  handlers: AskHandlers,
  signal: AbortSignal,
): Promise<void> {
  if (!handlers.onQuestion && !handlers.onPermission) return;
  /** The revision of each request that a handler was called for. */
  const seen = new Map<string, number>();
  try {
    for await (const view of iterate(board, () => board.views(), frozen, signal)) {
      for (const request of view.requests) {
        const isOurs = request.origin.some((place) => place.id === session);
        if (!isOurs || request.state.kind !== "waiting" || seen.get(request.id) === request.revision) continue;
        seen.set(request.id, request.revision);
        void answer(board, requestOf(board, request), handlers);
      }
    }
  } catch (error) {
    if (!signal.aborted) console.error("opencode-switchboard: the handlers are called no more", error);
  }
}

async function answer(board: EngineBoard, request: AgentRequest, handlers: AskHandlers): Promise<void> {
  const report = handlers.onHandlerError ?? ((error: unknown) => console.error("opencode-switchboard: a handler failed", error));
  try {
    const handler = request.ask.kind === "questions" ? handlers.onQuestion : handlers.onPermission;
    const reply = await handler?.(request);
    if (reply !== undefined) await request.answer(reply);
  } catch (error) {
    const isMoot = error instanceof RequestEndedError || error instanceof AlreadySentError;
    if (isMoot || (error instanceof DisposedError && isClosed(board))) return;
    tell(report, error, request);
  }
}
