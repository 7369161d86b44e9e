// @ts-check
/** The frame of the page: trouble with the connection, the side bar, addresses, titles, focus. */
import { expect, test } from "./fixtures.js";
import { Desk } from "./pages/desk.js";
import { expectAnswered } from "./proof.js";
import { ask, question, script } from "./say.js";

const COLOUR = "Which colour is framed?";
/** What is announced is followed by nothing else for so long. */
const GAP_MS = 5_000;
/** How far the clock of a page moves at once. */
const STEP_MS = 100;
/** How long the browser may take to pause the clock: a time that has gone by is refused. */
const PAUSED_WITHIN_MS = 10_000;

test("trouble with the connection stands under the header, in words, and its button keeps the focus", async ({ api, desk, faults, page }) => {
  const long = Array.from({ length: 60 }, (_, line) => `Line ${line}.`).join("\n\n");
  const session = await api.begin(script({ text: long, tools: [ask(question(COLOUR, ["Red", "Blue"]))] }));
  await desk.openSession(session, faults.url);
  const { dismiss } = desk.session.card(COLOUR);
  await dismiss.hover();
  const prompt = page.getByTestId("prompt-box");
  const before = [await boxOf(prompt), await boxOf(dismiss)];
  faults.set({ offline: true });
  const bar = page.getByTestId("connection-bar");
  await expect(bar).toBeVisible();
  // What it says gets longer and shorter: all of them are looked at in one moment.
  const isBetween = () =>
    bar.evaluate((bar) => {
      const [head, timeline] = [document.querySelector(".session-head"), document.querySelector(".timeline-pane")];
      if (!head || !timeline) return false;
      const { top, bottom } = bar.getBoundingClientRect();
      return top >= head.getBoundingClientRect().bottom - 1 && bottom <= timeline.getBoundingClientRect().top + 1;
    });
  await expect.poll(isBetween).toBe(true);
  await expect.poll(async () => [await boxOf(prompt), await boxOf(dismiss)]).toEqual(before);

  await expect(bar.locator("strong").first()).toContainText("offline");
  await expect(bar.getByRole("paragraph").first()).not.toContainText(/Failed to fetch|NetworkError|[{}]/);
  const tryNow = bar.getByRole("button", { name: "Try now" });
  await tryNow.focus();
  const said = await bar.textContent();
  await expect(bar).not.toHaveText(said ?? "");
  await expect(tryNow).toBeFocused();

  await desk.session.say(script({ text: "Later." }));
  await expect(page.getByTestId("sending-prompt")).toContainText(/sending/);
  const sending = page.getByTestId("sending-prompt");
  await expect(sending.getByText("it did not reach the server, or no answer came back")).toBeVisible();
  await expect(sending.getByText("Failed to fetch")).toBeHidden();
  await sending.getByText("Details").click();
  await expect(sending.getByText("Failed to fetch")).toBeVisible();
  faults.clear();
  await expect(bar).toBeHidden();
});

test("the side bar has all sessions that wait, the oldest first, up to four others, and the open one in sight", async ({ api, desk, page }) => {
  const waiting = [];
  const others = [];
  for (const number of [1, 2, 3, 4, 5, 6]) {
    const title = `Idle session ${number}`;
    others.push({ title, session: await api.createSession({ title }) });
  }
  for (const number of [1, 2, 3, 4, 5]) {
    const title = `Waiting session ${number}`;
    const text = `Is it number ${number}?`;
    waiting.push({ title, session: await api.begin(script(ask(question(text, ["Yes", "No"]))), { title }) });
    await api.untilAsked(text);
  }
  await page.setViewportSize({ width: 1400, height: 420 });
  await desk.openInbox();
  const sidebar = page.getByTestId("sidebar");
  const group = sidebar.locator("ul.tree-sessions").filter({ hasText: "Waiting session 1" });
  await expect(group.getByTestId("session-row")).toHaveCount(9);
  const titles = await group.locator(".tree-title").allTextContents();
  expect(titles.slice(0, 5)).toEqual(waiting.map(({ title }) => title));

  const hidden = others.find(({ title }) => !titles.includes(title));
  if (!hidden) throw new Error("all sessions are listed");
  await desk.openSession(hidden.session);
  const current = group.locator('[aria-current="page"]');
  await expect(current).toContainText(hidden.title);
  await expect(current).toBeInViewport();
  await expect(current).not.toContainText("new");
  await expect(page).toHaveTitle(`(5) ${hidden.title} · Switchboard`);
});

test("addresses that lead to nothing say so, and pages name themselves and take the focus", async ({ api, desk, page, site, opencode }) => {
  await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
  await desk.openInbox();
  await expect(desk.inbox.card(COLOUR).article).toBeVisible();
  for (const [hash, says] of [
    ["#/inbox/que_nope", "This request is no longer there"],
    ["#/session/", "There is nothing at this address"],
    ["#/nonsense", "There is nothing at this address"],
  ]) {
    await page.goto("about:blank");
    await page.goto(`${site.url}/?server=${opencode.url}${hash}`);
    await expect(page.getByText(says)).toBeVisible();
    await expect(desk.inbox.card(COLOUR).article).toHaveCount(0);
  }
  await page.goto(`${site.url}/?kept=1%262&server=${opencode.url}#/nonsense`);
  await page.getByRole("link", { name: "Back to the inbox" }).click();
  await expect(desk.inbox.card(COLOUR).article).toBeVisible();
  const { searchParams } = new URL(page.url());
  expect([searchParams.get("kept"), searchParams.get("server")]).toEqual(["1&2", opencode.url]);
  await expect(page).toHaveTitle("(1) Switchboard");
  await page.getByTestId("sidebar").getByRole("link", { name: "All sessions" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Sessions" })).toBeFocused();
  await expect(page).toHaveTitle("(1) Sessions · Switchboard");

  // The picture of the tab is lit while anything waits, on whichever server: the one that is left has nothing.
  const picture = page.locator("link[rel=icon]");
  await expect(picture).toHaveAttribute("href", /^data:/);
  const other = "http://127.0.0.1:9";
  await page.evaluate((base) => localStorage.setItem("switchboard:servers", JSON.stringify([{ base, name: "elsewhere", username: null }])), other);
  await page.evaluate(() => (location.hash = "#/servers"));
  await page.getByRole("button", { name: "elsewhere", exact: true }).click();
  await expect(page).toHaveTitle("(1) Switchboard");
  await desk.servers.open();
  await desk.servers.at(opencode.url).getByRole("button", { name: /Remove/ }).click();
  await expect(page).toHaveTitle("Servers · Switchboard");
  await expect(picture).not.toHaveAttribute("href", /^data:/);
  expect(new URL(page.url()).searchParams.get("server")).toBe(other);
});

test("a session starts in any directory that is typed, and Start says what it lacks", async ({ desk, directory, page }) => {
  await desk.openInbox();
  await expect(desk.inbox.empty).toBeVisible();
  await page.evaluate(() => (location.hash = "#/new"));
  const [where, first, start] = [page.getByLabel("Working directory"), page.getByLabel("First message"), page.getByRole("button", { name: "Start", exact: true })];
  await expect(first).toBeFocused();
  expect((await boxOf(first)).height).toBeGreaterThan(80);
  await where.fill("");
  await expect(page.getByText("Name a directory.")).toBeVisible();
  await expect(start).toBeDisabled();
  await expect(start).toHaveAccessibleDescription("Name a directory.");
  await where.fill(directory);
  await expect(page.getByText("Write a first message.")).toBeVisible();
  await first.fill(script({ text: "Here I work." }));
  await start.click();
  await expect(desk.session.timeline).toContainText("Here I work.");
  await expect(page.getByRole("button", { name: "Plan, files and cost" })).toHaveAttribute("aria-expanded", "true");
  await page.getByRole("button", { name: "Plan, files and cost" }).click();
  await expect(page.getByRole("complementary", { name: "Session" })).toBeHidden();
  await expect(page.getByRole("button", { name: "Plan, files and cost" })).toHaveAttribute("aria-expanded", "false");
});

test("the frame of the desk is there before the program, in the chosen theme, and gives way to it without a jump", async ({ desk, page }) => {
  await desk.openInbox();
  await page.getByRole("button", { name: "Change between light and dark" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  const brand = page.getByText("Switchboard", { exact: true }).filter({ visible: true });
  const title = desk.page.locator(".header-title").filter({ visible: true });
  const places = async () => [await brand.boundingBox(), await title.boundingBox()];
  /** @type {() => void} */
  let release = () => {};
  const released = new Promise((resolve) => (release = () => resolve(undefined)));
  await page.route("**/*_bg.wasm", (route) => released.then(() => route.continue()));
  await page.reload({ waitUntil: "commit" });
  await expect(brand).toBeVisible();
  await expect(title).toHaveText("Inbox");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.getByRole("main"), "the program is not there").toHaveCount(0);
  const before = await places();
  release();
  await expect(page.getByRole("main")).toBeVisible();
  await expect(brand).toHaveCount(1);
  await expect(title).toHaveText("Inbox");
  expect((await places()).map((box) => [box?.x, box?.y])).toEqual(before.map((box) => [box?.x, box?.y]));
});

test("the chosen theme is there before the program, and a copy that fails is no copy", async ({ api, browser, site, opencode }) => {
  const context = await browser.newContext({ colorScheme: "light" });
  const page = await context.newPage();
  const desk = await Desk.prepare(page, site.url, opencode.url);
  try {
    await desk.openInbox();
    await page.getByRole("button", { name: "Change between light and dark" }).click();
    await expect(page.locator("meta[name=theme-color][data-scheme=dark]")).toHaveAttribute("media", "all");
    await page.route("**/*.wasm", (route) => route.abort());
    await page.reload();
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
    await expect(page.locator("meta[name=theme-color][data-scheme=light]")).toHaveAttribute("media", "not all");
    await page.unroute("**/*.wasm");
    desk.problems.length = 0;
    await page.addInitScript(() => {
      navigator.clipboard.writeText = () => Promise.reject(new DOMException("denied", "NotAllowedError"));
    });
    const session = await api.begin(script({ text: "```\nlet it = be;\n```" }));
    await desk.openSession(session);
    const copy = desk.session.timeline.getByRole("button", { name: /^(Copy|Copied|Not copied)/ }).first();
    await expect(copy).toBeVisible();
    // It says so for two seconds only.
    const said = await copy.evaluateHandle((button) => {
      /** @type {(string | null)[]} */
      const texts = [];
      new MutationObserver(() => texts.push(button.textContent)).observe(button, { subtree: true, childList: true, characterData: true });
      return texts;
    });
    await copy.click();
    await expect.poll(() => said.jsonValue()).toContain("Not copied");
    expect(desk.problems).toEqual([]);
  } finally {
    await context.close();
  }
});

test("two lost answers are each told once", async ({ api, desk, faults, page }) => {
  const [one, two] = ["Is the first lost?", "Is the second lost?"];
  /** @type {{ id: string }[]} */
  const sessions = [];
  for (const text of [one, two]) {
    sessions.push(await api.begin(script(ask(question(text, ["Yes", "No"])))));
    await api.untilAsked(text);
  }
  await desk.openInbox(faults.url);
  await page.evaluate(() => {
    /** @type {string[]} */
    const alerts = [];
    Object.assign(globalThis, { alerts });
    new MutationObserver(() => {
      const said = [...document.querySelectorAll("[role=alert]")].map((alert) => alert.textContent ?? "").filter((text) => text !== "");
      for (const text of said) if (alerts.at(-1) !== text) alerts.push(text);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  for (const text of [one, two]) {
    faults.set({ held: /\/reply$/ });
    await desk.inbox.card(text).answer("Yes");
    await expect(desk.inbox.card(text).state).toHaveText(/^sending/i);
    await api.abort(/** @type {import("./api.js").Session} */ (sessions.shift()));
    faults.clear();
    await expect(desk.inbox.card(text).article).toContainText("is gone");
    await expect.poll(() => page.evaluate(() => /** @type {{ alerts: string[] }} */ (/** @type {unknown} */ (globalThis)).alerts.at(-1))).toContain(text);
  }
  const alerts = await page.evaluate(() => /** @type {{ alerts: string[] }} */ (/** @type {unknown} */ (globalThis)).alerts);
  for (const text of [one, two]) expect(alerts.filter((alert) => alert.includes(text))).toHaveLength(1);
});

test("new requests are announced with a gap after each", async ({ api, desk, page }) => {
  await page.clock.install();
  await desk.openInbox();
  await expect(desk.inbox.empty).toBeVisible();
  await page.evaluate(() => {
    /** @type {{ at: number, text: string }[]} */
    const announced = [];
    Object.assign(globalThis, { announced });
    const region = document.querySelector("[role=status][aria-live=polite]");
    if (!region) throw new Error("nothing announces");
    new MutationObserver(() => announced.push({ at: performance.now(), text: region.textContent ?? "" })).observe(region, { subtree: true, childList: true, characterData: true });
  });
  const announced = () => page.evaluate(() => /** @type {{ announced: { at: number, text: string }[] }} */ (/** @type {unknown} */ (globalThis)).announced);
  // From here on the clock of the page moves with these steps alone: work that takes long shortens no gap.
  await page.clock.pauseAt(Date.now() + PAUSED_WITHIN_MS);
  const questions = ["Is this the first?", "Is this the second?", "Is this the third?"];
  for (const text of questions) {
    await api.begin(script(ask(question(text, ["Yes", "No"]))));
    await expect(async () => {
      await page.clock.runFor(STEP_MS);
      expect(JSON.stringify(await announced())).toContain(text);
    }).toPass({ intervals: [50] });
  }
  const times = questions.map(async (text) => (await announced()).find((each) => each.text.includes(text))?.at ?? 0);
  const [first, second, third] = await Promise.all(times);
  expect(Math.min(second - first, third - second)).toBeGreaterThanOrEqual(GAP_MS);
});

test("a browser that keeps nothing, and data that is cleared, are told", async ({ api, desk, page, site, opencode }) => {
  const session = await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
  await page.addInitScript(() => {
    if (!location.search.includes("private")) return;
    IDBFactory.prototype.open = () => {
      throw new DOMException("not in private windows", "SecurityError");
    };
  });
  await page.goto(`${site.url}/?private=1&server=${opencode.url}#/inbox`);
  const bar = page.getByTestId("connection-bar");
  await expect(bar).toContainText("Drafts and answers are not kept on this device.");
  await expect(bar).toContainText("The browser does not let this page keep anything. Keep this tab open");

  await desk.openInbox();
  await expect(desk.inbox.card(COLOUR).article).toBeVisible();
  await expect(bar).toBeHidden();
  await page.evaluate(() => {
    indexedDB.deleteDatabase("switchboard");
  });
  const alert = page.getByRole("alert").filter({ hasText: "was cleared in this browser" });
  await expect(alert).toBeVisible();
  await alert.getByRole("button", { name: "Close" }).click();
  await desk.inbox.card(COLOUR).answer("Blue");
  await expectAnswered(desk, api, session, COLOUR, [["Blue"]]);
});

/** @param {import("@playwright/test").Locator} locator */
async function boxOf(locator) {
  const box = await locator.boundingBox();
  if (!box) throw new Error("it is not drawn");
  return box;
}
