/** Deferreds: the sync points of running tool calls, for people with an agent loop of their own. */
import { known, list, text } from "./arguments.js";
import { milliseconds, type Duration } from "./duration.js";
import { engine } from "./engine.js";
import { guarded } from "./errors.js";
import { CALL, given, type CallOptions } from "./options.js";

/** The one end of a deferred, as its waiters see it. `aborted`: the turn ended first. */
export type Settlement<T> =
  | { status: "completed"; value: T }
  | { status: "failed"; reason: string }
  | { status: "aborted" };

/** What became of a result: only `settled` changed anything; `late` is kept for {@link DeferredTracker.takeLate}. */
export type Settling = "settled" | "already" | "late" | "unknown";

/** A result that came after its deferred was abandoned. */
export type Late<T> = { key: string; turn: number } & ({ value: T; error?: never } | { error: string; value?: never });

/** How a turn ended: how many were settled, and the keys of the others in the order they were registered. */
export interface TurnReport {
  settled: number;
  abandoned: string[];
}

const SETTLINGS: readonly Settling[] = ["settled", "already", "late", "unknown"];

/**
 * One deferred per running call, by key. Each settles exactly once; when the turn ends, what is open gets one common grace,
 * and is then abandoned.
 */
export class DeferredTracker<T = unknown> {
  readonly #tracker = new (engine().DeferredTracker)();

  /**
   * Registers calls. Returns how many are new: a key that was registered in this turn, or that an earlier turn abandoned and
   * nothing was heard of since, is not.
   */
  register(keys: string | readonly string[]): number {
    const all = [keys].flat().map((key) => text(key, "register: key"));
    return all.reduce((count, key) => count + Number(this.#tracker.register(key)), 0);
  }

  /** Settles a call with a result. */
  settle(key: string, value: T): Settling {
    return settling(this.#tracker.complete(text(key, "settle: key"), value));
  }

  /** Settles a call with a failure, in words. */
  fail(key: string, reason: string): Settling {
    return settling(this.#tracker.fail(text(key, "fail: key"), text(reason, "fail: reason")));
  }

  /** Settles many calls, in order: the first value is that of the first key. */
  settleMany(keys: readonly string[], values: readonly T[]): Settling[] {
    const all = list(keys, "settleMany: keys").slice(0, list(values, "settleMany: values").length).map((key) => text(key, "settleMany: key"));
    return all.map((key, at) => settling(this.#tracker.complete(key, values[at])));
  }

  /** Registers a call, does its work, and settles it with what comes of it, also when that throws. */
  async run(key: string, work: () => T | Promise<T>): Promise<Settling> {
    this.register(key);
    try {
      return this.settle(key, await work());
    } catch (thrown) {
      return this.fail(key, thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  /**
   * Waits for the end of a call of this turn; at once when it has ended. Any number may wait. Resolves with `undefined` when
   * the key is not registered.
   */
  wait(key: string, options: CallOptions = {}): Promise<Settlement<T> | undefined> {
    return guarded(
      async () => (await this.#tracker.wait(text(key, "wait: key"), given(known(options, "wait", CALL)))) as Settlement<T> | undefined,
      options,
    );
  }

  /** How many calls are open. */
  get open(): number {
    return this.#tracker.open();
  }

  /** The keys of the open calls, in the order they were registered. */
  openKeys(): string[] {
    return this.#tracker.openKeys();
  }

  /**
   * Ends the turn: waits until nothing is open, for `grace` at most (250 ms unless given), and abandons the rest. A signal that
   * ends the wait leaves the turn as it is.
   */
  settleAll(grace: Duration = 250, options: CallOptions = {}): Promise<TurnReport> {
    return guarded(
      async () => (await this.#tracker.settleAll(milliseconds(grace, "grace"), given(known(options, "settleAll", CALL)))) as TurnReport,
      options,
    );
  }

  /** Ends the turn at once, and abandons what is open. Returns its keys. */
  abandonAll(): string[] {
    return this.#tracker.abandonAll();
  }

  /** Results that came after their turn had ended, in the order they came; each is told once. */
  takeLate(): Late<T>[] {
    return this.#tracker.takeLate() as Late<T>[];
  }
}

function settling(number: number): Settling {
  return SETTLINGS[number] ?? "unknown";
}
