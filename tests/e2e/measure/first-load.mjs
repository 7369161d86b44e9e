// @ts-check
/** The first load with empty caches: when something is painted and the sessions are listed, and how much is loaded for it. */
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";
import { openTab } from "./browser.mjs";
import { noteInSight, untilInSight } from "./in-sight.mjs";

/** The title of a session that the list has. */
export const LISTED = "A session that is listed";
/** What a page loads later than this after its list is there is not part of its first load. */
const SETTLE_MS = 2000;

/**
 * @typedef {{ paint: number, list: number, wire: number }} FirstLoad
 *   Milliseconds to the first contentful paint and to the list; bytes of the page's files with headers.
 */

/**
 * Loads the page once.
 *
 * @param {import("./lab.mjs").Lab} lab
 * @param {import("@playwright/test").Browser} browser
 * @param {import("./subjects.mjs").Subject} subject
 * @returns {Promise<FirstLoad>}
 */
export async function measureFirstLoad(lab, browser, subject) {
  const page = await openHome(lab, browser, subject);
  const devtools = await page.context().newCDPSession(page);
  /** @type {Set<string>} */
  const files = new Set();
  let wire = 0;
  devtools.on("Network.responseReceived", ({ requestId, response, type }) => {
    if (subject.isPageFile(response.url, type)) files.add(requestId);
  });
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (files.has(requestId)) wire += encodedDataLength;
  });
  await devtools.send("Network.enable");
  await page.goto(subject.homeUrl(lab.server.url));
  const list = await untilInSight(page, LISTED);
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
  await sleep(SETTLE_MS);
  await page.context().close();
  return { paint, list, wire };
}

/**
 * Loads the page once, and returns the bytes of its files if its server compressed them with brotli.
 *
 * @param {import("./lab.mjs").Lab} lab
 * @param {import("@playwright/test").Browser} browser
 * @param {import("./subjects.mjs").Subject} subject
 */
export async function measureCompressed(lab, browser, subject) {
  const page = await openHome(lab, browser, subject);
  /** @type {Promise<number>[]} */
  const sizes = [];
  page.on("response", (response) => {
    if (subject.isPageFile(response.url(), response.request().resourceType())) sizes.push(response.body().then(compressedSize));
  });
  await page.goto(subject.homeUrl(lab.server.url));
  await untilInSight(page, LISTED);
  await sleep(SETTLE_MS);
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  await page.context().close();
  return bytes;
}

/** @param {Buffer} content */
async function compressedSize(content) {
  return Math.min(content.length, (await promisify(brotliCompress)(content)).length);
}

/**
 * @param {import("./lab.mjs").Lab} lab
 * @param {import("@playwright/test").Browser} browser
 * @param {import("./subjects.mjs").Subject} subject
 */
async function openHome(lab, browser, subject) {
  const page = await openTab(browser);
  await page.addInitScript((remembered) => Object.assign(localStorage, remembered), subject.remembered(lab.server.directory));
  await page.addInitScript(noteInSight, LISTED);
  return page;
}
