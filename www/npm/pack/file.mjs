// @ts-check
/** The WebAssembly for Node: the file beside this one. A program that was bundled into one file may have left it behind. */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { NotLoadedError } from "../lib/errors.js";

/** Returns the WebAssembly of this package. */
export async function wasm() {
  try {
    return await readFile(new URL("./switchboard_bg.wasm", import.meta.url));
  } catch {
    return (await import("./inlined.js")).wasm();
  }
}

/** The same before it returns. */
export function wasmNow() {
  try {
    return readFileSync(new URL("./switchboard_bg.wasm", import.meta.url));
  } catch (cause) {
    throw new NotLoadedError("the WebAssembly is not beside the program: call `await init()` first", { cause });
  }
}
