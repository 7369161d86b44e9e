// @ts-check
/** The WebAssembly for Cloudflare Workers, which compile none at run time: they import it compiled. */
import module from "./switchboard_bg.wasm";

/** Returns the WebAssembly of this package. */
export function wasm() {
  return module;
}

export { wasm as wasmNow };
