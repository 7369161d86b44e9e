/**
 * Answers for OpenCode agents that arrive. This entry has its WebAssembly inside; `opencode-switchboard/slim` is given it.
 *
 * @module opencode-switchboard
 */
import type { Board } from "./board.js";
import { open, type ConnectOptions } from "./connecting.js";
import { DeferredTracker as Tracker } from "./deferred.js";
import { openAll, type ConnectAllOptions, type Desk } from "./desk.js";
import { CompletionDetector as Detector, type DetectorOptions, type Output } from "./detector.js";
import * as rules from "./detector.js";
import { EffectQueue as Queue } from "./effects.js";
import { load, loadNow } from "./engine.js";
import { guarded } from "./errors.js";
import { Rendezvous as Meeting } from "./rendezvous.js";
import { wasm, wasmNow } from "../wasm/inlined.js";

export type * from "./public.js";
export * from "./values.js";
export { readVerdict, tallyOf } from "./reviews.js";

/**
 * Connects to one OpenCode server. Resolves when the WebAssembly is loaded and the options are right, without waiting for the
 * server: {@link Board.ready} does that, and rejects with the reason. The server is tried again until the board is closed; calls
 * that need it wait for its first answer.
 *
 * @throws {@link InvalidAddressError}, {@link InvalidArgumentError}
 */
export function connect(options: ConnectOptions): Promise<Board> {
  return guarded(async () => {
    await load(wasm);
    return open(options);
  }, options);
}

/**
 * Connects to several OpenCode servers as one. Resolves when the WebAssembly is loaded and all options are right, without waiting
 * for any server: {@link Desk.ready} does that. One that cannot be reached neither delays nor fails the others, and is tried again
 * until the desk is closed. Where an option is wrong, nothing stays open.
 *
 * @param servers At least one, with different addresses. Each is called by its `name`, else by host, port and path of its
 * address, with a number where that is taken.
 * @throws {@link InvalidAddressError}, {@link InvalidArgumentError}
 */
export function connectAll(servers: readonly ConnectOptions[], options: ConnectAllOptions = {}): Promise<Desk> {
  return guarded(async () => {
    await load(wasm);
    return openAll(servers, options);
  }, options);
}

/** Loads the WebAssembly before it is needed. {@link connect} and {@link connectAll} do it as well. */
export default async function init(): Promise<void> {
  await load(wasm);
}

/** See {@link Tracker}. */
export class DeferredTracker<T = unknown> extends Tracker<T> {
  constructor() {
    loadNow(wasmNow);
    super();
  }
}

/** See {@link Detector}. */
export class CompletionDetector extends Detector {
  constructor(options: DetectorOptions = {}) {
    loadNow(wasmNow);
    super(options);
  }

  static override over(...given: Parameters<typeof Detector.over>): Promise<Output> {
    loadNow(wasmNow);
    return Detector.over(...given);
  }
}

/** See {@link Queue}. */
export class EffectQueue<T = unknown> extends Queue<T> {
  constructor() {
    loadNow(wasmNow);
    super();
  }
}

/** See {@link Meeting}. */
export class Rendezvous<Q = unknown, A = unknown> extends Meeting<Q, A> {
  constructor() {
    loadNow(wasmNow);
    super();
  }
}

/** See {@link rules.rulesOf}. */
export function rulesOf(...given: Parameters<typeof rules.rulesOf>): rules.CompletionRules {
  loadNow(wasmNow);
  return rules.rulesOf(...given);
}

/** See {@link rules.usualConfig}. */
export function usualConfig(): string {
  loadNow(wasmNow);
  return rules.usualConfig();
}
