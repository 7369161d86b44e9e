// @ts-check
/** Several servers in one page. */
import { startOpenCode } from "../../www/npm/serve/opencode.mjs";
import { Api } from "./api.js";
import { startFaultProxy } from "./fault-proxy.mjs";
import { expect, test } from "./fixtures.js";
import { keepWasmMemories, readMemory } from "./measure/memory.mjs";
import { countElements } from "./measure/opening.mjs";
import { expectAnswered } from "./proof.js";
import { ask, question, script } from "./say.js";

const HERE = "Which colour has the first server?";
const THERE = "Which colour has the second server?";
const THIRD = "Which colour has the third server?";
const LATE = "Which colour is asked later?";
const asks = (/** @type {string} */ text) => script(ask(question(text, ["Red", "Blue"])));

test("the requests of two servers lie in one inbox, and each answer goes to its own", async ({ api, desk, page, second }) => {
  const here = await api.begin(asks(HERE));
  const there = await second.api.begin(asks(THERE));
  await desk.openInbox();
  await expect(desk.inbox.card(HERE).article).toBeVisible();
  await desk.servers.add(second.url);
  await expect(desk.inbox.card(THERE).article).toContainText(new URL(second.url).host);
  await expect(desk.inbox.card(HERE).article).toContainText(new URL(desk.serverUrl).host);
  await expect(page).toHaveTitle(/^\(2\)/);
  await expect(page.getByTestId("truth")).toHaveText(/2 servers · read/);

  await page.reload();
  await expect(desk.inbox.cards).toHaveCount(2);
  await desk.inbox.card(THERE).answer("Blue");
  await expectAnswered(desk, second.api, there, THERE, [["Blue"]]);
  await desk.inbox.card(HERE).answer("Red");
  await expectAnswered(desk, api, here, HERE, [["Red"]]);
  await expect(desk.inbox.empty).toBeVisible();
});

test("a session of the second server has an address of its own, and is answered there", async ({ desk, page, second }) => {
  await desk.openInbox();
  await expect(desk.inbox.empty).toBeVisible();
  await desk.servers.add(second.url);
  const there = await second.api.begin(asks(THERE), { title: "There" });
  await page.getByTestId("sidebar").getByRole("link", { name: "There" }).click();
  await expect(page).toHaveURL(new RegExp(`#/s/${new URL(second.url).host}/session/`));
  await page.reload();
  await desk.session.card(THERE).answer("Red");
  await expectAnswered(desk, second.api, there, THERE, [["Red"]]);
});

test("two addresses of one server list the same ids, and what is chosen for one is not chosen for the other", async ({ api, desk, faults, page }) => {
  const session = await api.begin(asks(HERE));
  await desk.openInbox();
  await expect(desk.inbox.card(HERE).article).toBeVisible();
  await desk.servers.add(faults.url);
  const cards = desk.inbox.cards.filter({ hasText: HERE });
  await expect(cards).toHaveCount(2);
  const [one, other] = [cards.nth(0), cards.nth(1)];
  await one.getByRole("button", { name: "Red" }).or(one.getByRole("radio", { name: "Red" })).first().click();
  await expect(one.getByRole("radio", { name: "Red" })).toBeChecked();
  await other.getByRole("button", { name: "Blue" }).first().click();
  await expect(other.getByRole("radio", { name: "Blue" })).toBeChecked();
  await expect(other.getByRole("radio", { name: "Red" })).not.toBeChecked();
  await other.getByRole("button", { name: /^Send/ }).click();
  const proof = await api.untilAnswered(session, HERE);
  expect(proof.answers).toEqual([["Blue"]]);
  await expect(page.getByText(/answered elsewhere/i).first()).toBeVisible();
});

test("a server in trouble holds up no other, and is gone when it is removed", async ({ api, desk, faults, page, second }) => {
  const there = await second.api.begin(asks(THERE));
  await api.begin(asks(HERE));
  await desk.openInbox(faults.url);
  await expect(desk.inbox.card(HERE).article).toBeVisible();
  await desk.servers.add(second.url);
  await expect(desk.inbox.card(THERE).article).toBeVisible();

  faults.set({ offline: true });
  await expect(page.getByTestId("truth")).toHaveText("1 of 2 servers live");
  await expect(page.getByTestId("connection-bar")).toContainText(new URL(faults.url).host);
  await desk.inbox.card(THERE).answer("Blue");
  await expectAnswered(desk, second.api, there, THERE, [["Blue"]]);

  await desk.servers.open();
  await desk.servers.at(faults.url).getByRole("button", { name: /Remove/ }).click();
  await expect(desk.servers.list).toHaveCount(1);
  await expect(page.getByTestId("truth")).toHaveText(/^1 server · read/);
  await expect(page.getByTestId("connection-bar")).toHaveCount(0);
  await page.reload();
  await expect(desk.servers.list).toHaveCount(1);
  await expect(desk.servers.list).toContainText(second.url);
});

test("servers are named and put in order, and stay so", async ({ desk, page, second }) => {
  await desk.openInbox();
  await expect(desk.inbox.empty).toBeVisible();
  await desk.servers.add(second.url);
  await desk.servers.open();
  const name = desk.servers.at(second.url).getByLabel("Name");
  await name.fill("build-01");
  await name.blur();
  await page.getByRole("button", { name: "Move up build-01" }).click();
  const names = desk.servers.list.getByRole("heading");
  const inOrder = ["build-01", new URL(desk.serverUrl).host];
  await expect(names).toHaveText(inOrder);
  await page.reload();
  await expect(names).toHaveText(inOrder);
  await expect(page.getByTestId("sidebar").getByRole("heading", { level: 2 })).toHaveText(inOrder);

  const other = await desk.openTab();
  await other.page.goto(page.url());
  await expect(other.servers.list.getByRole("heading")).toHaveText(inOrder);
});

test("what one tab does with the servers the others do at once, and what is typed there stays", async ({ api, desk, page, second }) => {
  await api.begin(asks(HERE));
  const there = await second.api.begin(asks(THERE), { title: "There" });
  const other = await desk.openTab();
  const sidebar = other.page.getByTestId("sidebar");
  const typing = async (/** @type {import("@playwright/test").Locator} */ field, /** @type {string} */ text) => {
    await expect(field).toBeFocused();
    await other.page.keyboard.type(text);
  };
  await desk.openInbox();
  await other.openInbox();
  const card = other.inbox.card(HERE);
  await card.open();
  await card.ownAnswer.fill("Green, ");
  await page.bringToFront();
  await desk.servers.add(second.url);
  await other.page.bringToFront();
  await expect(other.page.getByTestId("truth")).toHaveText(/^2 servers/);
  await expect(other.inbox.card(THERE).article).toBeVisible();
  await typing(card.ownAnswer, "as grass");
  await expect(card.ownAnswer).toHaveValue("Green, as grass");

  await other.servers.open();
  const name = other.servers.at(desk.serverUrl).getByLabel("Name");
  await name.fill("lap");
  await desk.servers.open();
  const named = desk.servers.at(second.url).getByLabel("Name");
  await named.fill("build-01");
  await named.blur();
  await page.getByRole("button", { name: "Move up build-01" }).click();
  await expect(sidebar.getByRole("heading", { level: 2 })).toHaveText(["build-01", new URL(desk.serverUrl).host]);
  await typing(name, "top");
  await other.page.keyboard.press("Enter");
  const names = ["build-01", "laptop"];
  await expect(desk.servers.list.getByRole("heading")).toHaveText(names);

  await sidebar.getByRole("link", { name: "There" }).click();
  await other.session.prompt.fill("Paint it ");
  await desk.servers.at(second.url).getByRole("button", { name: /Remove/ }).click();
  const removed = other.page.getByRole("main").getByRole("heading", { name: "build-01 was removed from this page" });
  await expect(removed).toBeVisible();
  await expect(other.page.getByTestId("truth")).toHaveText(/^1 server · /);
  await other.page.getByRole("button", { name: "Connect again to build-01" }).click();
  await expect(desk.servers.list.getByRole("heading")).toHaveText(["laptop", "build-01"]);
  await expect(other.session.prompt).toHaveValue("Paint it ");
  await other.session.card(THERE).answer("Red");
  await expectAnswered(other, second.api, there, THERE, [["Red"]]);

  await desk.servers.at(desk.serverUrl).getByRole("button", { name: /Remove/ }).click();
  await other.page.evaluate(() => (location.hash = "#/inbox"));
  await expect(other.page.getByTestId("removed-elsewhere")).toContainText("laptop was removed in another tab.");
  await other.page.getByRole("button", { name: "Connect again to laptop" }).click();
  await card.open();
  await expect(card.ownAnswer).toHaveValue("Green, as grass");
});

test("a server that is forgotten leaves every tab, and is not offered again", async ({ desk, page, second }) => {
  await second.api.begin(asks(THERE));
  await desk.openInbox();
  await desk.servers.add(second.url);
  await expect(desk.inbox.card(THERE).article).toBeVisible();
  const other = await desk.openTab();
  await other.openInbox();
  await expect(other.inbox.card(THERE).article).toBeVisible();
  await desk.servers.open();
  await desk.servers.at(second.url).getByRole("button", { name: "Forget this server" }).click();
  await expect(desk.servers.list).toHaveCount(1);
  await expect(other.inbox.empty).toBeVisible();
  await expect(other.page.getByTestId("removed-elsewhere")).toBeVisible();
  await page.reload();
  await expect(desk.servers.list).toHaveCount(1);
  const { host } = new URL(second.url);
  await expect(page.getByRole("button", { name: host, exact: true })).toHaveCount(0);
  // The last one stays: there would be nothing to show.
  await desk.servers.at(desk.serverUrl).getByRole("button", { name: "Forget this server" }).click();
  await expect(desk.servers.list.getByText("This page stays connected until it is closed.")).toBeVisible();
});

test("whoever leaves the name of a server in the middle of it keeps it, and the page goes on", async ({ desk, page, second }) => {
  await desk.openInbox();
  await desk.servers.add(second.url);
  await desk.servers.open();
  const name = desk.servers.at(second.url).getByLabel("Name");
  await name.fill("build");
  await page.goBack();
  await expect(page.getByTestId("sidebar").getByRole("heading", { name: "build" })).toBeVisible();
  await desk.servers.open();
  await name.fill("gone by then");
  const other = await desk.openTab();
  await other.openInbox();
  await other.servers.open();
  await other.servers.at(second.url).getByRole("button", { name: /Remove/ }).click();
  await expect(desk.servers.list).toHaveCount(1);
  await page.evaluate(() => (location.hash = "#/inbox"));
  await expect(desk.inbox.empty).toBeVisible();
});

test("two servers that are given one name are told apart", async ({ desk, page, second }) => {
  await desk.openInbox();
  await desk.servers.add(second.url);
  await desk.servers.open();
  for (const url of [desk.serverUrl, second.url]) {
    await desk.servers.at(url).getByLabel("Name").fill("build");
    await page.keyboard.press("Enter");
  }
  const headings = page.getByTestId("sidebar").getByRole("heading", { level: 2 });
  await expect(headings).toHaveText(["build", `build (${new URL(second.url).host})`]);
  await page.reload();
  await expect(headings).toHaveText(["build", `build (${new URL(second.url).host})`]);
});

test("who removes a server with an answer on its way is told first, and the answer goes out when it is back", async ({ api, desk, faults, page, second }) => {
  const session = await api.begin(asks(HERE));
  await desk.openInbox(second.url);
  await desk.servers.add(faults.url);
  await desk.inbox.card(HERE).open();
  faults.set({ offline: true });
  await desk.inbox.card(HERE).answer("Blue");
  await expect(desk.inbox.card(HERE).state).toHaveText(/^sending/i);
  await desk.servers.open();
  const server = desk.servers.at(faults.url);
  for (const button of [/Remove/, "Forget this server"]) {
    await server.getByRole("button", { name: button }).click();
    await expect(server).toContainText("has not been seen to arrive. That is kept on this device");
    await server.getByRole("button", { name: "Keep it" }).click();
    await expect(desk.servers.list).toHaveCount(2);
  }
  await server.getByRole("button", { name: /Remove/ }).click();
  await page.keyboard.press("Tab");
  await expect(server.getByRole("button", { name: "Remove it" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(desk.servers.list).toHaveCount(1);
  await expect(desk.servers.at(second.url)).toBeFocused();
  faults.clear();
  await page.getByRole("button", { name: new URL(faults.url).host, exact: true }).click();
  expect((await api.untilAnswered(session, HERE)).answers).toEqual([["Blue"]]);
});

test("the keyboard keeps its place when servers are moved, forgotten and offered again", async ({ desk, page, second }) => {
  await desk.openInbox();
  await desk.servers.add(second.url);
  await desk.servers.open();
  const [first, other] = [desk.servers.at(desk.serverUrl), desk.servers.at(second.url)];
  await other.getByRole("button", { name: /^Move up/ }).focus();
  await page.keyboard.press("Enter");
  await expect(desk.servers.list.first()).toContainText(second.url);
  await expect(other).toBeFocused();
  await other.getByRole("button", { name: /Remove/ }).focus();
  await page.keyboard.press("Enter");
  await expect(first).toBeFocused();
  const { host } = new URL(second.url);
  const offer = page.getByRole("button", { name: host, exact: true });
  await expect(offer).toBeVisible();
  await page.getByRole("button", { name: `Forget ${host}` }).click();
  await expect(offer).toHaveCount(0);
});

test("links to a server still lead there when the one that the page was opened with was removed", async ({ desk, page, second }) => {
  const there = await second.api.begin(asks(THERE), { title: "There" });
  await desk.openInbox();
  await desk.servers.add(second.url);
  await page.getByTestId("sidebar").getByRole("link", { name: "There" }).click();
  const link = await page.evaluate(() => location.hash);
  await desk.servers.open();
  await desk.servers.at(desk.serverUrl).getByRole("button", { name: /Remove/ }).click();
  await expect(desk.servers.list).toHaveCount(1);
  await page.evaluate((hash) => (location.hash = hash), link);
  await expect(desk.session.card(THERE).article).toBeVisible();
  await page.reload();
  await desk.session.card(THERE).answer("Red");
  await expectAnswered(desk, second.api, there, THERE, [["Red"]]);
});

test("a server that was added and removed fifty times is asked nothing more, and leaves nothing behind", async ({ api, desk, faults, page }, testInfo) => {
  test.setTimeout(300_000);
  await page.addInitScript(keepWasmMemories);
  await api.begin(asks(HERE));
  await desk.openInbox();
  await expect(desk.inbox.card(HERE).article).toBeVisible();
  await desk.servers.add(faults.url);
  const round = async () => {
    await desk.servers.open();
    await desk.servers.at(faults.url).getByRole("button", { name: /Remove/ }).click();
    await expect(desk.servers.list).toHaveCount(1);
    await page.getByRole("button", { name: new URL(faults.url).host, exact: true }).click();
    await page.waitForURL(/#\/inbox$/);
    await expect(desk.inbox.cards).toHaveCount(2);
  };
  const footprint = async () => ({ elements: await countElements(page), ...(await readMemory(page)) });
  for (let count = 0; count < 10; count += 1) await round();
  const early = await footprint();
  for (let count = 0; count < 50; count += 1) await round();
  const late = await footprint();
  const figures = JSON.stringify({ early, late });
  testInfo.annotations.push({ type: "memory", description: figures });
  console.log(`      after 10 and 60 rounds: ${figures}`);
  for (const part of /** @type {const} */ (["elements", "heap", "wasm"])) expect(late[part] / early[part], part).toBeLessThan(1.15);

  await desk.servers.open();
  await desk.servers.at(faults.url).getByRole("button", { name: /Remove/ }).click();
  await expect.poll(() => faults.exchanges.filter((exchange) => exchange.outcome === "open")).toHaveLength(0);
  const asked = faults.exchanges.length;
  // The other server is read in the meantime: whatever was still to come would have come.
  await page.clock.install();
  await page.clock.runFor(60_000);
  await expect(page.getByTestId("truth")).toHaveText(/^1 server · read/);
  expect(faults.exchanges.length).toBe(asked);
});

test("two servers over one data directory list the same sessions, and each answer goes to the one that asked", async ({ desk, model, page, second }) => {
  const twin = await startOpenCode({ modelUrl: model.url, folder: second.folder, password: "" });
  try {
    const twinApi = new Api(twin, second.directory);
    await desk.openInbox(second.url);
    await expect(desk.inbox.empty).toBeVisible();
    await desk.servers.add(twin.url);
    const here = await second.api.begin(asks(HERE), { title: "Painting" });
    await second.api.untilAsked(HERE);
    await expect(desk.inbox.card(HERE).article).toContainText(new URL(second.url).host);
    const there = await twinApi.begin(asks(THERE), { title: "Cutting" });
    await twinApi.untilAsked(THERE);
    await expect(desk.inbox.card(THERE).article).toContainText(new URL(twin.url).host);
    await expect(page).toHaveTitle(/^\(2\)/);

    await page.evaluate(() => (location.hash = "#/sessions"));
    const rows = page.getByRole("main").getByTestId("session-row");
    for (const { title, id } of [here, there]) {
      const both = rows.filter({ hasText: title });
      await expect(both).toHaveCount(2);
      const links = await both.evaluateAll((found) => found.map((row) => row.getAttribute("href")));
      expect(new Set(links).size).toBe(2);
      for (const link of links) expect(link).toContain(`/session/${id}`);
    }
    // The other server sees a run that has come to no end, and knows nothing of what it asks.
    const main = page.getByRole("main");
    for (const { title, text, url } of [
      { title: "Painting", text: HERE, url: second.url },
      { title: "Cutting", text: THERE, url: twin.url },
    ]) {
      const { host } = new URL(url);
      await page.evaluate(() => (location.hash = "#/sessions"));
      await rows.filter({ hasText: title }).filter({ hasText: `runs on ${host}` }).click();
      await expect(main.getByTestId("doctor")).toContainText(`It runs on ${host}.`);
      await expect(desk.session.state).toHaveText(`runs on ${host}`);
      await main.getByRole("link", { name: `Open it on ${host}` }).click();
      await expect(desk.session.card(text).article).toBeVisible();
    }

    // In the side bar it is one of those that work, the newest first, and none that broke off.
    await second.api.begin(script({ text: "At last.", delay: 600_000 }), { title: "Thinking" });
    const listed = page.getByTestId("sidebar").locator("ul.tree-sessions").first().getByTestId("session-row");
    await expect(listed).toHaveText([/^Painting/, /^Thinking/, /^Cutting/]);

    await page.evaluate(() => (location.hash = "#/activity"));
    await expect(main.getByRole("link", { name: "Painting" }).first()).toBeVisible();
    await expect(main.getByText(/interrupted|not started/i)).toHaveCount(0);

    await page.evaluate(() => (location.hash = "#/inbox"));
    await desk.inbox.card(THERE).answer("Blue");
    await expectAnswered(desk, twinApi, there, THERE, [["Blue"]]);
    await desk.inbox.card(HERE).answer("Red");
    await expectAnswered(desk, second.api, here, HERE, [["Red"]]);
    await expect(desk.inbox.empty).toBeVisible();
  } finally {
    await twin.stop();
  }
});

/** R24 */
test("a run of another process on the data of the server is called so, also where it may have been cut off, and nothing begins a second one unasked", async ({ desk, model, page, second }) => {
  const terminal = await startOpenCode({ modelUrl: model.url, folder: second.folder, password: "" });
  try {
    const theirs = new Api(terminal, second.directory);
    await desk.openInbox(second.url);
    await expect(desk.inbox.empty).toBeVisible();
    // The page has a stream, and has listed the sessions since.
    for (let lists = 0; lists < 2; lists += 1) await page.waitForResponse((response) => /\/session\?/.test(response.url()));
    const session = await theirs.begin(asks(THERE), { title: "Cutting" });
    await theirs.untilAsked(THERE);
    const { doctor } = desk.session;
    const elsewhere = page.getByTestId("asked-elsewhere-list");
    const goesOn = doctor.repair("Send “continue”");
    const note = page.locator("#prompt-note");
    // Two looks 5 s apart, a heartbeat of the stream, which comes every 10 s, and one more look.
    await expect(elsewhere).toContainText("asks in another OpenCode", { timeout: 60_000 });
    await expect(elsewhere.getByRole("heading")).toHaveText("1 question in another OpenCode process");
    await expect(desk.inbox.cards).toHaveCount(0);
    await expect(page).not.toHaveTitle(/1/);
    await elsewhere.getByRole("link", { name: THERE }).click();
    await expect(page).toHaveURL(new RegExp(`#/session/${session.id}`));
    const card = page.getByTestId("asked-elsewhere");
    await expect(card.getByRole("heading")).toHaveText(THERE);
    await expect(card.getByRole("listitem")).toHaveText([/Red/, /Blue/]);
    await expect(card.getByRole("button")).toHaveCount(0);
    await expect(desk.session.state).toContainText("asks in another OpenCode");
    await expect(doctor.finding).toHaveText("It asks in another OpenCode process.");
    await expect(doctor.repairs).toContainText("Answer it there");
    await expect(note).toHaveText("Another OpenCode process runs this session. A message from here begins a second run beside it.");
    await expect(goesOn).toHaveCount(0);
    await expect(desk.session.stop).toHaveCount(0);

    // A page that has not seen it begin cannot know.
    await page.reload();
    await expect(desk.session.state).toContainText("may ask in another OpenCode");
    await expect(card).toContainText(THERE);
    await expect(doctor.finding).toHaveText("This server does not ask it: another OpenCode process does, or it was cut off.");
    await expect(note).toHaveText("If another OpenCode process runs this session, a message from here begins a second run beside it.");
    await expect(goesOn).toBeVisible();

    const [asked] = await theirs.questions();
    await theirs.reply(asked.id, [["Blue"]]);
    await expect(desk.session.timeline).toContainText("You answered: Blue");
    await expect(doctor.notice).toHaveCount(0);
    await expect(card).toHaveCount(0);
    await expect(desk.session.state).toHaveText("done");
    await expect(note).toHaveText("");
  } finally {
    await terminal.stop();
  }
});

/** R13 */
test("of three servers one hangs and one restarts: the third is as quick as alone in five tabs, rows stay where they are, and an answer outlives the tab that leads", async ({ api, desk, faults, model, page, second }) => {
  test.setTimeout(300_000);
  const hangs = faults;
  const restarts = await startFaultProxy({ target: second.url });
  const steady = await startOpenCode({ modelUrl: model.url, password: "" });
  const steadyApi = new Api(steady, steady.directory);
  try {
    const here = await api.begin(asks(HERE));
    await api.untilAsked(HERE);
    const there = await second.api.begin(asks(THERE));
    await second.api.untilAsked(THERE);
    const third = await steadyApi.begin(asks(THIRD));
    await steadyApi.untilAsked(THIRD);
    await desk.openInbox(restarts.url);
    await expect(desk.inbox.card(THERE).article).toBeVisible();
    await desk.servers.add(steady.url);
    await desk.servers.add(hangs.url);
    const tabs = [desk];
    while (tabs.length < 5) tabs.push(await desk.openTab());
    for (const tab of tabs.slice(1)) await tab.openInbox(restarts.url);
    for (const tab of tabs) {
      await tab.page.bringToFront();
      await expect(tab.inbox.cards).toHaveCount(3);
      // In another order they are sorted anew, whichever server was read first.
      const order = tab.page.getByRole("combobox", { name: "Order" });
      await order.selectOption("Newest first");
      await expect(tab.inbox.cards).toContainText([THIRD, THERE, HERE]);
      await order.selectOption("Oldest first");
      await expect(tab.inbox.cards).toContainText([HERE, THERE, THIRD]);
    }

    hangs.set({ held: /./, events: "stall" });
    await page.bringToFront();
    await expect(page.getByTestId("truth")).toHaveText("2 of 3 servers live");
    await expect(page.getByTestId("connection-bar")).toContainText(new URL(hangs.url).host);
    // What is sent to the second server is in flight while the tab that leads goes away and the server restarts.
    restarts.set({ held: /\/reply$/ });
    await desk.inbox.card(THERE).answer("Blue");
    await expect(desk.inbox.card(THERE).state).toHaveText(/^sending/i);
    await expect.poll(() => restarts.exchanges.some(({ path }) => path.endsWith("/reply"))).toBe(true);
    await page.close();
    const [, next, ...others] = tabs;
    await next.page.bringToFront();
    await next.inbox.card(THIRD).answer("Red");
    await expectAnswered(next, steadyApi, third, THIRD, [["Red"]]);
    restarts.clear();
    await expectAnswered(next, second.api, there, THERE, [["Blue"]]);
    expect(restarts.exchanges.filter(({ path, outcome }) => path.endsWith("/reply") && outcome === "200")).toHaveLength(1);

    await second.kill();
    await expect(next.page.getByTestId("truth")).toHaveText("1 of 3 servers live");
    const late = await steadyApi.begin(asks(LATE));
    for (const tab of [next, ...others]) {
      await tab.page.bringToFront();
      await expect(tab.inbox.cards).toContainText([HERE, LATE]);
      await expect(tab.inbox.card(HERE).article).toContainText(/as of/);
    }
    await next.page.bringToFront();
    await next.inbox.card(LATE).answer("Red");
    await expectAnswered(next, steadyApi, late, LATE, [["Red"]]);
    await second.restart();
    await expect(next.page.getByTestId("truth")).toHaveText("2 of 3 servers live");
    hangs.clear();
    await expect(next.page.getByTestId("truth")).toHaveText(/^3 servers · read/);
    await next.inbox.card(HERE).answer("Blue");
    await expectAnswered(next, api, here, HERE, [["Blue"]]);
    for (const tab of [next, ...others]) await expect(tab.inbox.empty).toBeVisible();
  } finally {
    await restarts.close();
    await steady.stop();
  }
});
