// @ts-check
/** Takes the pictures of the README: the dashboard in front of a real server, with six requests that wait. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startFiles } from "../../../www/npm/serve/files.mjs";
import { startModel } from "../../../www/npm/serve/model.mjs";
import { startOpenCode } from "../../../www/npm/serve/opencode.mjs";
import { Api, until } from "../api.js";
import { launchBrowser, openTab } from "../measure/browser.mjs";
import { endAll } from "../measure/lab.mjs";
import { Desk } from "../pages/desk.js";
import { startDisguise } from "./disguise.mjs";
import { withPalette } from "./palette.mjs";
import { ASKING, QUIET, SUB_AGENT } from "./stories.mjs";
import { directoryOf, makeWorkplace } from "./workplace.mjs";

const DIST = fileURLToPath(new URL("../../../dist", import.meta.url));
const PICTURES = fileURLToPath(new URL("../../../www/pictures", import.meta.url));
/** The address in the pictures; the browser is told where that is. */
const SERVER = "http://localhost:4096";
const SHOWN_HOME = "/home/ada";
const ASKS_WITHIN_MS = 120_000;
const REQUESTS = 6;

/** @type {(() => Promise<unknown> | void)[]} What to end. */
const started = [];
/** @type {Promise<void> | undefined} */
let ending;
const end = () => (ending ??= endAll(started));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => end().finally(() => process.exit(1)));
try {
  const { siteUrl, proxyPort, session } = await prepare();
  mkdirSync(PICTURES, { recursive: true });
  await takeAll(siteUrl, proxyPort, session);
} finally {
  await end();
}

/** Starts everything, and resolves when all requests wait. */
async function prepare() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "switchboard-pictures-")));
  started.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const { path } = makeWorkplace(folder);
  const scripts = [...QUIET, ...ASKING].map((story) => ({ prompt: story.prompt, title: story.title, steps: story.steps(directoryOf(folder, story.repository)) }));
  const model = await startModel({ scripts: [...scripts, SUB_AGENT] });
  started.push(model.close);
  const server = await startOpenCode({ modelUrl: model.url, folder, password: "", env: { PATH: `${path}:${process.env.PATH}` } });
  started.push(server.stop);
  const disguise = await startDisguise({ target: server.url, folder, shown: SHOWN_HOME });
  started.push(disguise.close);
  const site = await startFiles({ dist: DIST });
  started.push(site.close);

  console.log("Starting the sessions.");
  for (const story of QUIET) await begin(server, folder, story);
  /** @type {{ id: string }[]} */
  const asking = [];
  for (const story of ASKING) asking.push(await begin(server, folder, story));
  return { siteUrl: site.url, proxyPort: disguise.port, session: asking[0] };
}

/**
 * Starts the session of a story; when it asks, resolves once it does.
 *
 * @param {import("../../../www/npm/serve/opencode.mjs").OpenCode} server
 * @param {string} folder
 * @param {import("./stories.mjs").Story} story
 */
async function begin(server, folder, { repository, title, prompt, permission, unread }) {
  const api = new Api(server, directoryOf(folder, repository));
  const session = await api.createSession({ title, ...(permission ? { permission } : {}) });
  await api.prompt(session, prompt, { noReply: unread });
  if (ASKING.some((story) => story.title === title)) {
    const asks = async () => [...(await api.questions()), ...(await api.permissions())].some((request) => request.sessionID === session.id);
    await until(`what ${title} asks`, asks, ASKS_WITHIN_MS);
  }
  return session;
}

/**
 * @param {string} siteUrl
 * @param {number} proxyPort
 * @param {{ id: string }} session
 */
async function takeAll(siteUrl, proxyPort, session) {
  const browser = await launchBrowser([`--host-resolver-rules=MAP localhost:4096 127.0.0.1:${proxyPort}`]);
  started.push(() => browser.close());
  const darkroom = await openTab(browser);
  const still = /** @type {const} */ ({ reducedMotion: "reduce" });

  const light = new Desk(await openTab(browser, { ...still, colorScheme: "light" }), siteUrl, SERVER);
  await openInbox(light);
  const driver = light.inbox.card(/Which Postgres driver/);
  await driver.open();
  await driver.option("sqlx").check();
  await driver.article.getByText("Draft saved").waitFor();
  await take(light, darkroom, "inbox-light");

  await light.openSession(session);
  await light.session.card(/Which Postgres driver/).article.waitFor();
  await light.session.timeline.getByText("Move the login sessions").waitFor({ state: "attached" });
  await until("all sessions are read", async () => (await unreadSessions(light).count()) === 0);
  await take(light, darkroom, "session-light");

  const dark = new Desk(await openTab(browser, { ...still, colorScheme: "dark" }), siteUrl, SERVER);
  await openInbox(dark);
  await dark.inbox.permission("limit.rs").open();
  await take(dark, darkroom, "inbox-dark");

  const size = { width: 390, height: 844 };
  const phone = new Desk(await openTab(browser, { ...still, colorScheme: "light", viewport: size, isMobile: true, hasTouch: true }), siteUrl, SERVER);
  await openInbox(phone);
  const upgrade = phone.inbox.card(/How far should the upgrade go|clippy warnings/);
  await upgrade.open();
  await upgrade.option("Only the toolchain").check();
  await upgrade.next.click();
  await upgrade.option("Allow them, with a ticket").check();
  await take(phone, darkroom, "phone-question-light");
}

/**
 * Opens the inbox, and resolves when every request is there and every session has been read.
 *
 * @param {Desk} desk
 */
async function openInbox(desk) {
  const unread = unreadSessions(desk);
  await desk.openInbox();
  await until("all requests on the page", async () => (await desk.inbox.cards.count()) === REQUESTS && (await unread.count()) === 0);
}

/**
 * The rows of sessions whose state is not known yet.
 *
 * @param {Desk} desk
 */
function unreadSessions(desk) {
  return desk.page.locator('[data-testid="session-row"][data-state="unknown"]');
}

/**
 * @param {Desk} desk
 * @param {import("@playwright/test").Page} darkroom
 * @param {string} name
 */
async function take(desk, darkroom, name) {
  // No pointer on anything.
  await desk.page.mouse.move(0, 0);
  const picture = await withPalette(darkroom, await desk.page.screenshot());
  writeFileSync(join(PICTURES, `${name}.png`), picture);
  console.log(`www/pictures/${name}.png  ${Math.round(picture.length / 1000)} KB`);
}
