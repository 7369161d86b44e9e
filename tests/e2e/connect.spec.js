// @ts-check
/** Getting in: what works at once, and what is said when it does not. */
import { createServer } from "node:net";
import { expect, test } from "./fixtures.js";
import { startFiles } from "../../www/npm/serve/files.mjs";
import { demoScripts } from "../../www/npm/serve/model.mjs";
import { startOpenCode } from "../../www/npm/serve/opencode.mjs";
import { Api } from "./api.js";
import { startFaultProxy } from "./fault-proxy.mjs";
import { DIST } from "./fixtures.js";
import { Desk } from "./pages/desk.js";
import { expectAnswered } from "./proof.js";
import { startStub } from "./stub-server.js";

const HTML = { html: "<!doctype html><title>Something else</title>" };

test("a server of this machine without a password is connected at once", async ({ desk }) => {
  await desk.openInbox();
  await expect(desk.inbox.empty).toBeVisible();
});

test("the demo connects by itself, offers its prompts, and answers arrive", async ({ model, page }) => {
  const server = await startOpenCode({ modelUrl: model.url });
  const prompts = demoScripts().map(({ prompt = "", about = "" }) => ({ prompt, about }));
  const { url, username, password, directory } = server;
  const site = await startFiles({ dist: DIST, introduction: Promise.resolve({ server: url, username, password, directory, prompts }) });
  try {
    const desk = await Desk.prepare(page, site.url, url);
    await page.goto(site.url);
    for (const { prompt } of prompts) await expect(page.getByText(prompt).first()).toBeVisible();
    await page.getByRole("button", { name: "Ask me a question" }).first().click();
    const text = "Which colour should the button have?";
    const api = new Api(server, directory);
    const request = await api.untilAsked(text);
    const card = (await desk.session.timeline.isVisible()) ? desk.session.card(text) : desk.inbox.card(text);
    await card.answer("Green");
    await expectAnswered(desk, api, { id: request.sessionID }, text, [["Green"]]);
    expect(page.url()).not.toContain(password);
  } finally {
    await site.close();
    await server.stop();
  }
});

test("a wrong password is refused in words, the right one lets in and stays for the tab", async ({ model, page, site }) => {
  const server = await startOpenCode({ modelUrl: model.url });
  try {
    const desk = await Desk.prepare(page, site.url, server.url);
    await desk.openInbox();
    await desk.connect.submit({ user: server.username, password: "wrong" });
    await expect(page.getByText("The server refused this password")).toBeVisible();
    await desk.connect.submit({ user: server.username, password: server.password });
    await expect(desk.inbox.empty).toBeVisible();
    await page.reload();
    await expect(desk.inbox.empty).toBeVisible();
    expect(page.url()).not.toContain(server.password);
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage }));
    expect(kept).not.toContain(server.password);
  } finally {
    await server.stop();
  }
});

test("nobody at the address: the next steps are named", async ({ page, site }) => {
  const left = await startStub({ otherwise: HTML });
  await left.close();
  const desk = await Desk.prepare(page, site.url, left.url);
  await desk.openInbox();
  await expect(page.getByText(/cannot be reached/).first()).toBeVisible();
  await expect(page.getByText(`opencode serve --port ${new URL(left.url).port}`)).toBeVisible();
});

test("a page that the server does not let in is told the exact flag", async ({ opencode, page }) => {
  const site = await startFiles({ dist: DIST, host: "::1" });
  try {
    const desk = await Desk.prepare(page, site.url, opencode.url);
    await desk.openInbox();
    await expect(page.getByText(`--cors ${site.url}`).first()).toBeVisible();
  } finally {
    await site.close();
  }
});

/** @type {{ name: string, stub: Parameters<typeof startStub>[0], says: RegExp }[]} */
const STRANGERS = [
  {
    name: "an OpenCode that is too old",
    stub: { replies: { "/global/health": { json: { healthy: true, version: "1.0.185" } } }, otherwise: HTML },
    says: /1\.1\.11 or newer/,
  },
  {
    name: "an OpenCode of the next generation",
    stub: { replies: { "/api/info": { json: { version: "2.0.1", pid: 7, urls: [], paths: { tmp: "/tmp" } } } }, otherwise: HTML },
    says: /OpenCode 2\.0/,
  },
  { name: "a web site", stub: { otherwise: HTML }, says: /not (an )?OpenCode/i },
  { name: "another JSON service", stub: { otherwise: { json: { hello: "world" } } }, says: /not (an )?OpenCode/i },
];

for (const { name, stub, says } of STRANGERS) {
  test(`${name} is told apart`, async ({ page, site }) => {
    const stranger = await startStub(stub);
    try {
      const desk = await Desk.prepare(page, site.url, stranger.url);
      await desk.openInbox();
      await expect(page.getByText(says).first()).toBeVisible();
    } finally {
      await stranger.close();
    }
  });
}

test("an address elsewhere is shown in full and not called before Connect", async ({ page, site }) => {
  const elsewhere = "http://192.0.2.1:4096";
  /** @type {string[]} */
  const called = [];
  page.on("request", (request) => request.url().startsWith(elsewhere) && called.push(request.url()));
  const desk = await Desk.prepare(page, site.url, elsewhere);
  await desk.openInbox();
  await expect(desk.connect.button).toBeVisible();
  await expect(desk.connect.address.or(page.getByText(elsewhere)).first()).toBeVisible();
  expect(called).toEqual([]);
});

test("an address that never answers holds nobody up", async ({ desk, page }) => {
  const silent = await startSilence();
  try {
    await desk.openInbox(silent.url);
    await expect.poll(() => silent.calls).toBeGreaterThan(0);
    await desk.connect.submit({ address: desk.serverUrl });
    await expect(desk.inbox.empty).toBeVisible();

    await page.goto(`${desk.siteUrl}/?server=${desk.serverUrl}#/servers`);
    await expect(page.getByRole("heading", { name: "Servers", exact: true })).toBeVisible();
    await desk.connect.submit({ address: silent.url });
    await expect(desk.connect.button).toHaveText(/Connecting/);
    await desk.connect.stop.click();
    await expect(desk.connect.button).toHaveText(/^Connect\b(?!ing)/);
    await desk.connect.submit({ address: silent.url });
    await expect(desk.connect.button).toHaveText(/Connecting/);
    await desk.connect.submit({ address: desk.serverUrl });
    await expect(desk.inbox.empty).toBeVisible();
  } finally {
    await silent.close();
  }
});

test("a password that is kept on this device stays there while the server is away, and a look at it is no sign-in", async ({ model, page, site }) => {
  const server = await startOpenCode({ modelUrl: model.url });
  const faults = await startFaultProxy({ target: server.url });
  try {
    const desk = await Desk.prepare(page, site.url, faults.url);
    await desk.openInbox();
    await desk.connect.submit({ user: server.username, password: server.password });
    await expect(page.getByText(/wants a password|refused this password/)).toHaveCount(0);
    await expect(desk.inbox.empty).toBeVisible();
    await page.goto(`${site.url}/?server=${faults.url}#/servers`);
    await page.getByText("Password", { exact: true }).first().click();
    await desk.connect.keep.check();
    await desk.connect.submit({ password: server.password });
    await expect(desk.inbox.empty).toBeVisible();

    faults.set({ offline: true });
    await expect(page.getByTestId("connection-bar")).toBeVisible();
    faults.set({ offline: false, held: /^\/(session|project|permission|experimental)/ });
    const before = faults.exchanges.length;
    await page.evaluate(() => (location.hash = "#/servers"));
    await expect.poll(() => faults.exchanges.slice(before).filter(({ path, outcome }) => path === "/question" && outcome === "200").length).toBeGreaterThan(0);
    await expect(desk.connect.button).toHaveText(/^Connect\b(?!ing)/);
    await expect(page.getByRole("heading", { name: "Servers", exact: true })).toBeVisible();
    await page.getByText("Password", { exact: true }).first().click();
    await expect(desk.connect.keep).toBeChecked();
    faults.clear();

    const later = await page.context().newPage();
    const again = new Desk(later, site.url, faults.url);
    await again.openInbox();
    await expect(again.inbox.empty).toBeVisible();
  } finally {
    await faults.close();
    await server.stop();
  }
});

test("a page that was opened while its server starts is connected when it has started", async ({ opencode, page }) => {
  /** @type {(introduction: import("../../www/npm/serve/files.mjs").Introduction) => void} */
  let introduce = () => {};
  const site = await startFiles({ dist: DIST, introduction: new Promise((resolve) => (introduce = resolve)) });
  try {
    const desk = await Desk.prepare(page, site.url, opencode.url);
    await page.goto(site.url);
    await expect(desk.connect.button).toBeVisible();
    introduce({ server: opencode.url });
    await expect(desk.inbox.empty).toBeVisible();
  } finally {
    await site.close();
  }
});

/** Starts a server that takes connections and says nothing. */
async function startSilence() {
  let calls = 0;
  /** @type {Set<import("node:net").Socket>} */
  const sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("data", () => (calls += 1));
    socket.on("error", () => {});
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    get calls() {
      return calls;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
