// @ts-check
/** The browser of the tests, for scripts that are no tests. */
import { chromium } from "@playwright/test";
import config from "../playwright.config.js";

/**
 * Starts the browser.
 *
 * @param {string[]} [more] More arguments.
 */
export function launchBrowser(more = []) {
  const options = config.use?.launchOptions;
  return chromium.launch({ ...options, args: [...(options?.args ?? []), ...more] });
}

/**
 * Opens a tab in a profile of its own, whose caches are empty. Closing its context closes it.
 *
 * @param {import("@playwright/test").Browser} browser
 * @param {import("@playwright/test").BrowserContextOptions} [options]
 */
export async function openTab(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  return context.newPage();
}
