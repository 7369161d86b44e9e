// @ts-check
/** What a test of the page gets: a real server, a directory of its own, a proxy with faults, and the page. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test as base } from "@playwright/test";
import { emptyRepository, makeRepository } from "../../www/npm/serve/folder.mjs";
import { startFiles } from "../../www/npm/serve/files.mjs";
import { startModel } from "../../www/npm/serve/model.mjs";
import { startOpenCode } from "../../www/npm/serve/opencode.mjs";
import { Api } from "./api.js";
import { startFaultProxy } from "./fault-proxy.mjs";
import { SHOWN } from "./failures.js";
import { Desk } from "./pages/desk.js";
import { script } from "./say.js";

export { expect } from "@playwright/test";

/** Handed out in turn: what the run of one test still writes when it is aborted does not reach the next test. */
const WARM_DIRECTORIES = 4;

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
 * @property {string[]} warmDirectories Repositories in which the shared server has answered before: the first prompt takes
 *   some 0.6 s there, and 4 to 6 s in a new one.
 * @property {Site} site
 *
 * @typedef {object} TestFixtures
 * @property {Model} model The scripted model; its log is what has reached the agents since this test began.
 * @property {boolean} fresh Set with `test.use({ fresh: true })` by tests that kill their server.
 * @property {boolean} cold Set with `test.use({ cold: true })` by tests that change what the server keeps in memory for a
 *   directory, as its settings and what is always allowed: their directory is new, and not used again.
 * @property {OpenCode} opencode A real server without a password. After the test nothing may run or wait on it.
 * @property {string} directory A repository that no other test uses meanwhile.
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

  warmDirectories: [
    async ({ sharedOpenCode: server }, use) => {
      const directories = Array.from({ length: WARM_DIRECTORIES }, (_, place) => join(server.folder, "repositories", `warm-${place + 1}`));
      await Promise.all(directories.map((directory) => warm(new Api(server, directory))));
      await use(directories);
    },
    { scope: "worker", timeout: 180_000 },
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

  cold: [false, { option: true }],

  opencode: async ({ fresh, model, sharedOpenCode, warmDirectories }, use) => {
    if (!fresh) {
      await use(sharedOpenCode);
      return expectNothingLeft(sharedOpenCode, warmDirectories);
    }
    const server = await startOpenCode({ modelUrl: model.url, password: "" });
    await use(server);
    await server.stop();
  },

  directory: async ({ opencode, fresh, cold, warmDirectories }, use, testInfo) => {
    const directory = fresh || cold ? join(opencode.folder, "repositories", testInfo.testId) : warmDirectories.shift();
    if (!directory) throw new Error("no prepared directory is free");
    emptyRepository(directory);
    await use(directory);
    if (fresh) return;
    const api = new Api(opencode, directory);
    // The next test shares the server: what waits there would be in its inbox.
    await api.endAll();
    if (cold) await api.dispose();
    else warmDirectories.push(directory);
  },

  api: ({ opencode, directory }, use) => use(new Api(opencode, directory)),

  serverApi: async ({ opencode, fresh }, use) => {
    const api = new Api(opencode, opencode.directory);
    await use(api);
    if (!fresh) await api.endAll();
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
 * Makes a repository in which the server has answered.
 *
 * @param {Api} api
 */
async function warm(api) {
  makeRepository(api.directory);
  await api.untilIdle(await api.beginNow(script({ text: "Warm." }), { title: "Warms up" }));
  await api.endAll();
}

/**
 * Fails if a test has left behind what the pages of the next ones would show.
 *
 * @param {OpenCode} server
 * @param {string[]} known Directories that are looked at although no session may be left in them.
 */
async function expectNothingLeft(server, known) {
  const sessions = await new Api(server, server.directory).everySession();
  const directories = new Set([server.directory, ...known, ...sessions.map(({ directory }) => directory)]);
  for (const directory of directories) await new Api(server, directory).expectQuiet();
}

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
