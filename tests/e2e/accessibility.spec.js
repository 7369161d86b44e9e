// @ts-check
/** What a machine can find of barriers, in each state of the page, on a desk and on a phone. */
import { AxeBuilder } from "@axe-core/playwright";
import { startFaultProxy } from "./fault-proxy.mjs";
import { expect, test } from "./fixtures.js";
import { ask, question, run, script, write } from "./say.js";

const COLOUR = "Which colour is accessible?";
const SIZES = "Which sizes are accessible?";
const SEVERAL = "How large is it?";
const ASKS = [
  { permission: "bash", pattern: "*", action: "ask" },
  { permission: "edit", pattern: "*", action: "ask" },
];
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1400, height: 900 };

test.use({ colorScheme: "light" });

/**
 * Collects what axe calls serious or critical, and states in which the frame around the panes scrolls.
 *
 * @param {import("@playwright/test").Page} page
 */
function examiner(page) {
  /** @type {string[]} */
  const found = [];
  /** @param {string} state How the state is named in `found`. */
  const examine = async (state) => {
    const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ rules: { "label-content-name-mismatch": { enabled: true }, "target-size": { enabled: true } } });
    const { violations } = await axe.analyze();
    for (const { id, impact, nodes } of violations) {
      if (impact === "serious" || impact === "critical") for (const { html, any } of nodes) found.push(`${state}: ${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ""}`);
    }
    const scrolled = await page.evaluate(() => {
      scrollTo(0, document.documentElement.scrollHeight);
      return scrollY;
    });
    if (scrolled > 0 && (await page.getByRole("navigation").count())) found.push(`${state}: the frame of the page scrolls out of view, by ${scrolled} px`);
  };
  return { examine, found };
}

test("no state of the page has a serious barrier", async ({ api, desk, directory, page, site, opencode }) => {
  test.setTimeout(300_000);
  const single = await api.begin(script({ text: "**Why**: because `it` is so.", tools: [ask(question(COLOUR, ["Red", "Blue"]))] }), { title: "Painting the fence" });
  const several = await api.begin(
    script(ask(question(SEVERAL, ["Small", "Large"], { header: "Size" }), question(SIZES, ["1", "2", "3"], { header: "Sizes", multiple: true }))),
    { title: "A session whose title is far longer than any side bar has room for, whatever its width" },
  );
  const bash = await api.begin(script(run("echo 'it is run'")), { title: "Runs a command", permission: ASKS });
  const edit = await api.begin(script(write(`${directory}/notes.md`, "one\ntwo\nthree\n")), { title: "Writes a file", permission: ASKS });
  const done = await api.begin(script({ text: "# Done\n\n- **one**\n- `two`\n\n```\nlet it = be;\n```" }), { title: "It is done" });
  await api.untilIdle(done);
  await api.untilAsked(COLOUR);
  await api.untilAsked(SEVERAL);
  await expect.poll(async () => (await api.permissions()).length).toBe(2);

  const { examine, found } = examiner(page);
  /** @param {string} hash */
  const visit = async (hash) => {
    await page.goto(`${site.url}/?server=${opencode.url}${hash}`);
    await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
  };

  await page.setViewportSize(DESK);
  await visit("#/inbox");
  await expect(desk.inbox.cards).toHaveCount(4);
  await examine("inbox");
  await page.getByRole("button", { name: "Settings" }).first().click();
  await desk.settings.questions.choose("After 4 h", "Dismiss the question");
  await expect(desk.settings.next.first()).toBeVisible();
  await examine("settings");
  await page.keyboard.press("Escape");
  await desk.openPalette();
  await page.keyboard.type("nothing like it");
  await expect(page.getByText("No results")).toBeVisible();
  await examine("palette without results");
  await page.getByRole("combobox", { name: "Search sessions and commands" }).fill("");
  await page.keyboard.press("ArrowUp");
  await expect(page.getByRole("dialog").getByRole("option", { selected: true })).toBeInViewport();
  await examine("palette");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard" })).toBeVisible();
  await examine("keyboard help");
  await page.keyboard.press("Escape");
  for (const [hash, state] of [
    ["#/sessions", "sessions"],
    ["#/servers", "server"],
    ["#/new", "new session"],
    ["#/nonsense", "unknown address"],
    ["#/session/ses_of_nobody", "unknown session"],
  ]) {
    await visit(hash);
    await examine(state);
  }
  await visit("#/activity");
  await expect(desk.activity.row(COLOUR)).toBeVisible();
  await examine("activity");
  await desk.activity.text.fill("nothing like it");
  await expect(desk.activity.showAll).toBeVisible();
  await examine("activity, filtered to nothing");
  await desk.openSession(single);
  await desk.session.card(COLOUR).open();
  await examine("session with a question");
  await page.getByRole("button", { name: /^Stop/ }).click();
  await examine("stop confirmation");
  await desk.openSession(several);
  await desk.session.card(SEVERAL).open();
  await examine("session with several questions");
  await desk.session.card(SEVERAL).dismiss.click();
  await examine("dismiss confirmation");
  await desk.openSession(bash);
  await desk.session.permission("it is run").open();
  await examine("session with a command");
  await desk.session.permission("it is run").reject.click();
  await examine("reject form");
  await page.keyboard.press("Escape");
  await desk.session.permission("it is run").alwaysAllow.click();
  await examine("always confirmation");
  await desk.openSession(edit);
  await desk.session.permission("notes.md").open();
  await examine("session with an edit");
  await desk.openSession(done);
  await expect(desk.session.timeline).toContainText("let it = be;");
  await examine("session that is done");
  await page.keyboard.press("Control+f");
  await page.keyboard.type("done");
  await expect(desk.session.find.count).toHaveText("1 of 2");
  await examine("search in a session");
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 800, height: 900 });
  await examine("session, rail");
  await visit("#/inbox");
  await expect(desk.inbox.cards).toHaveCount(4);
  await examine("inbox, rail");

  await page.setViewportSize(PHONE);
  for (const [hash, state] of [
    ["#/inbox", "phone: inbox"],
    ["#/sessions", "phone: sessions"],
    ["#/servers", "phone: server"],
    ["#/new", "phone: new session"],
    [`#/session/${done.id}`, "phone: session"],
    [`#/session/${several.id}`, "phone: session with several questions"],
  ]) {
    await visit(hash);
    await expect(page.getByTestId("truth").or(page.getByRole("navigation"))).not.toHaveCount(0);
    await examine(state);
  }
  await visit("#/activity");
  await expect(desk.activity.row(COLOUR)).toBeVisible();
  await examine("phone: activity");
  const [request] = (await api.questions()).filter(({ questions }) => questions[0].question === COLOUR);
  await visit(`#/inbox/${request.id}`);
  await expect(page.getByRole("article")).toBeVisible();
  await examine("phone: question");
  const [permission] = (await api.permissions()).filter(({ sessionID }) => sessionID === edit.id);
  await visit(`#/inbox/${permission.id}`);
  await expect(page.getByRole("article")).toBeVisible();
  await examine("phone: edit");

  await page.setViewportSize(DESK);
  await page.emulateMedia({ colorScheme: "dark" });
  await visit("#/inbox");
  await expect(desk.inbox.cards).toHaveCount(4);
  await examine("dark: inbox");
  await desk.openSession(single);
  await desk.session.card(COLOUR).open();
  await examine("dark: session with a question");
  expect(found).toEqual([]);
});

test("no state of several servers has a serious barrier", async ({ api, desk, page, second }) => {
  test.setTimeout(300_000);
  await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))), { title: "Painting the fence" });
  await second.api.begin(script({ text: "Done." }), { title: "There" });
  const offline = await Promise.all(Array.from({ length: 3 }, () => startFaultProxy({ target: second.url })));
  for (const proxy of offline) proxy.set({ offline: true });
  try {
    await desk.openInbox();
    await desk.servers.open();
    const servers = [second.url, ...offline.map(({ url }) => url)].map((address, number) => ({ address, name: `build-${number}` }));
    await desk.servers.import(JSON.stringify({ switchboard: "servers", version: 1, servers }));
    await expect(desk.servers.imported).toBeVisible();
    const { examine, found } = examiner(page);
    await expect(page.getByText("And 1 server more in trouble.")).toBeVisible();
    for (const [viewport, colorScheme] of /** @type {const} */ ([[DESK, "light"], [PHONE, "light"], [DESK, "dark"]])) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      const state = (/** @type {string} */ name) => `${viewport.width} ${colorScheme}: ${name}`;
      await page.evaluate(() => (location.hash = "#/inbox"));
      await expect(desk.inbox.cards).toHaveCount(1);
      await examine(state("inbox of several servers, some in trouble"));
      await desk.narrow.to("build-0");
      await expect(desk.narrow.elsewhere).toBeVisible();
      await examine(state("inbox, narrowed to nothing"));
      await page.evaluate(() => (location.hash = "#/sessions"));
      await desk.narrow.to("build-0");
      await expect(page.getByRole("main").getByTestId("session-row")).toHaveCount(1);
      await examine(state("sessions of one server"));
      await desk.narrow.to("build-1");
      await expect(desk.narrow.showAll).toBeVisible();
      await examine(state("sessions, narrowed to nothing"));
      await page.evaluate(() => (location.hash = "#/activity"));
      await expect(desk.activity.row(COLOUR)).toBeVisible();
      await examine(state("activity of several servers"));
      await desk.servers.open();
      await desk.servers.import("<html>");
      await expect(desk.servers.refused).toBeVisible();
      await examine(state("servers, a file refused"));
    }
    expect(found).toEqual([]);
  } finally {
    await Promise.all(offline.map((proxy) => proxy.close()));
  }
});

for (const [name, fault] of /** @type {[string, Partial<import("./fault-proxy.mjs").Faults>][]} */ ([
  ["nothing has been read yet", { held: /./ }],
  ["the server cannot be reached", { offline: true }],
])) {
  test(`no page has a serious barrier while ${name}`, async ({ faults, page, site }) => {
    faults.set(fault);
    const { examine, found } = examiner(page);
    for (const viewport of [DESK, PHONE]) {
      await page.setViewportSize(viewport);
      for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
        await page.emulateMedia({ colorScheme });
        for (const hash of ["#/inbox", "#/sessions", "#/servers", "#/new", "#/session/ses_of_nobody", "#/inbox/que_of_nobody"]) {
          await page.goto(`${site.url}/?server=${faults.url}${hash}`);
          await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
          await examine(`${viewport.width} ${colorScheme} ${hash}`);
        }
      }
    }
    expect(found).toEqual([]);
  });
}
