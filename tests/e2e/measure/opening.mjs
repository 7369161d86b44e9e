// @ts-check
/** Opening a session of a thousand messages: how long until its last message is in sight, and the memory it takes then. */
import { openTab } from "./browser.mjs";
import { LAST_WORDS } from "./long-session.mjs";

const LIMIT_MS = 60_000;

/**
 * @typedef {{ lastMessage: number, heap: number, wasm: number }} Opening Milliseconds from navigation; bytes after a collection.
 */

/**
 * Opens it once, with empty caches.
 *
 * @param {import("./lab.mjs").Lab} lab
 * @param {import("./subjects.mjs").Subject} subject
 * @param {{ id: string }} session
 * @returns {Promise<Opening>}
 */
export async function measureOpening(lab, subject, session) {
  const page = await openTab(lab.browser);
  await page.addInitScript(noteLastMessage, LAST_WORDS);
  await page.goto(subject.sessionUrl(lab.server.url, session));
  const lastMessage = await untilLastMessage(page);
  const memory = await readMemory(page);
  await page.context().close();
  return { lastMessage, ...memory };
}

/**
 * Resolves with the milliseconds from navigation until the last message was in sight.
 *
 * @param {import("@playwright/test").Page} page A page that was prepared with {@link noteLastMessage}.
 * @returns {Promise<number>}
 */
export async function untilLastMessage(page) {
  const look = () => /** @type {any} */ (globalThis).lastMessageSeen;
  return (await page.waitForFunction(look, undefined, { polling: 100, timeout: LIMIT_MS })).jsonValue();
}

/**
 * Runs in the page: notes when an element with these words is first in sight.
 *
 * @param {string} words
 */
export function noteLastMessage(words) {
  const look = () => {
    const found = document.evaluate(`//text()[contains(., "${words}")]`, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue;
    const box = found?.parentElement?.getBoundingClientRect();
    if (box && box.height > 0 && box.top >= 0 && box.bottom <= innerHeight) Object.assign(globalThis, { lastMessageSeen: performance.now() });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** @param {import("@playwright/test").Page} page */
async function readMemory(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  const { result } = await devtools.send("Runtime.evaluate", { expression: "WebAssembly.Memory.prototype" });
  const { objects } = await devtools.send("Runtime.queryObjects", { prototypeObjectId: result.objectId ?? "" });
  const sum = await devtools.send("Runtime.callFunctionOn", {
    objectId: objects.objectId,
    functionDeclaration: "function () { return this.reduce((sum, memory) => sum + memory.buffer.byteLength, 0); }",
    returnByValue: true,
  });
  return { heap: usedSize, wasm: sum.result.value };
}
