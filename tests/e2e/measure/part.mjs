// @ts-check
/** One part of what is measured: a browser of its own, a limit on its time, and a reason when it fails. */
import { setTimeout as sleep } from "node:timers/promises";
import { launchBrowser } from "./browser.mjs";

const CLOSE_LIMIT_MS = 10_000;

/**
 * Runs a part. Closing its browser ends what a late part still does there.
 *
 * @template T
 * @param {string} name
 * @param {number} limitMs
 * @param {(browser: import("@playwright/test").Browser) => Promise<T>} measure
 * @returns {Promise<{ found: T } | { failed: string }>}
 */
export async function runPart(name, limitMs, measure) {
  const begun = Date.now();
  const result = await attempt(limitMs, measure);
  const seconds = Math.round((Date.now() - begun) / 1000);
  console.log("failed" in result ? `${name}: not measured after ${seconds} s: ${result.failed}` : `${name}: ${seconds} s`);
  return result;
}

/**
 * @template T
 * @param {number} limitMs
 * @param {(browser: import("@playwright/test").Browser) => Promise<T>} measure
 * @returns {Promise<{ found: T } | { failed: string }>}
 */
async function attempt(limitMs, measure) {
  const over = new AbortController();
  const late = sleep(limitMs, undefined, { signal: over.signal }).then(() => {
    throw new Error(`it took longer than ${limitMs / 1000} s`);
  });
  late.catch(() => {});
  /** @type {import("@playwright/test").Browser | undefined} */
  let browser;
  try {
    browser = await launchBrowser();
    const measuring = measure(browser);
    measuring.catch(() => {});
    return { found: await Promise.race([measuring, late]) };
  } catch (error) {
    return { failed: firstLine(error) };
  } finally {
    over.abort();
    const closing = browser?.close().catch(() => {});
    await Promise.race([closing, sleep(CLOSE_LIMIT_MS, undefined, { ref: false })]);
  }
}

/** @param {unknown} error */
function firstLine(error) {
  return String(error instanceof Error ? error.message : error).split("\n", 1)[0];
}
