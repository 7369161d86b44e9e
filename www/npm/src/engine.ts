/** The WebAssembly behind everything: loaded once, when it is first needed. */
import * as glue from "../wasm/switchboard.js";
import { InvalidArgumentError, NotLoadedError } from "./errors.js";

/** What the WebAssembly offers. @internal */
export type Engine = typeof glue;

/** A compiled module, where the types of WebAssembly are known: those of Node 20 lack them. */
export type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : never;

/** Where the WebAssembly comes from. */
export type WasmSource = ArrayBuffer | ArrayBufferView | WasmModule | Response | URL | string;

let isLoaded = false;
let loading: Promise<unknown> | undefined;

/** Loads the WebAssembly, unless that was done. @internal */
export async function load(source: () => WasmSource | Promise<WasmSource>): Promise<void> {
  if (isLoaded) return;
  loading ??= (async () => {
    const module = await compiled(await source());
    // There is one instance, also when something was needed at once meanwhile.
    loadNow(() => module);
  })();
  try {
    await loading;
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

function compiled(source: WasmSource): WebAssembly.Module | Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (isBytes(source)) return compiledBytes(source);
  if (typeof Response === "function" && source instanceof Response) return compiledResponse(source);
  if (typeof source === "string" || source instanceof URL) return compiledFrom(source);
  throw new InvalidArgumentError("init: the WebAssembly must be its bytes, a module, a response, or where it is");
}

/** Node loads its `fetch`, which is needed next, when `Response` is first named. */
function compiledBytes(bytes: BufferSource): Promise<WebAssembly.Module> {
  const compiling = WebAssembly.compile(bytes);
  void globalThis.Response;
  return compiling;
}

async function compiledFrom(place: URL | string): Promise<WebAssembly.Module> {
  // Node fetches no files. No bundler looks for a module that is asked for like this.
  const files = /^file:/i.test(String(place)) && globalThis.process?.getBuiltinModule?.("node:fs");
  return files ? compiledBytes(await files.promises.readFile(new URL(place))) : compiledResponse(await fetch(place));
}

async function compiledResponse(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) throw new Error(`the WebAssembly could not be fetched from ${response.url}: ${response.status} ${response.statusText}`);
  if (typeof WebAssembly.compileStreaming === "function") {
    try {
      return await WebAssembly.compileStreaming(response);
    } catch (error) {
      const isReadable = response.type === "basic" || response.type === "cors" || response.type === "default";
      if (!isReadable || response.headers.get("Content-Type") === "application/wasm") throw error;
      console.warn("opencode-switchboard: the WebAssembly is served with another type than application/wasm, which is slower", error);
    }
  }
  return WebAssembly.compile(await response.arrayBuffer());
}

function isBytes(source: WasmSource): source is BufferSource {
  return source instanceof ArrayBuffer || ArrayBuffer.isView(source);
}

/** Loads the WebAssembly before it returns, unless that was done. @internal */
export function loadNow(source: () => BufferSource | WebAssembly.Module): void {
  if (isLoaded) return;
  glue.initSync({ module: source() });
  isLoaded = true;
}

/** @internal */
export function engine(): Engine {
  if (!isLoaded) throw new NotLoadedError("the WebAssembly is not loaded: call `await init(...)` first");
  return glue;
}
