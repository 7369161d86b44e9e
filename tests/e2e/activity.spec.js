// @ts-check
/** What happened is listed: with a person and without one, in every tab once, and still there after a reload. */
import { expect, test } from "./fixtures.js";
import { expectAnswered } from "./proof.js";
import { ask, question, script } from "./say.js";

const COLOUR = "Which colour is recorded?";
const SHAPE = "Which shape is recorded?";
const MINUTE = 60_000;

const colours = () => script(ask(question(COLOUR, ["Red", "Blue"])));
const shapes = () => script(ask(question(SHAPE, ["Round", "Square"])));

test("what was asked and who answered is listed, also after a reload", async ({ api, desk }) => {
  const painting = await api.begin(colours(), { title: "Painting" });
  await desk.openInbox();
  await desk.inbox.card(COLOUR).answer("Blue");
  await expectAnswered(desk, api, painting, COLOUR, [["Blue"]]);
  await api.begin(shapes(), { title: "Cutting" });
  await expect(desk.inbox.card(SHAPE).article).toBeVisible();
  await api.reply((await api.untilAsked(SHAPE)).id, [["Round"]]);
  await desk.page.getByRole("link", { name: "All activity" }).click();
  const { activity } = desk;
  const expectAll = async () => {
    for (const [text, shown] of /** @type {const} */ ([
      [`Asked: ${COLOUR}`, /^Painting.*seen after \d+(\.\d)? s\d\d:\d\d$/],
      ["You answered “Blue”", /^Painting.*confirmed after \d+(\.\d)? s\d\d:\d\d$/],
      [`Asked: ${SHAPE}`, /^Cutting/],
      ["Answered elsewhere: “Round”", /^Cutting.*\d\d:\d\d$/],
    ])) {
      await expect(activity.row(text)).toHaveCount(1);
      await expect(activity.row(text)).toHaveText(shown);
    }
  };
  await expectAll();
  await desk.page.reload();
  await expectAll();
  await activity.row("You answered “Blue”").getByRole("link", { name: "Painting" }).click();
  await expect(desk.session.timeline).toContainText("Blue");
});

test("what two tabs see is listed once", async ({ api, desk }) => {
  const session = await api.begin(colours());
  await desk.openInbox();
  const other = await desk.openTab();
  await other.openInbox();
  await expect(other.inbox.card(COLOUR).article).toBeVisible();
  await desk.inbox.card(COLOUR).answer("Red");
  await expectAnswered(desk, api, session, COLOUR, [["Red"]]);
  for (const { activity, page } of [desk, other]) {
    await page.bringToFront();
    await activity.open();
    await expect(activity.row(COLOUR)).toHaveCount(1);
    await expect(activity.row("“Red”")).toHaveCount(1);
    await expect(activity.row("“Red”")).toContainText("You answered");
    await page.reload();
    await expect(activity.row("“Red”")).toContainText("You answered");
    await expect(activity.rows.filter({ hasText: /Asked|answered/ })).toHaveCount(2);
  }
});

test("what a policy did is told from what a person did", async ({ api, desk }) => {
  await desk.page.clock.install();
  const session = await api.begin(colours());
  await desk.openInbox();
  await desk.settings.open();
  await desk.settings.questions.choose("After 15 min", "Answer with an option", "Blue");
  await desk.settings.close();
  await desk.inbox.card(COLOUR).open();
  await desk.page.clock.fastForward(15 * MINUTE);
  await desk.page.clock.runFor(70_000);
  await expectAnswered(desk, api, session, COLOUR, [["Blue"]]);
  const { activity } = desk;
  await activity.open();
  await activity.kind.selectOption("By time-out");
  await expect(activity.row("The time-out answered “Blue”")).toHaveCount(1);
  await expect(activity.row("Time is up, and nobody has answered")).toHaveCount(1);
  await expect(activity.rows).toHaveCount(2);
  await activity.kind.selectOption("Answered");
  await expect(activity.rows).toHaveCount(0);
});

test("filters leave what is looked for, and say when that is nothing", async ({ api, desk }) => {
  const session = await api.begin(colours(), { title: "Painting" });
  await desk.openInbox();
  await desk.inbox.card(COLOUR).answer("Blue");
  await expectAnswered(desk, api, session, COLOUR, [["Blue"]]);
  await api.untilIdle(session);
  const { activity } = desk;
  await activity.open();
  await expect(activity.row("Finished")).toHaveCount(1);
  // On a slow machine a lost connection may be one more.
  const happened = activity.rows.filter({ hasNotText: "Connection lost" });
  await expect(happened).toHaveCount(3);
  await expect(activity.count).toHaveText(/^[3-9] entries$/);
  await activity.text.fill("bLUE");
  await expect(activity.rows).toHaveCount(1);
  await expect(activity.count).toHaveText(/^1 of [3-9] entries$/);
  await activity.kind.selectOption("Asked");
  await expect(activity.rows).toHaveCount(0);
  await expect(desk.page.getByText("Nothing of it is left by this filter.")).toBeVisible();
  await activity.showAll.click();
  await expect(happened).toHaveCount(3);
  await expect(activity.text).toHaveValue("");
});

test("what is left can be downloaded, and what agents wrote stays a text", async ({ api, desk }) => {
  const hostile = '<img src=x onerror="document.title=1">, "really"?';
  const session = await api.begin(script(ask(question(hostile, ["Red"]))), { title: "=1+1" });
  await desk.openInbox();
  await desk.inbox.card(hostile).answer("Red");
  await expectAnswered(desk, api, session, hostile, [["Red"]]);
  const { activity } = desk;
  await activity.open();
  await expect(activity.row(hostile)).toHaveCount(1);
  await activity.kind.selectOption("Answered");
  await expect(activity.rows).toHaveCount(1);

  const json = await activity.download(activity.json);
  expect(json.name).toBe("switchboard-activity.json");
  const { activity: listed } = JSON.parse(json.text);
  expect(listed).toEqual([expect.objectContaining({ server: desk.serverUrl, kind: "answered", by: "here", session: session.id, text: "You answered “Red”" })]);
  expect(listed[0].at).toBeGreaterThanOrEqual(listed[0].sent);

  await activity.kind.selectOption("Everything");
  const csv = await activity.download(activity.csv);
  expect(csv.name).toBe("switchboard-activity.csv");
  const [names, ...lines] = csv.text.split("\r\n");
  expect(names).toBe('"at","kind","by","server","directory","session","title","request","text","seen","sent","until"');
  const asked = lines.find((line) => line.includes('"asked"'));
  expect(asked).toContain('"\'=1+1"');
  expect(asked).toContain('"Asked: <img src=x onerror=""document.title=1"">, ""really""?"');
  expect(asked).toMatch(/^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/);
});

/** R17 */
test("figures are summed up, drawn and exported", async ({ api, desk }) => {
  const session = await api.begin(colours());
  await desk.openInbox();
  await desk.inbox.card(COLOUR).answer("Blue");
  await expectAnswered(desk, api, session, COLOUR, [["Blue"]]);
  await desk.settings.open();
  await desk.settings.activity.click();
  const { activity } = desk;
  await expect(activity.heading).toBeVisible();
  await expect(desk.settings.dialog).toBeHidden();
  await expect(activity.figures.getByRole("row", { name: /^Answered to confirmed/ })).toHaveText(/\d s.*\d s.*1$/);
  await expect(activity.chart).toHaveCount(3);
  const { name, text } = await activity.download(activity.exportFigures);
  expect(name).toBe("switchboard-figures.json");
  const exported = JSON.parse(text);
  expect(exported.summary.answered_to_confirmed.count).toBe(1);
  expect(exported.requests).toContainEqual(expect.objectContaining({ session: session.id, by: "here" }));
});

test.describe("with a server that restarts", () => {
  test.use({ fresh: true });

  test("a lost connection is listed once over all tabs, and what the server forgot", async ({ api, desk, opencode }) => {
    const { activity } = desk;
    await desk.openInbox();
    await expect(desk.inbox.empty).toBeVisible();
    await activity.open();
    await expect(desk.page.getByText(/^Nothing has happened yet/)).toBeVisible();
    const other = await desk.openTab();
    await other.openInbox();
    await api.begin(colours());
    await expect(other.inbox.card(COLOUR).article).toBeVisible();
    await expect(activity.row(COLOUR)).toHaveCount(1);
    const killed = Date.now();
    await opencode.kill();
    await expect(activity.row(/Connection lost: the server .*not back yet/)).toHaveCount(1);
    const back = Date.now();
    await opencode.restart();
    await expect(activity.row(/Connection lost: the server .*back after \d+(\.\d)? s/).first()).toBeVisible();
    await expect(activity.row(/The question is gone\. The server restarted at \d\d:\d\d and forgot it/)).toHaveCount(1);
    await expect(other.inbox.card(COLOUR).state).toHaveText(/the question is gone/i);
    await other.activity.open();
    for (const tab of [other, desk]) {
      await tab.page.bringToFront();
      await tab.page.reload();
      await tab.activity.kind.selectOption("Connection");
      await expect(tab.activity.row("back after").first()).toBeVisible();
      const { activity: outages } = JSON.parse((await tab.activity.download(tab.activity.json)).text);
      // One that both tabs have met is one entry. On a slow machine another one may follow it.
      expect(outages.filter(({ at, until }) => at < back && (until ?? Infinity) > killed)).toHaveLength(1);
      const [newest, ...before] = outages.sort((one, other) => other.at - one.at);
      expect(before.every(({ until }) => until <= newest.at)).toBe(true);
    }
  });
});
