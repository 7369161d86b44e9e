// @ts-check
/** The memory of a page: its objects, and that of its program. */

/**
 * The bytes after a collection.
 *
 * @param {import("@playwright/test").Page} page A page in which {@link keepWasmMemories} has run.
 */
export async function readMemory(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  const wasm = await page.evaluate(() => /** @type {any} */ (globalThis).wasmMemory());
  return { heap: usedSize, wasm };
}

/** Runs in the page: keeps the memories of its WebAssembly, to be measured. */
export function keepWasmMemories() {
  /** @type {Set<WebAssembly.Memory>} */
  const memories = new Set();
  for (const name of /** @type {const} */ (["instantiate", "instantiateStreaming"])) {
    const instantiate = /** @type {any} */ (WebAssembly[name]);
    Object.assign(WebAssembly, {
      [name]: async (/** @type {any[]} */ ...given) => {
        const result = await instantiate.apply(WebAssembly, given);
        const exported = Object.values((result.instance ?? result).exports);
        for (const value of exported) if (value instanceof WebAssembly.Memory) memories.add(value);
        return result;
      },
    });
  }
  Object.assign(globalThis, { wasmMemory: () => [...memories].reduce((sum, { buffer }) => sum + buffer.byteLength, 0) });
}
