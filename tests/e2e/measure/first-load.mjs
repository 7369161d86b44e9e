// @ts-check
/** The first load with empty caches: when something is painted, and how much comes over the wire until then and after. */
import { setTimeout as sleep } from "node:timers/promises";
import { openTab } from "./browser.mjs";

/** What a page loads later than this after its first paint is not part of its first load. */
const SETTLE_MS = 2000;

/**
 * Loads the page once.
 *
 * @param {import("./lab.mjs").Lab} lab
 * @param {import("./subjects.mjs").Subject} subject
 * @returns {Promise<{ paint: number, bytes: number }>} Milliseconds to the first contentful paint; bytes of its files with headers.
 */
export async function measureFirstLoad(lab, subject) {
  const page = await openTab(lab.browser);
  const devtools = await page.context().newCDPSession(page);
  /** @type {Set<string>} */
  const files = new Set();
  let bytes = 0;
  devtools.on("Network.responseReceived", ({ requestId, response, type }) => {
    if (subject.isPageFile(response.url, type)) files.add(requestId);
  });
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (files.has(requestId)) bytes += encodedDataLength;
  });
  await devtools.send("Network.enable");
  await page.goto(subject.homeUrl(lab.server.url));
  const look = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
  const paint = /** @type {number} */ (await (await page.waitForFunction(look, undefined, { polling: 100 })).jsonValue());
  await sleep(SETTLE_MS);
  await page.context().close();
  return { paint, bytes };
}
