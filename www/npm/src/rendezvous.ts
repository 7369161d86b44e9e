/// <reference lib="esnext.disposable" preserve="true" />
/** Where an agent that asks meets a person who answers, for people with an agent loop of their own. */
import { known, text, type Known } from "./arguments.js";
import { closed } from "./closing.js";
import { timeOut, type Duration } from "./duration.js";
import { engine } from "./engine.js";
import { checked, guarded } from "./errors.js";
import { iterate, type Updates } from "./iteration.js";
import { CALL, defined, given, type CallOptions } from "./options.js";

/** How long a question waits, and what happens then. */
export interface AskOptions<A> extends CallOptions {
  /** How long, from the asking. Defaults to 30 minutes. */
  timeout?: Duration | "never" | undefined;
  /**
   * What the time-out does, beyond freeing who waits. `"leave"`, the default, leaves the question answerable, though late;
   * `{ answer }` gives it that answer.
   */
  then?: "leave" | { answer: A } | undefined;
}

const ASK: Known<AskOptions<unknown>> = { ...CALL, timeout: true, then: true };

/** The one end of a question, as its waiters see it. */
export type AskOutcome<A> =
  /** `policy`: nobody answered in time, and this is the answer of its `then`. */
  | { status: "answered"; answer: A; by: "person" | "policy" }
  | { status: "timedOut" }
  | { status: "cancelled"; reason: string }
  /** The rendezvous was closed. */
  | { status: "closed" };

/** What became of an answer: only `taken` has reached who waits. `late` is kept for {@link Rendezvous.takeLate}. */
export type AnswerStatus =
  | { status: "taken" }
  /** The question had ended so many milliseconds before. */
  | { status: "late"; lateBy: number }
  /** Somebody had answered before. */
  | { status: "already" }
  /** No such question is known. */
  | { status: "unknown" }
  | { status: "closed" };

/** A question that is shown. Times are milliseconds since the epoch. */
export interface Asked<Q> {
  key: string;
  question: Q;
  asked: number;
  /** When its time is up; `null` where it waits for ever. */
  until: number | null;
  /** Its time is running out: 5 minutes are left, or half of it when that is less. */
  warned: boolean;
  /** When its time was up: nobody waits for it, and an answer is late. `null` while somebody may. */
  timedOut: number | null;
}

/** An answer that came too late for those who waited, by so many milliseconds. */
export interface LateAnswer<Q, A> {
  key: string;
  question: Q;
  answer: A;
  lateBy: number;
}

/**
 * The agent's side asks and waits, the person's side looks and answers, in any order. A question is published once under its
 * key and ends once. Questions and answers pass through as they are.
 *
 * A key is used once, so that no answer meets the wrong question; of questions that have ended the newest 1,000 are remembered,
 * and of late answers that nobody takes the newest 1,000.
 *
 * @example
 * ```ts
 * const desk = new Rendezvous<string, string>();
 * const asking = desk.ask("deploy 7", "Deploy to production?", { timeout: "10m" });
 * for (const { key, question } of desk.waiting()) desk.answer(key, "yes");
 * const outcome = await asking; // { status: "answered", answer: "yes", by: "person" }
 * ```
 */
export class Rendezvous<Q = unknown, A = unknown> implements Disposable {
  readonly #rendezvous = new (engine().Rendezvous)();

  /**
   * Publishes a question before it returns, also when nobody looks at the result, which resolves with how the question ended.
   * The signal ends this wait alone: the question goes on waiting, until somebody answers it or calls {@link cancel}.
   *
   * @throws {@link InvalidArgumentError} when the key was used before, {@link DisposedError}
   */
  ask(key: string, question: Q, options: AskOptions<A> = {}): Promise<AskOutcome<A>> {
    return guarded(async () => {
      const { then, signal } = known(options, "ask", ASK);
      const timeout = timeOut(options.timeout, "timeout");
      return this.#rendezvous.ask(text(key, "ask: key"), question, defined({ then, signal, timeout })) as Promise<AskOutcome<A>>;
    }, options);
  }

  /**
   * Waits for the end of a question, at once when it has ended. Any number may wait, and one that leaves disturbs nobody.
   * Resolves with `undefined` when the key is not known.
   */
  wait(key: string, options: CallOptions = {}): Promise<AskOutcome<A> | undefined> {
    return guarded(
      async () => (await this.#rendezvous.wait(text(key, "wait: key"), given(known(options, "wait", CALL)))) as AskOutcome<A> | undefined,
      options,
    );
  }

  /** Answers a question. A late answer is kept; it reaches neither who waited nor another question. */
  answer(key: string, answer: A): AnswerStatus {
    return checked(() => this.#rendezvous.answer(text(key, "answer: key"), answer) as AnswerStatus);
  }

  /**
   * Ends a question without an answer, and stops showing it. An answer that comes later is late. False when it has ended before,
   * or is not known.
   */
  cancel(key: string, reason = "cancelled"): boolean {
    return this.#rendezvous.cancel(text(key, "cancel: key"), text(reason, "cancel: reason"));
  }

  /** What is shown: what waits, and what was left when its time was up, in the order it was asked. */
  waiting(): Asked<Q>[] {
    return checked(() => this.#rendezvous.waiting() as Asked<Q>[]);
  }

  /**
   * What is shown now, and the newest of it whenever that has changed; a warning and a time-out are changes. A slow reader skips
   * states, and makes nothing grow. It ends when the rendezvous is closed or the loop is left.
   */
  views(options: CallOptions = {}): Updates<Asked<Q>[]> {
    return iterate(this.#rendezvous, () => this.#rendezvous.views(), (waiting) => waiting as Asked<Q>[], known(options, "views", CALL).signal);
  }

  /** Answers that came too late, in the order they came; each is told once, also after the end. */
  takeLate(): LateAnswer<Q, A>[] {
    return checked(() => this.#rendezvous.takeLate() as LateAnswer<Q, A>[]);
  }

  /** Ends everything; twice is fine. Who waits hears `closed`. */
  close(): void {
    this.#rendezvous.close();
    closed(this.#rendezvous);
  }

  /** Closes it, for `using`. */
  [Symbol.dispose](): void {
    this.close();
  }
}
