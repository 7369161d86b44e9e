// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { runPart } from "./part.mjs";

test("a part that never ends, or fails, is given up with a reason, and its browser is closed", async () => {
  /** @type {import("@playwright/test").Browser[]} */
  const browsers = [];
  const forever = await runPart("for ever", 1000, (browser) => {
    browsers.push(browser);
    return new Promise(() => {});
  });
  assert.deepEqual(forever, { failed: "it took longer than 1 s" });
  const failing = await runPart("failing", 60_000, async (browser) => {
    browsers.push(browser);
    throw new Error("the page crashed\nwith a stack");
  });
  assert.deepEqual(failing, { failed: "the page crashed" });
  assert.deepEqual(browsers.map((browser) => browser.isConnected()), [false, false]);
  assert.deepEqual(await runPart("sound", 60_000, async () => 7), { found: 7 });
});
