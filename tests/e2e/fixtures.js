// @ts-check
/** What a test of the page gets: a real server, a directory of its own, a proxy with faults, and the page. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test as base } from "@playwright/test";
import { makeRepository } from "../../www/npm/serve/folder.mjs";
import { startFiles } from "../../www/npm/serve/files.mjs";
import { startModel } from "../../www/npm/serve/model.mjs";
import { startOpenCode } from "../../www/npm/serve/opencode.mjs";
import { Api } from "./api.js";
import { startFaultProxy } from "./fault-proxy.mjs";
import { SHOWN } from "./failures.js";
import { Desk } from "./pages/desk.js";

export { expect } from "@playwright/test";

export const DIST = fileURLToPath(new URL("../../dist", import.meta.url));

/**
 * @typedef {import("../../www/npm/serve/model.mjs").Model} Model
 * @typedef {import("../../www/npm/serve/opencode.mjs").OpenCode} OpenCode
 * @typedef {import("../../www/npm/serve/files.mjs").Site} Site
 * @typedef {import("./fault-proxy.mjs").FaultProxy} FaultProxy
 *
 * @typedef {OpenCode & { api: Api }} Other
 *
 * @typedef {object} WorkerFixtures
 * @property {Model} sharedModel The scripted model behind every server.
 * @property {OpenCode} sharedOpenCode
 * @property {Site} site
 *
 * @typedef {object} TestFixtures
 * @property {Model} model The scripted model; its log is what has reached the agents since this test began.
 * @property {boolean} fresh Set with `test.use({ fresh: true })` by tests that kill their server.
 * @property {OpenCode} opencode A real server without a password.
 * @property {string} directory A repository that no other test uses.
 * @property {Api} api The other client, in that directory.
 * @property {Api} serverApi The other client, in the directory of the server itself.
 * @property {Other} second Another real server without a password, and the other client in its directory.
 * @property {FaultProxy} faults Between the page and the server, for those who open the page with its address.
 * @property {Desk} desk The page, not opened yet.
 */

/** @type {import("@playwright/test").Fixtures<TestFixtures, WorkerFixtures, import("@playwright/test").PlaywrightTestArgs, import("@playwright/test").PlaywrightWorkerArgs>} */
const fixtures = {
  sharedModel: [
    async ({}, use) => {
      const model = await startModel();
      await use(model);
      await model.close();
    },
    { scope: "worker" },
  ],

  sharedOpenCode: [
    async ({ sharedModel: model }, use) => {
      // Plan mode has the one question of OpenCode that allows no answer of one's own.
      const server = await startOpenCode({ modelUrl: model.url, password: "", env: { OPENCODE_EXPERIMENTAL_PLAN_MODE: "1" } });
      await use(server);
      await server.stop();
    },
    { scope: "worker", timeout: 90_000 },
  ],

  site: [
    async ({}, use) => {
      if (!existsSync(join(DIST, "index.html"))) throw new Error("there is no dashboard in dist/; build it first with: cargo xtask build");
      const site = await startFiles({ dist: DIST });
      await use(site);
      await site.close();
    },
    { scope: "worker" },
  ],

  model: async ({ sharedModel }, use) => {
    sharedModel.log.length = 0;
    await use(sharedModel);
  },

  fresh: [false, { option: true }],

  opencode: async ({ fresh, model, sharedOpenCode }, use) => {
    if (!fresh) return use(sharedOpenCode);
    const server = await startOpenCode({ modelUrl: model.url, password: "" });
    await use(server);
    await server.stop();
  },

  directory: async ({ opencode }, use, testInfo) => {
    const directory = join(opencode.folder, "repositories", testInfo.testId);
    makeRepository(directory);
    await use(directory);
  },

  api: async ({ opencode, directory, fresh }, use) => {
    const api = new Api(opencode, directory);
    await use(api);
    // The next test shares the server: what waits there would be in its inbox.
    if (!fresh) await expect(() => api.endAll()).toPass({ timeout: 30_000 });
  },

  serverApi: async ({ opencode, fresh }, use) => {
    const api = new Api(opencode, opencode.directory);
    await use(api);
    if (!fresh) await expect(() => api.endAll()).toPass({ timeout: 30_000 });
  },

  second: async ({ model }, use) => {
    const server = await startOpenCode({ modelUrl: model.url, password: "" });
    await use(Object.assign(server, { api: new Api(server, server.directory) }));
    await server.stop();
  },

  faults: async ({ opencode }, use) => {
    const proxy = await startFaultProxy({ target: opencode.url, seed: 20_261_121 });
    await use(proxy);
    await proxy.close();
  },

  desk: async ({ page, site, opencode }, use, testInfo) => {
    const desk = await Desk.prepare(page, site.url, opencode.url);
    await use(desk);
    if (testInfo.status !== testInfo.expectedStatus) await testInfo.attach(SHOWN, { body: await shownBy(page.context()) });
    expect(desk.problems).toEqual([]);
  },
};

export const test = base.extend(fixtures);

/**
 * The text of every tab.
 *
 * @param {import("@playwright/test").BrowserContext} context
 */
async function shownBy(context) {
  const texts = context.pages().map(async (page, place) => {
    const text = await page.locator("body").innerText({ timeout: 5000 }).catch((error) => `no text: ${error.message}`);
    return `tab ${place + 1}: ${text.replace(/\s+/g, " ")}`;
  });
  return (await Promise.all(texts)).join("\n");
}
