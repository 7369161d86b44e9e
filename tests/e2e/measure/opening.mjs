// @ts-check
/** Opening a long session: how long until its last message is in sight, the memory and the elements it takes then. */
import { openTab } from "./browser.mjs";
import { noteInSight, untilInSight } from "./in-sight.mjs";
import { LAST_WORDS } from "./long-session.mjs";
import { keepWasmMemories, readMemory } from "./memory.mjs";

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
