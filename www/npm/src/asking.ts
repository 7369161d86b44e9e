/** Answers the requests of a session while something runs there. */
import type { Board as EngineBoard } from "../wasm/switchboard.js";
import { AlreadySentError, RequestEndedError, translated } from "./errors.js";
import { iterate } from "./iteration.js";
import { Request, replyOf, type PermissionReply, type QuestionReply } from "./request.js";
import { tell } from "./tell.js";

/** Who answers what the agent and its sub-agents ask. What has no handler waits for somebody else. */
export interface AskHandlers {
  /** Called once for each request with questions. Its result is the answer; without one the request goes on waiting. */
  onQuestion?: (request: Request) => Promise<QuestionReply | void> | QuestionReply | void;
  /** Called once for each permission. Its result is the reply; without one the request goes on waiting. */
  onPermission?: (request: Request) => Promise<PermissionReply | void> | PermissionReply | void;
  /**
   * Told what a handler threw, and why its answer could not be sent; the request goes on waiting. Defaults to the console.
   * An answer that comes after another one is no error.
   */
  onHandlerError?: (error: unknown, request: Request) => void;
}

/** Calls the handlers for what a session and its descendants ask, until the signal is aborted. @internal */
export async function attend(
  board: EngineBoard,
  session: string,
  handlers: AskHandlers,
  signal: AbortSignal,
): Promise<void> {
  if (!handlers.onQuestion && !handlers.onPermission) return;
  const seen = new Set<string>();
  try {
    for await (const view of iterate(board, () => board.views(), (view) => view, signal)) {
      for (const request of view.requests) {
        const isOurs = request.origin.some((place) => place.id === session);
        if (!isOurs || request.state.kind !== "waiting" || seen.has(request.id)) continue;
        seen.add(request.id);
        void answer(board, new Request(board, request), handlers);
      }
    }
  } catch {
    // The signal was aborted: what ran there is over.
  }
}

async function answer(board: EngineBoard, request: Request, handlers: AskHandlers): Promise<void> {
  const report = handlers.onHandlerError ?? ((error: unknown) => console.error("opencode-switchboard: a handler failed", error));
  try {
    const handler = request.ask.kind === "questions" ? handlers.onQuestion : handlers.onPermission;
    const reply = await handler?.(request);
    if (reply !== undefined) await board.answer(request.id, replyOf(reply));
  } catch (thrown) {
    const error = translated(thrown);
    if (error instanceof RequestEndedError || error instanceof AlreadySentError) return;
    tell(report, error, request);
  }
}
