/** Effects: what is meant to be done, in order, and with what it must hold alone. */
import { known, text, type Known } from "./arguments.js";
import { engine } from "./engine.js";
import { checked, guarded } from "./errors.js";
import { defined } from "./options.js";

/** How an effect stands after a poll. `reason` says why, in words. */
export type Progress<T> =
  | { status: "ready"; value: T }
  /** It is done, and keeps what it holds until it is released. */
  | { status: "holding"; value: T }
  | { status: "pending" }
  | { status: "nothingToDo" }
  | { status: "failed"; reason: string }
  | { status: "inDoubt"; reason: string };

/** The one answer to an effect. */
export type EffectResponse<T> =
  | { status: "ready"; value: T }
  | { status: "nothingToDo" }
  | { status: "failed"; reason: string }
  | { status: "inDoubt"; reason: string }
  | { status: "cancelled" };

/** What a poll may know. It gives no way to wait. */
export interface EffectContext {
  /** Milliseconds since the epoch. */
  now: number;
  /** The number of the newest refresh that was observed. */
  refresh: number;
  /** The decision on its request, once there is one. */
  decision: { approved: true } | { approved: false; reason: string } | undefined;
}

/** Something to be done once its time has come. */
export interface Effect<T> {
  /** Begins it, or looks how it stands. It is called once a pass, and cannot use the queue. */
  poll: (context: EffectContext) => Progress<T>;
  /** What happens when its result is unknown: `once`, the default, is never tried again. */
  class?: "once" | "consumedById" | "idempotentById" | undefined;
  /** What it must hold alone while it is done. Defaults to nothing. */
  needs?: string[] | undefined;
  /** The names that cancel it. */
  agent?: string | undefined;
  session?: string | undefined;
  call?: { message: string; call: string } | undefined;
  /** The request of its session whose decision it needs. */
  request?: string | undefined;
  /** Whether what it acts on exists. Defaults to `true`. */
  targetExists?: boolean | undefined;
}

const EFFECT: Known<Effect<unknown>> = {
  poll: true,
  class: true,
  needs: true,
  agent: true,
  session: true,
  call: true,
  request: true,
  targetExists: true,
};

/** An effect that was submitted. */
export interface Submitted<T> {
  /** Names it in the queue. */
  id: number;
  /** Resolves with its one answer. */
  answer: Promise<EffectResponse<T>>;
}

/** Effects in the order of submission, per resource first in, first out. */
export class EffectQueue<T = unknown> {
  readonly #queue = new (engine().EffectQueue)();

  /** Submits an effect. It is first polled by the next {@link pollAll} that finds it holding what it needs. */
  submit(effect: Effect<T>): Submitted<T> {
    const [id, promise] = checked(() => this.#queue.submit(defined(known(effect, "submit", EFFECT)))) as [number, Promise<EffectResponse<T>>];
    const answer = guarded(async () => {
      const response = await promise;
      this.#queue.forget(id);
      return response;
    });
    return { id, answer };
  }

  /** Polls every effect that holds what it needs, once. Call it once a pass of your loop. */
  pollAll(): void {
    checked(() => this.#queue.pollAll());
  }

  /** Ends an effect, and gives what it holds to the next in line. False when it has ended before. */
  release(id: number): boolean {
    return checked(() => this.#queue.release(id));
  }

  /** Ends all effects of a call, a session or an agent; those without an answer are answered `cancelled`. Returns how many. */
  cancel(which: { session: string; call?: { message: string; call: string } } | { agent: string }): number {
    return checked(() => this.#queue.cancel(which));
  }

  /**
   * Keeps an approval for the effect with this request, also one that comes before it. The first decision counts: false when
   * there was one.
   *
   * @throws {@link InvalidArgumentError} when 1,000 decisions wait for their effects
   */
  approve(session: string, request: string): boolean {
    return checked(() => this.#queue.decide(text(session, "approve: session"), text(request, "approve: request")));
  }

  /** The same for a refusal. */
  deny(session: string, request: string, reason: string): boolean {
    const [asking, asked] = [text(session, "deny: session"), text(request, "deny: request")];
    return checked(() => this.#queue.decide(asking, asked, text(reason, "deny: reason")));
  }

  /** Drops the decisions of a session whose turn has ended. */
  endTurn(session: string): void {
    checked(() => this.#queue.endTurn(text(session, "endTurn: session")));
  }

  /** Notes that the refresh with this number begins: what it reads may be older than a doubt that arises from now on. */
  refreshBegun(number: number): void {
    checked(() => this.#queue.refreshBegun(number));
  }

  /** Takes note of a refresh that was read: effects in doubt that it began after are polled again. */
  observeRefresh(number: number): void {
    checked(() => this.#queue.observeRefresh(number));
  }

  /** Whether an effect holds what it needs. */
  holds(id: number): boolean {
    return checked(() => this.#queue.holds(id));
  }
}
