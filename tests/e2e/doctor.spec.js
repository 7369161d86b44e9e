// @ts-check
/** Why a session does not go on, in one sentence, and the repair beside it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./api.js";
import { expect, test } from "./fixtures.js";
import { conversationsWith, expectAnswered } from "./proof.js";
import { ask, delegate, question, run, script } from "./say.js";

const COLOUR = "Which colour is it down there?";
const ASK = ask(question(COLOUR, ["Red", "Blue"]));
const MINUTE = 60_000;
const ALLOWED = [{ permission: "bash", pattern: "*", action: "allow" }];
/** A run that is to be killed in the middle: it takes a minute. */
const LONG = { text: "One word after the other. ".repeat(100), chunkDelay: 500 };

/** @param {string} directory @param {unknown} settings */
const configure = (directory, settings) => writeFileSync(join(directory, "opencode.json"), JSON.stringify(settings));

/**
 * The page has read that the session and all above it wait: what it reads from then on is no sign of life.
 *
 * @param {import("./pages/desk.js").Desk} desk
 * @param {number} count
 */
async function expectAllWaiting(desk, count) {
  await expect(desk.session.state).toHaveText("waiting for you");
  await expect(desk.page.getByTestId("sidebar").locator('[data-testid=session-row][data-state=waiting]')).toHaveCount(count);
  await expect(desk.session.timeline.locator("[data-tool=task]")).toContainText("waits for you");
}

test.describe("in a directory of its own", () => {
  test.use({ cold: true });

  test("a question two levels down is answered where the parent is stuck", async ({ api, desk, directory, page }) => {
    // By itself a sub-agent starts no further ones.
    configure(directory, { subagent_depth: 2, agent: { general: { permission: { question: "allow", task: "allow" } } } });
    await page.clock.install();
    const parent = await api.begin(script(delegate("migrate", script(delegate("currency table", script(ASK))))), { title: "Backfill invoices" });
    const request = await api.untilAsked(COLOUR);
    await desk.openSession(parent);
    const { doctor } = desk.session;
    await expect(desk.session.card(COLOUR).article).toBeVisible();
    await expectAllWaiting(desk, 3);
    await expect(doctor.notice).toHaveCount(0);
    await page.clock.fastForward(6 * MINUTE);
    await expect(doctor.finding).toHaveText("Stuck: a question of a sub-agent waits, two levels down.");
    await expect(doctor.chain).toHaveText([/^Backfill invoices\s*waits for its sub-agent/, /^migrate\s*waits for its sub-agent/, /^currency table\s*asks: “Which colour is it down there\?”\s*\d+ (s|min)$/]);
    await expect(desk.session.checked).toContainText(/Server\s*live.*Session\s*stuck.*Last message\s*not complete, task runs\s*Sub-agents\s*1 of 2 waits for you/s);
    await expect(desk.session.panel).toContainText(`Asked: ${COLOUR}`);
    await desk.session.card(COLOUR).answer("Blue");
    await expectAnswered(desk, api, { id: request.sessionID }, COLOUR, [["Blue"]]);
    await expect(doctor.notice).toHaveCount(0);
    await expect(desk.session.checked).toHaveCount(0);
  });
});

test("a sub-agent that asks is stopped, and its parent goes on", async ({ api, desk, page }) => {
  await page.clock.install();
  const parent = await api.begin(script(delegate("currency table", script(ASK)), { text: "Then without it." }));
  await api.untilAsked(COLOUR);
  await desk.openSession(parent);
  await expect(desk.session.card(COLOUR).article).toBeVisible();
  await expectAllWaiting(desk, 2);
  await page.clock.fastForward(6 * MINUTE);
  const { doctor } = desk.session;
  await expect(doctor.finding).toHaveText("Stuck: a question of a sub-agent waits.");
  await doctor.repair("Stop it…").click();
  await doctor.repair("Stop the sub-agent").click();
  await expect(desk.session.timeline).toContainText("Then without it.");
  await expect(doctor.notice).toHaveCount(0);
});

test("a run without a text is asked for a summary", async ({ api, desk, model }) => {
  const session = await api.begin(script(run("true"), { reasoning: "There is nothing to say." }), { permission: ALLOWED });
  await api.untilIdle(session);
  await desk.openSession(session);
  const { doctor } = desk.session;
  await expect(doctor.finding).toHaveText("Ended without text.");
  await doctor.repair("Ask for a summary").click();
  await until("the model is asked", async () => conversationsWith(model, "Sum up what you did").at(-1));
  await expect(desk.session.state).toHaveAttribute("data-state", "done");
  await expect(doctor.notice).toHaveCount(0);
});

test("a run that shows no sign shows its tool, and is stopped", async ({ api, desk, page }) => {
  await page.clock.install();
  const session = await api.beginNow(script(run("sleep 600")), { permission: ALLOWED });
  await until("the command runs", async () => (await api.toolParts(session, "bash"))[0]?.state.status === "running");
  await desk.openSession(session);
  await expect(desk.session.timeline.locator('[data-tool="bash"][data-status="running"]')).toBeVisible();
  await expect(desk.session.state).toHaveText(/last sign \d+ s ago/);
  await page.clock.fastForward(6 * MINUTE);
  const { doctor } = desk.session;
  await expect(doctor.finding).toHaveText(/^Silent: working, but no sign for [5-9] min\.$/);
  await doctor.repair("Show it").click();
  await expect(desk.session.timeline.locator('[data-tool="bash"] > button')).toBeFocused();
  await doctor.repair("Stop…").click();
  await doctor.repair("Stop the run").click();
  await until("it has stopped", async () => !(await api.status())[session.id]);
  await expect(desk.session.state).toHaveAttribute("data-state", "aborted");
});

test.describe("in a directory of its own", () => {
  test.use({ cold: true });

  test("a provider that refuses is waited for, or left for another model", async ({ api, desk, directory }) => {
    configure(directory, { provider: { stub: { models: { second: { name: "Second" } } } } });
    const refusing = { status: 429, model: "scripted", headers: { "retry-after": "600" }, text: "Said by the second." };
    const session = await api.begin(script(refusing));
    await desk.openSession(session);
    const { choice, doctor } = desk.session;
    await expect(doctor.finding).toHaveText(/^Retrying since \d\d:\d\d: .+\. Next try (\d\d:\d\d|in \d+ s)\.$/);
    await expect(doctor.repairs).toContainText("The server tries again by itself.");
    await doctor.repair("Change the model…").click();
    await doctor.repair("Stop the run and choose").click();
    await expect(desk.session.prompt).toBeFocused();
    await expect(desk.session.prompt).toHaveValue("continue");
    await expect(doctor.notice).toHaveCount(0);
    await choice.choose("Default (build)", "Second");
    await desk.session.sendPrompt.click();
    await expect(desk.session.timeline).toContainText("Said by the second.");
  });
});

test("a prompt that was never picked up is started, and not said again", async ({ api, desk, page }) => {
  await page.clock.install();
  const session = await api.begin(script(ASK));
  await api.untilAsked(COLOUR);
  await api.prompt(session, script({ text: "Picked up after all." }));
  await until("it is stored", async () => (await api.messages(session)).length === 3);
  await api.abort(session);
  await desk.openSession(session);
  const { doctor } = desk.session;
  await expect(async () => {
    await page.clock.fastForward(5_000);
    await expect(doctor.finding).toHaveText("Not started: the prompt was never picked up.", { timeout: 2_000 });
  }).toPass({ timeout: 30_000 });
  await doctor.repair("Start it").click();
  await expect(desk.session.timeline).toContainText("Picked up after all.");
  await expect(desk.session.state).toHaveAttribute("data-state", "done");
  const said = (await api.messages(session)).filter(({ info, parts }) => info.role === "user" && JSON.stringify(parts).includes("Picked up"));
  expect(said).toHaveLength(1);
});

test("a message that is not on the server is sent again", async ({ api, desk, page }) => {
  const session = await api.createSession();
  await page.route("**/prompt_async*", (route) => route.continue({ postData: "{}" }));
  await desk.openSession(session);
  await desk.session.prompt.fill(script({ text: "Here I am." }));
  await desk.session.sendPrompt.click();
  const sending = desk.session.timeline.getByTestId("sending-prompt");
  await expect(sending).toContainText("not sent: The server does not accept it");
  expect(await api.messages(session)).toEqual([]);
  await page.unroute("**/prompt_async*");
  await sending.getByRole("button", { name: "Send it again" }).click();
  await expect(desk.session.said).toContainText("Here I am.");
  await expect(sending).toHaveCount(0);
});

test("a ghost is cleared, and no agent hears of it", async ({ api, desk, context, model }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const session = await api.begin(script(ASK));
  const { id } = await api.untilAsked(COLOUR);
  await api.abort(session);
  await desk.openSession(session);
  const { doctor } = desk.session;
  await expect(doctor.finding).toHaveText("The server still lists a question that nobody asks any more.");
  await doctor.copy.click();
  const copied = () => desk.page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toMatch(/^Switchboard \d[^]*, OpenCode \d[^]*Finding: The server still lists[^]*Last sign: [^]*Server: live, read \d\d:\d\d:\d\d/);
  expect(await copied()).toContain(session.id);
  expect(await copied()).toContain(id);
  expect(await copied()).not.toContain(COLOUR);
  const asked = conversationsWith(model, COLOUR).length;
  expect(await api.questions()).toHaveLength(1);
  await doctor.repair("Clear it").click();
  await expect(doctor.notice).toHaveCount(0);
  expect(await api.questions()).toEqual([]);
  expect(conversationsWith(model, COLOUR)).toHaveLength(asked);
});

test.describe("with a server that dies", () => {
  test.use({ fresh: true });

  test("an interrupted run is told to go on", async ({ api, desk, model, opencode }) => {
    const session = await api.begin(script(LONG));
    await desk.openSession(session);
    await expect(desk.session.timeline).toContainText("One word");
    await opencode.kill();
    await opencode.restart();
    const { doctor } = desk.session;
    await expect(doctor.finding).toHaveText("Interrupted: the server went away in the middle of the run.");
    await doctor.repair("Send “continue”").click();
    await until("the model goes on", async () => conversationsWith(model, "continue").at(-1));
    await expect(doctor.notice).toHaveCount(0);
  });

  test("a question that the server forgot is answered by a message", async ({ api, desk, model, opencode }) => {
    const session = await api.begin(script(ASK));
    await desk.openSession(session);
    const card = desk.session.card(COLOUR);
    await expect(card.article).toBeVisible();
    await opencode.kill();
    await opencode.restart();
    const { doctor } = desk.session;
    await expect(doctor.finding).toHaveText("The server forgot this question when it restarted.");
    await card.option("Blue").check();
    await card.rescue.click();
    await until("the message reaches the model", async () => conversationsWith(model, "My answer").at(-1));
    await expect(doctor.notice).toHaveCount(0);
  });
});
