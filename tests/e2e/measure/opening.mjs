// @ts-check
/** Opening a long session: how long until its last message is in sight, the memory and the elements it takes then. */
import { openTab } from "./browser.mjs";
import { noteInSight, untilInSight } from "./in-sight.mjs";
import { LAST_WORDS } from "./long-session.mjs";

/**
 * @typedef {{ lastMessage: number, heap: number, wasm: number, elements: number }} Opening Milliseconds from navigation; bytes after a collection.
 */

/**
 * Opens it once, with empty caches.
 *
 * @param {import("./lab.mjs").Lab} lab
 * @param {import("@playwright/test").Browser} browser
 * @param {import("./subjects.mjs").Subject} subject
 * @param {{ id: string }} session
 * @returns {Promise<Opening>}
 */
export async function measureOpening(lab, browser, subject, session) {
  const page = await openTab(browser);
  await page.addInitScript(keepWasmMemories);
  await page.addInitScript(noteInSight, LAST_WORDS);
  await page.goto(subject.sessionUrl(lab.server.url, session));
  const lastMessage = await untilInSight(page, LAST_WORDS);
  const memory = await readMemory(page);
  const elements = await countElements(page);
  await page.context().close();
  return { lastMessage, elements, ...memory };
}

/** @param {import("@playwright/test").Page} page */
export function countElements(page) {
  return page.evaluate(() => document.getElementsByTagName("*").length);
}

/** @param {import("@playwright/test").Page} page */
async function readMemory(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  const wasm = await page.evaluate(() => /** @type {any} */ (globalThis).wasmMemory());
  return { heap: usedSize, wasm };
}

/** Runs in the page: keeps the memories of its WebAssembly, to be measured. */
function keepWasmMemories() {
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
