// @ts-check
/** Several servers in one page. */
import { startOpenCode } from "../../www/npm/serve/opencode.mjs";
import { Api } from "./api.js";
import { expect, test as base } from "./fixtures.js";
import { expectAnswered } from "./proof.js";
import { ask, question, script } from "./say.js";

const HERE = "Which colour has the first server?";
const THERE = "Which colour has the second server?";
const asks = (/** @type {string} */ text) => script(ask(question(text, ["Red", "Blue"])));

const test = base.extend({
  /** @type {import("@playwright/test").TestFixture<{ url: string, api: Api }, { model: import("../../www/npm/serve/model.mjs").Model }>} */
  second: async ({ model }, use) => {
    const server = await startOpenCode({ modelUrl: model.url, password: "" });
    await use({ url: server.url, api: new Api(server, server.directory) });
    await server.stop();
  },
});

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
  await expect(page).toHaveURL(/#\/s\/[a-z0-9-]+\/session\//);
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
  await page.getByRole("button", { name: "Move build-01 up" }).click();
  const names = desk.servers.list.getByRole("heading");
  await expect(names).toHaveText(["build-01", new URL(desk.serverUrl).host]);
  await page.reload();
  await expect(names.filter({ hasText: "build-01" })).toHaveCount(1);
  await expect(page.getByTestId("sidebar")).toContainText("build-01");
});

test("a server that was added and removed twenty times is asked nothing more", async ({ desk, faults, page }) => {
  await desk.openInbox();
  await expect(desk.inbox.empty).toBeVisible();
  for (let round = 1; round <= 20; round += 1) {
    await desk.servers.add(faults.url);
    await desk.servers.open();
    await expect(desk.servers.list).toHaveCount(2);
    await desk.servers.at(faults.url).getByRole("button", { name: /Remove/ }).click();
    await expect(desk.servers.list).toHaveCount(1);
  }
  await expect.poll(() => faults.exchanges.filter((exchange) => exchange.outcome === "open")).toHaveLength(0);
  const asked = faults.exchanges.length;
  // The other server is read in the meantime: whatever was still to come would have come.
  await page.clock.install();
  await page.clock.runFor(60_000);
  await expect(page.getByTestId("truth")).toHaveText(/^1 server · read/);
  expect(faults.exchanges.length).toBe(asked);
});
