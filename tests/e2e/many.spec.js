// @ts-check
/** Many sessions at once: every answer reaches its own. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { Api, until } from "./api.js";
import { startFaultProxy } from "./fault-proxy.mjs";
import { expect, test } from "./fixtures.js";
import { noteLongTasks, takeLongTasks } from "./measure/long-tasks.mjs";
import { randomFrom } from "./random.js";
import { expectAnswered } from "./proof.js";
import { ask, question, script } from "./say.js";

/** In a search more than in a test: what can go wrong with many is in a test with eight. */
const SESSIONS = process.env.SWITCHBOARD_SOAK ? 20 : 8;

const SERVERS = 20;
const SESSIONS_EACH = 25;
const REQUESTS_EACH = 10;

/** More than a page of the server's list has. */
const NEWER_SESSIONS = 110;

/** The most cards that may be drawn in one frame. */
const DRAWN_AT_ONCE = 30;

/** Has the page note how many cards are drawn at a time. */
function noteDrawn() {
  /** @type {number[]} */
  const drawn = [];
  Object.assign(globalThis, { drawn });
  const cards = (/** @type {Node} */ node) => (node instanceof Element ? Number(node.matches("article")) + node.querySelectorAll("article").length : 0);
  const count = (/** @type {MutationRecord[]} */ records) => records.flatMap(({ addedNodes }) => [...addedNodes].map(cards)).reduce((sum, more) => sum + more, 0);
  new MutationObserver((records) => drawn.push(count(records))).observe(document.body, { childList: true, subtree: true });
}

test("many sessions ask, and each gets its own answer", async ({ api, desk }) => {
  test.setTimeout(300_000);
  await desk.openInbox();
  const asked = await Promise.all(
    Array.from({ length: SESSIONS }, async (_, index) => {
      const text = `What is the name of number ${String(index).padStart(2, "0")}?`;
      return { text, label: `Name ${index}`, session: await api.beginNow(script(ask(question(text, [`Name ${index}`, "None"])))) };
    }),
  );
  // Agents that start at once are slow; how fast the server lists them is not the page's doing.
  await until("all have asked", async () => (await api.questions()).length === SESSIONS, 120_000);
  await expect(desk.page).toHaveTitle(`(${SESSIONS}) Switchboard`);
  await expect(desk.inbox.cards).toHaveCount(SESSIONS);

  const random = randomFrom(20);
  const order = asked.map((each) => ({ each, at: random() })).sort((one, other) => one.at - other.at);
  for (const { each } of order) await desk.inbox.card(each.text).answer(each.label);
  for (const { text, label, session } of asked) await expectAnswered(desk, api, session, text, [[label]]);
  await expect(desk.page).toHaveTitle("Switchboard");
});

test.describe("with a server of its own", () => {
  test.use({ fresh: true });

  test("a question of the oldest of many sessions is asked, in a folder that no project names", async ({ api, desk, opencode }) => {
    const folder = join(opencode.folder, "no-repository");
    mkdirSync(folder);
    const apart = new Api(opencode, folder);
    const text = "Who asked first?";
    const session = await apart.begin(script(ask(question(text, ["One", "Two"]))), { title: "The oldest" });
    for (let number = 0; number < NEWER_SESSIONS; number += 1) await api.createSession({ title: `Session ${number}` });
    /** @type {{ id: string }[]} */
    const firstPage = await api.call("GET", "/experimental/session?limit=100");
    expect(firstPage.map(({ id }) => id)).not.toContain(session.id);
    await desk.openInbox();
    await desk.inbox.card(text).answer("One");
    await expectAnswered(desk, apart, session, text, [["One"]]);
  });

  test("500 sessions and 200 requests of 20 servers are all there, and how long the page stood still is recorded", async ({ api, desk, opencode, page }, testInfo) => {
    test.setTimeout(300_000);
    const proxies = await Promise.all(Array.from({ length: SERVERS }, () => startFaultProxy({ target: opencode.url })));
    try {
      for (let count = REQUESTS_EACH; count < SESSIONS_EACH; count += 1) await api.createSession({ title: `Session ${count}` });
      const text = (/** @type {number} */ number) => `What is the name of number ${number}?`;
      const asking = [];
      for (let number = 0; number < REQUESTS_EACH; number += 1) asking.push(await api.begin(script(ask(question(text(number), ["One", "None"])))));

      await noteLongTasks(page);
      const [first, ...others] = proxies;
      await desk.openInbox(first.url);
      await expect(desk.inbox.cards).toHaveCount(REQUESTS_EACH);
      await desk.servers.open();
      const servers = others.map(({ url }, number) => ({ address: url, name: `build-${number + 1}` }));
      await desk.servers.import(JSON.stringify({ switchboard: "servers", version: 1, servers }));
      await expect(desk.servers.list).toHaveCount(SERVERS);
      await expect(page).toHaveTitle(`(${SERVERS * REQUESTS_EACH}) Servers · Switchboard`);
      await expect(page.getByTestId("truth")).toHaveText(/^20 servers · read/);
      await page.evaluate(noteDrawn);
      await page.evaluate(() => (location.hash = "#/inbox"));
      await expect(desk.inbox.cards).toHaveCount(SERVERS * REQUESTS_EACH);
      const drawn = await page.evaluate(() => Math.max(.../** @type {any} */ (globalThis).drawn));
      expect(drawn, "cards that are drawn at once").toBeLessThanOrEqual(DRAWN_AT_ONCE);
      await page.evaluate(() => (location.hash = "#/sessions"));
      await expect(page.getByRole("main").getByTestId("session-row")).toHaveCount(SERVERS * SESSIONS_EACH);
      await page.evaluate(() => (location.hash = "#/inbox"));
      await desk.narrow.to("build-7");
      await expect(desk.inbox.cards).toHaveCount(REQUESTS_EACH);
      await desk.inbox.card(text(3)).answer("One");
      await expectAnswered(desk, api, asking[3], text(3), [["One"]]);
      await desk.narrow.to("All servers");
      await expect(page).toHaveTitle(`(${SERVERS * (REQUESTS_EACH - 1)}) Switchboard`);
      for (const proxy of others.slice(0, 5)) proxy.set({ offline: true });
      await expect(page.getByTestId("truth")).toHaveText("15 of 20 servers live");
      await expect(page.getByText("And 3 servers more in trouble.")).toBeVisible();
      await expect(page).toHaveTitle(`(${SERVERS * (REQUESTS_EACH - 1)}) Switchboard`);

      const { longTasks, longest } = await takeLongTasks(page);
      const figures = `${longTasks} long tasks, the longest ${Math.round(longest)} ms`;
      testInfo.annotations.push({ type: "long tasks", description: figures });
      console.log(`      ${figures}`);
    } finally {
      await Promise.all(proxies.map((proxy) => proxy.close()));
    }
  });
});
