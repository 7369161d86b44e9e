// @ts-check
/** Where everything is measured: one real server with the scripted model, both pages in front of it. */
import { startFiles } from "../../../www/npm/serve/files.mjs";
import { startModel } from "../../../www/npm/serve/model.mjs";
import { startOpenCode } from "../../../www/npm/serve/opencode.mjs";
import { Api } from "../api.js";

/**
 * @typedef {object} Lab
 * @property {import("../../../www/npm/serve/opencode.mjs").OpenCode} server A real server without a password.
 * @property {string} modelUrl
 * @property {string} siteUrl Where the dashboard is served.
 * @property {Api} api The other client.
 * @property {() => Promise<void>} close Ends everything that was started. Whoever calls it twice waits for the same end.
 */

/**
 * Starts everything.
 *
 * @param {string} dist Folder of the dashboard.
 * @returns {Promise<Lab>}
 */
export async function openLab(dist) {
  /** @type {(() => Promise<unknown>)[]} */
  const started = [];
  /** @type {Promise<void> | undefined} */
  let closing;
  const close = () => (closing ??= endAll(started));
  try {
    const model = await startModel();
    started.push(model.close);
    const server = await startOpenCode({ modelUrl: model.url, password: "" });
    started.push(server.stop);
    const site = await startFiles({ dist });
    started.push(site.close);
    return { server, modelUrl: model.url, siteUrl: site.url, api: new Api(server, server.directory), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Ends the newest first. What cannot be ended, such as a browser that has crashed, does not keep the others running.
 *
 * @param {(() => Promise<unknown> | void)[]} started
 */
export async function endAll(started) {
  for (const end of [...started].reverse()) await Promise.resolve(end()).catch(() => {});
}
