/**
 * The same without WebAssembly inside: `init` is given it, and must have resolved before anything else is used.
 *
 * @module opencode-switchboard/slim
 */
import type { Board } from "./board.js";
import { open, type ConnectOptions } from "./connecting.js";
import { openAll, type ConnectAllOptions, type Desk } from "./desk.js";
import { load, type WasmSource } from "./engine.js";

export type * from "./public.js";
export * from "./values.js";
export { DeferredTracker } from "./deferred.js";
export { CompletionDetector, rulesOf, usualConfig } from "./detector.js";
export { EffectQueue } from "./effects.js";
export { Rendezvous } from "./rendezvous.js";
export { readVerdict, tallyOf } from "./reviews.js";
export type { WasmModule, WasmSource } from "./engine.js";

/** Loads the WebAssembly, `opencode-switchboard/switchboard.wasm`: its bytes, a module, a response, or where it is. */
export default async function init(source: WasmSource | Promise<WasmSource>): Promise<void> {
  await load(() => source);
}

/**
 * Connects to one OpenCode server. Resolves when the options are right, without waiting for the
 * server: {@link Board.ready} does that, and rejects with the reason. The server is tried again until the board is closed; calls
 * that need it wait for its first answer.
 *
 * @throws {@link NotLoadedError}, {@link InvalidAddressError}, {@link InvalidArgumentError}
 */
export function connect(options: ConnectOptions): Promise<Board> {
  return open(options);
}

/**
 * Connects to several OpenCode servers as one. Resolves when all options are right, without waiting for any server:
 * {@link Desk.ready} does that. One that cannot be reached neither delays nor fails the others, and is tried again until the desk is
 * closed. Where an option is wrong, nothing stays open.
 *
 * @param servers At least one, with different addresses. Each is called by its `name`, else by host, port and path of its
 * address, with a number where that is taken.
 * @throws {@link NotLoadedError}, {@link InvalidAddressError}, {@link InvalidArgumentError}
 */
export function connectAll(servers: readonly ConnectOptions[], options: ConnectAllOptions = {}): Promise<Desk> {
  return openAll(servers, options);
}
