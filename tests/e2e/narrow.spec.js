// @ts-check
/** Lists are narrowed to one server or one directory, and nobody forgets that others wait. */
import { join } from "node:path";
import { makeRepository } from "../../www/npm/serve/folder.mjs";
import { Api } from "./api.js";
import { expect, test } from "./fixtures.js";
import { expectAnswered } from "./proof.js";
import { ask, question, script } from "./say.js";

const HERE = "Which colour has the first server?";
const ASIDE = "Which colour has the other directory?";
const THERE = "Which colour has the second server?";
const asks = (/** @type {string} */ text) => script(ask(question(text, ["Red", "Blue"])));
const host = (/** @type {string} */ url) => new URL(url).host;

test("an inbox shows one server or one directory, the keys act on what it shows, and what waits elsewhere is counted", async ({ api, desk, directory, page, second }) => {
  const { inbox, narrow } = desk;
  const there = await second.api.begin(asks(THERE));
  await desk.openInbox(second.url);
  await expect(inbox.card(THERE).article).toBeVisible();
  await expect(narrow.control).toHaveCount(0);

  const asideDirectory = join(second.folder, "aside");
  makeRepository(asideDirectory);
  const aside = new Api(second, asideDirectory);
  await aside.begin(asks(ASIDE));
  await expect(inbox.card(ASIDE).article).toBeVisible();
  await narrow.to(asideDirectory);
  await expect(inbox.cards).toHaveCount(1);
  await page.goBack();
  await expect(inbox.cards).toHaveCount(2);

  const here = await api.begin(asks(HERE));
  await desk.servers.add(desk.serverUrl);
  await expect(inbox.cards).toHaveCount(3);
  await narrow.to(host(second.url));
  await expect(inbox.cards).toHaveCount(2);
  await expect(narrow.elsewhere).toHaveText("1 waits elsewhere.");
  await narrow.to(`${host(second.url)} · ${second.directory}`);
  await expect(inbox.cards).toHaveCount(1);
  await expect(page).toHaveTitle(/^\(3\)/);
  await expect(narrow.words).toContainText("3 waiting");
  await expect(narrow.elsewhere).toHaveText("2 wait elsewhere.");

  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await expect(desk.open).toContainText(THERE);
  await inbox.card(THERE).pressKeys({ key: "2" });
  await expect(inbox.card(THERE).option("Blue")).toBeChecked();
  await inbox.card(THERE).pressKeys({ key: "Enter" });
  await expectAnswered(desk, second.api, there, THERE, [["Blue"]]);
  await expect(page.getByRole("heading", { name: "Nobody waits for you here" })).toBeVisible();
  await expect(narrow.elsewhere).toHaveText("2 wait elsewhere.");

  await page.reload();
  await expect(narrow.chosen).toHaveText(`${host(second.url)} · ${second.directory}`);
  await expect(page.getByRole("heading", { name: "Nobody waits for you here" })).toBeVisible();
  await narrow.showAll.click();
  await expect(inbox.cards).toHaveCount(2);
  await narrow.to(`${host(desk.serverUrl)} · ${directory}`);
  await inbox.card(HERE).answer("Red");
  await expectAnswered(desk, api, here, HERE, [["Red"]]);
  await aside.endAll();
});

test("a link to a request that a narrowed inbox leaves out shows it", async ({ api, desk, page, second }) => {
  await api.begin(asks(HERE));
  await second.api.begin(asks(THERE));
  await desk.openInbox();
  await desk.servers.add(second.url);
  await expect(desk.inbox.cards).toHaveCount(2);
  await desk.narrow.to(host(desk.serverUrl));
  await expect(desk.inbox.cards).toHaveCount(1);
  const { id } = await second.api.untilAsked(THERE);
  await page.evaluate((hash) => (location.hash = hash), `#/s/${host(second.url)}/inbox/${id}`);
  await expect(desk.open).toContainText(THERE);
  await page.goBack();
  await expect(desk.inbox.cards).toHaveCount(1);
});

test("sessions and what happened are narrowed, too, and a way back leads through", async ({ api, desk, page, second }) => {
  const here = await api.begin(asks(HERE), { title: "Painting" });
  await second.api.begin(script({ text: "Done." }), { title: "Cutting" });
  await desk.openInbox();
  await desk.servers.add(second.url);
  await desk.inbox.card(HERE).answer("Red");
  await expectAnswered(desk, api, here, HERE, [["Red"]]);

  await page.evaluate(() => (location.hash = "#/sessions"));
  const rows = page.getByRole("main").getByTestId("session-row");
  await expect(rows.filter({ hasText: "Painting" })).toHaveCount(1);
  await desk.narrow.to(host(second.url));
  await expect(rows).toHaveText([/^Cutting/]);
  await expect(desk.narrow.words).toContainText(/1 of \d+ sessions/);
  await rows.first().click();
  await expect(desk.session.timeline).toContainText("Done.");
  await page.keyboard.press("[");
  await expect(rows).toHaveText([/^Cutting/]);
  await page.goBack();
  await expect(rows.filter({ hasText: "Painting" })).toHaveCount(1);

  const { activity } = desk;
  await activity.open();
  await expect(activity.row(HERE)).toContainText(host(desk.serverUrl));
  await expect(activity.row("Cutting")).toContainText(host(second.url));
  await expect(page.getByRole("group").filter({ hasText: /^Figures of/ })).toHaveCount(2);
  const { text } = await activity.download(activity.json);
  const servers = JSON.parse(text).activity.map((/** @type {{ server: string }} */ { server }) => server);
  expect(new Set(servers)).toEqual(new Set([desk.serverUrl, second.url]));
  await desk.narrow.to(host(second.url));
  await expect(activity.row(HERE)).toHaveCount(0);
  await expect(activity.row("Cutting")).toHaveCount(1);
  await expect(activity.figures).toContainText(host(second.url));
  await activity.kind.selectOption("Asked");
  await activity.showAll.click();
  await expect(activity.row(HERE)).toHaveCount(1);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("the way back from a request leads to the narrowed inbox, and so does its answer", async ({ api, desk, page, second }) => {
    await api.begin(asks(HERE));
    const there = await second.api.begin(asks(THERE));
    await desk.openInbox();
    await desk.servers.add(second.url);
    await expect(desk.inbox.cards).toHaveCount(2);
    await desk.narrow.to(host(second.url));
    await expect(desk.inbox.cards).toHaveCount(1);
    await desk.inbox.cards.first().tap();
    await expect(desk.request.back).toBeVisible();
    await desk.request.back.tap();
    await expect(desk.inbox.cards).toHaveCount(1);
    await desk.inbox.cards.first().tap();
    await desk.request.card.option("Blue").check();
    await desk.request.card.press(desk.request.card.send);
    await expectAnswered(desk, second.api, there, THERE, [["Blue"]]);
    await expect(desk.narrow.chosen).toHaveText(host(second.url));
    await expect(desk.narrow.elsewhere).toHaveText("1 waits elsewhere.");
  });
});
