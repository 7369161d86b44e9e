/** The WebAssembly behind everything: loaded once, when it is first needed. */
import init, * as glue from "../wasm/switchboard.js";
import { NotLoadedError } from "./errors.js";

/** What the WebAssembly offers. @internal */
export type Engine = typeof glue;

/** Where the WebAssembly comes from. */
export type WasmSource = BufferSource | WebAssembly.Module | Response | URL | string;

let isLoaded = false;
let loading: Promise<unknown> | undefined;

/** Loads the WebAssembly, unless that was done. @internal */
export async function load(source: () => WasmSource | Promise<WasmSource>): Promise<void> {
  if (isLoaded) return;
  loading ??= (async () => init({ module_or_path: await compiled(await source()) }))();
  try {
    await loading;
    isLoaded = true;
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

/** What is given as bytes is compiled aside; Node loads its `fetch`, which is needed next, when `Response` is first named. */
function compiled(source: WasmSource): WasmSource | Promise<WasmSource> {
  if (!isBytes(source)) return source;
  const compiling = WebAssembly.compile(source);
  void globalThis.Response;
  return compiling;
}

function isBytes(source: WasmSource): source is BufferSource {
  return source instanceof ArrayBuffer || ArrayBuffer.isView(source);
}

/** Loads the WebAssembly before it returns, unless that was done. @internal */
export function loadNow(source: () => BufferSource): void {
  if (isLoaded) return;
  glue.initSync({ module: source() });
  isLoaded = true;
}

/** @internal */
export function engine(): Engine {
  if (!isLoaded) throw new NotLoadedError("the WebAssembly is not loaded: call `await init(...)` first");
  return glue;
}
