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
import { ask, question, script } from "./say.js";
import { startStub } from "./stub-server.js";

const HTML = { html: "<!doctype html><title>Something else</title>" };
const COLOUR = "Which colour?";

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

test("servers that are of the next generation when they are back are explained one by one, and no answer is lost", async ({ api, desk, opencode, page, second }) => {
  const session = await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
  await desk.openInbox();
  await desk.servers.add(second.url);
  await expect(desk.inbox.card(COLOUR).article).toBeVisible();
  const versions = /** @type {const} */ ([[opencode, "2.0.1"], [second, "2.0.2"]]);
  for (const [{ url }, version] of versions) {
    await page.route(`${url}/**`, (route) =>
      new URL(route.request().url()).pathname === "/api/info"
        ? route.fulfill({ json: { version, pid: 7, urls: [], paths: { tmp: "/tmp" } } })
        : route.fulfill({ contentType: "text/html", body: HTML.html }));
  }
  await desk.inbox.card(COLOUR).answer("Blue");
  const bar = page.getByTestId("connection-bar");
  for (const [{ url }, version] of versions) {
    await bar.filter({ hasText: new URL(url).host }).getByRole("link", { name: "What is wrong?" }).click();
    await expect(page.getByText(`runs OpenCode ${version}.`)).toBeInViewport();
    await page.goBack();
    await expect(desk.inbox.card(COLOUR).article).toBeVisible();
  }
  for (const [{ url }] of versions) await page.unroute(`${url}/**`);
  await expectAnswered(desk, api, session, COLOUR, [["Blue"]]);
  await expect(bar).toHaveCount(0);
});

test("a server whose lists of requests are web pages is not called live", async ({ api, desk, opencode, page }) => {
  await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
  await desk.openInbox();
  await expect(desk.inbox.card(COLOUR).article).toBeVisible();
  const lists = /\/(question|permission)(\?|$)/;
  await page.route(lists, (route) => (route.request().url().startsWith(opencode.url) ? route.fulfill({ contentType: "text/html", body: HTML.html }) : route.continue()));
  const truth = page.getByTestId("truth");
  await expect(truth).toHaveText(/^1 server · \d+ director(y|ies) not read/);
  await expect(page.getByTestId("connection-bar")).toContainText("cannot be read");
  await page.unroute(lists);
  await expect(truth).toHaveText(/^1 server · read/);
});

test("what is no address is told before anything is asked", async ({ desk, page, site }) => {
  await desk.openInbox();
  await desk.servers.open();
  /** @type {string[]} */
  const called = [];
  const known = [desk.serverUrl, site.url];
  page.on("request", (request) => known.some((origin) => request.url().startsWith(origin)) || called.push(request.url()));
  for (const [address, says] of /** @type {[string, RegExp][]} */ ([
    ["", /the address is empty/],
    ["not an address", /this is not an address/],
    ["http://", /this is not an address/],
    ["ftp://192.0.2.1", /does not begin with http:\/\/ or https:\/\//],
    ["http://me:secret@192.0.2.1:4096", /contains a name or a password/],
  ])) {
    await desk.connect.submit({ address });
    await expect(desk.connect.problem).toContainText(says);
    await expect(desk.connect.problem).toContainText(/Type an address such as|type them into the fields/);
  }
  expect(called).toEqual([]);
});

for (const [name, cors, says] of /** @type {[string, boolean, RegExp][]} */ ([
  ["an address that leads elsewhere is not followed, and the way there is told", true, /sends its callers to another address/],
  ["an address that leads elsewhere and lets no page look is told as one of both", false, /or sends them elsewhere/],
])) {
  test(name, async ({ desk, page }) => {
    const elsewhere = await startStub({ otherwise: HTML });
    const leads = await startStub({ otherwise: { status: 302, location: `${elsewhere.url}/sign-in` }, cors });
    try {
      await desk.openInbox();
      await desk.servers.open();
      await page.getByText("Password", { exact: true }).first().click();
      await desk.connect.submit({ address: leads.url, user: "opencode", password: "secret" });
      await expect(desk.connect.problem).toContainText(says);
      expect(elsewhere.seen.filter(({ authorization }) => authorization)).toEqual([]);
      await expect(desk.servers.list).toHaveCount(1);
    } finally {
      await leads.close();
      await elsewhere.close();
    }
  });
}

test("behind a proxy that wants a path the host alone is no server, and with the path all of it works", async ({ api, desk, faults }) => {
  faults.set({ prefix: "/agents/one" });
  const text = "Is the path right?";
  const session = await api.begin(script(ask(question(text, ["Yes", "No"]))));
  await desk.openInbox();
  await desk.servers.open();
  await desk.connect.submit({ address: faults.url });
  await expect(desk.connect.problem).toContainText(/is not an OpenCode server.*may end in a path/);
  await desk.connect.submit({ address: `${faults.url}/agents/one/` });
  const card = desk.inbox.cards.filter({ hasText: `${new URL(faults.url).host}/agents/one` });
  await expect(card).toContainText(text);
  await desk.servers.open();
  await desk.servers.at(desk.serverUrl).filter({ hasNotText: "/agents/one" }).getByRole("button", { name: /Remove/ }).click();
  await desk.page.evaluate(() => (location.hash = "#/inbox"));
  await desk.inbox.card(text).answer("Yes");
  await expectAnswered(desk, api, session, text, [["Yes"]]);
  expect(faults.exchanges.some(({ method, path, outcome }) => method === "POST" && path.endsWith("/reply") && outcome === "200")).toBe(true);
});

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
