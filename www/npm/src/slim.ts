/**
 * The same without WebAssembly inside: `init` is given it, and must have resolved before anything else is used.
 *
 * @module opencode-switchboard/slim
 */
import { open, type Board, type ConnectOptions } from "./board.js";
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
