// @ts-check
/** What the page loads later than its inbox: dialogs and pages that are not there yet, cannot be loaded, or were loaded in time. */
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { openDist } from "../../www/npm/serve/dist.mjs";
import { startFiles } from "../../www/npm/serve/files.mjs";
import { DIST, expect, test } from "./fixtures.js";
import { Desk } from "./pages/desk.js";
import { expectAnswered } from "./proof.js";
import { ask, question, script } from "./say.js";

const COLOUR = "Which colour is apart?";

/** The files that hold nothing the inbox needs. */
const PARTS = /\/(split|chunk)_\w+-[0-9a-f]{16}\.wasm$/;

const NOT_LOADED = "This part of the page could not be loaded.";

test("a dialog that is still being loaded takes the keys, closes at once, and has the focus when it is there", async ({ api, desk, opencode, page }) => {
  await remember(page, opencode.url);
  await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
  const held = await hold(page);
  await desk.openInbox();
  const card = desk.inbox.card(COLOUR);
  await card.open();
  const search = page.getByRole("button", { name: "Search" }).first();
  const dialog = page.getByRole("dialog");
  for (const [key, name] of [["Control+k", "Search"], ["?", "Keyboard"]]) {
    await search.focus();
    await page.keyboard.press(key);
    await expect(dialog).toHaveAccessibleName(name);
    await expect(dialog.getByText("Loading…")).toBeVisible();
    for (const typed of ["n", "d", "1", "Enter", "Space"]) await page.keyboard.press(typed);
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    await expect(search).toBeFocused();
  }
  await expect(page).toHaveURL(/#\/inbox/);
  await expect(card.option("Red")).not.toBeChecked();

  await search.click();
  await expect(dialog.getByText("Loading…")).toBeVisible();
  held.release();
  const field = dialog.getByRole("combobox");
  await expect(field).toBeFocused();
  await page.keyboard.type("nobody");
  await expect(field).toHaveValue("nobody");
  await page.keyboard.press("Escape");
  await expect(search).toBeFocused();
});

for (const [served, serve] of /** @type {const} */ ([["as we serve it", startFiles], ["by a host without headers", startBareFiles]])) {
  test(`a part that cannot be loaded says so and is tried again, and the inbox goes on, ${served}`, async ({ api, opencode, page }) => {
    const site = await serve({ dist: DIST });
    const desk = await Desk.prepare(page, site.url, opencode.url);
    await remember(page, opencode.url);
    const session = await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
    // All that it asks for meets the same, also what it loads in advance while a test goes on.
    let meets = (/** @type {import("@playwright/test").Route} */ route) => route.abort();
    await page.route(PARTS, (route) => meets(route));
    await desk.openInbox();
    await expect(desk.inbox.card(COLOUR).article).toBeVisible();
    await desk.inbox.card(COLOUR).open();

    const dialog = page.getByRole("dialog");
    const search = page.getByRole("button", { name: "Search" }).first();
    await search.click();
    await expect(dialog.getByRole("alert")).toContainText(NOT_LOADED);
    await expect(dialog.getByRole("button", { name: "Try again" })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(search).toBeFocused();

    await page.evaluate((id) => (location.hash = `#/session/${id}`), session.id);
    const main = page.getByRole("main");
    await expect(main.getByRole("alert")).toContainText(NOT_LOADED);
    const again = main.getByRole("button", { name: "Try again" });
    // What an update of the server's files has taken away.
    meets = (route) => route.fulfill({ status: 404, body: "no such file" });
    const refused = page.waitForResponse(PARTS);
    await again.click();
    expect((await refused).status()).toBe(404);
    await expect(again).toHaveText("Try again");
    await expect(again).toBeFocused();

    await page.evaluate(() => (location.hash = "#/inbox"));
    await desk.inbox.card(COLOUR).answer("Blue");
    await expectAnswered(desk, api, session, COLOUR, [["Blue"]]);

    await page.evaluate((id) => (location.hash = `#/session/${id}`), session.id);
    await expect(main.getByRole("alert")).toContainText(NOT_LOADED);
    await page.unroute(PARTS);
    await again.click();
    await expect(desk.session.timeline).toContainText(COLOUR);
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
    await search.click();
    await expect(dialog.getByRole("combobox")).toBeFocused();
    expect(desk.problems).toEqual([]);
    await site.close();
  });
}

test("a part that never arrives is given up after half a minute", async ({ desk, opencode, page }) => {
  await remember(page, opencode.url);
  await page.addInitScript(() => {
    const { timeout } = AbortSignal;
    AbortSignal.timeout = (milliseconds) => timeout.call(AbortSignal, milliseconds === 30_000 ? 1 : milliseconds);
  });
  await hold(page);
  await desk.openInbox();
  await page.getByRole("button", { name: "Search" }).first().click();
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText(NOT_LOADED);
  await page.keyboard.press("Escape");
  await expect(desk.inbox.empty).toBeVisible();
});

test("everything opens when the server of the page has gone away", async ({ api, opencode, page }) => {
  const session = await api.begin(script({ text: "**Here** I am." }), { title: "Painting the fence" });
  await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
  const site = await startFiles({ dist: DIST });
  const desk = await Desk.prepare(page, site.url, opencode.url);
  try {
    await desk.openInbox();
    const programs = readdirSync(DIST).filter((name) => name.endsWith(".wasm"));
    expect(programs.length).toBeGreaterThan(1);
    const loaded = () => page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name.split("/").at(-1) ?? ""));
    await expect.poll(loaded).toEqual(expect.arrayContaining(programs));
  } finally {
    await site.close();
  }
  await expect(desk.inbox.card(COLOUR).article).toBeVisible();
  await expect(page.getByRole("complementary", { name: "Context of the request" })).toContainText("Waits until");
  const dialog = page.getByRole("dialog");
  for (const [key, control] of /** @type {const} */ ([["Control+k", "combobox"], ["?", "switch"]])) {
    await page.keyboard.press(key);
    await expect(dialog.getByRole(control).first()).toBeVisible();
    await page.keyboard.press("Escape");
  }
  await desk.settings.open();
  await expect(desk.settings.activity).toBeVisible();
  await desk.settings.close();
  for (const [hash, heading] of [["#/sessions", "Sessions"], ["#/new", "Start a session"], ["#/servers", "Servers"], ["#/activity", "Activity"]]) {
    await page.evaluate((hash) => (location.hash = hash), hash);
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
  }
  await page.evaluate((id) => (location.hash = `#/session/${id}`), session.id);
  await expect(desk.session.said.locator("strong")).toHaveText("Here");
  expect(desk.problems).toEqual([]);
});

test("the address of a session loads what its page needs beside the program", async ({ api, desk, page }) => {
  const session = await api.begin(script({ text: "I am early." }));
  const held = await hold(page, /_bg\.wasm$/);
  const early = page.waitForRequest(/\/split_session-/);
  const opened = desk.openSession(session);
  await early;
  expect(held.count()).toBe(1);
  /** @type {string[]} */
  const late = [];
  page.on("request", (request) => late.push(request.url()));
  held.release();
  await opened;
  await expect(desk.session.timeline).toContainText("I am early.");
  expect(late.filter((url) => url.includes("/split_session-"))).toEqual([]);
});

/**
 * Has the page know the server from before: it then needs no form to connect.
 *
 * @param {import("@playwright/test").Page} page
 * @param {string} base
 */
async function remember(page, base) {
  await page.addInitScript((base) => localStorage.setItem("switchboard:servers", JSON.stringify([{ base, name: "known", username: null }])), base);
}

/**
 * Holds requests for files until they are released.
 *
 * @param {import("@playwright/test").Page} page
 * @param {RegExp} files
 */
async function hold(page, files = PARTS) {
  /** @type {() => void} */
  let release = () => {};
  const released = new Promise((resolve) => (release = () => resolve(undefined)));
  let count = 0;
  await page.route(files, async (route) => {
    count += 1;
    await released;
    await route.continue();
  });
  return { release, count: () => count };
}

/**
 * Serves a folder as a host does that knows nothing of the page.
 *
 * @param {{ dist: string }} options
 */
async function startBareFiles({ dist }) {
  const find = openDist(dist);
  const server = createServer(async (request, response) => {
    const file = await find((request.url ?? "/").split("?")[0], "");
    response.writeHead(file ? 200 : 404, { "content-type": file?.headers["content-type"] ?? "text/plain" });
    response.end(file?.content);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
