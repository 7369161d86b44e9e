// @ts-check
/** What happens when nobody answers: the warning, the time-out, the countdown, and the policies. */
import { expect, test } from "./fixtures.js";
import { until } from "./api.js";
import { expectAnswered } from "./proof.js";
import { ask, question, run, script } from "./say.js";

const COLOUR = "Which colour should it be?";
const SHAPE = "Which shape should it have?";
const MINUTE = 60_000;

/** Asks for a colour. */
const colours = () => script(ask(question(COLOUR, ["Red", "Blue"])));

test.beforeEach(async ({ desk }) => {
  // The time of the page is the test's: nobody waits for minutes to pass.
  await desk.page.clock.install();
});

test("nothing happens by itself until a person chooses it", async ({ api, desk }) => {
  await api.begin(colours());
  await desk.openInbox();
  const card = desk.inbox.card(COLOUR);
  await card.open();
  await desk.page.clock.fastForward(300 * MINUTE);
  await expect(card.state).toHaveText("waiting");
  await expect(card.timeOut).toHaveCount(0);
  await desk.settings.open();
  await expect(desk.settings.questions.chosen).toHaveText("Never");
  await expect(desk.settings.permissions.chosen).toHaveText("Never");
});

test("a request is warned of, times out, and can still be answered", async ({ api, desk }) => {
  const session = await api.begin(colours());
  await desk.openInbox();
  await desk.settings.open();
  await desk.settings.questions.choose("After 15 min");
  await desk.settings.close();
  const card = desk.inbox.card(COLOUR);
  await card.open();
  await desk.page.clock.fastForward(8 * MINUTE);
  await expect(card.timeOut).toHaveCount(0);
  await desk.page.clock.fastForward(3 * MINUTE);
  await expect(card.timeOut).toHaveText(/^Waiting, [34]:\d\d left\. At \d\d:\d\d its time is up; it is left waiting\.$/);
  await expect(card.answerNow).toHaveCount(0);
  await expect(desk.announcements.filter({ hasText: "its time is up" })).toHaveCount(1);
  await desk.page.clock.fastForward(5 * MINUTE);
  await expect(card.timeOut).toHaveText(/^Time is up since \d\d:\d\d\. The question is left waiting; you can still answer\.$/);
  await card.answer("Red");
  await expectAnswered(desk, api, session, COLOUR, [["Red"]]);
});

test("a default answer is given after a countdown", async ({ api, desk }) => {
  const session = await api.begin(colours());
  await desk.openInbox();
  await desk.settings.open();
  await desk.settings.questions.choose("After 15 min", "Answer with an option", "Blue");
  await desk.settings.close();
  const card = desk.inbox.card(COLOUR);
  await card.open();
  await desk.page.clock.fastForward(15 * MINUTE);
  await expect(card.timeOut).toHaveText(/^Waiting, (1:00|0:5\d) left\. At \d\d:\d\d Switchboard sends your default, “Blue”\.Keep waitingAnswer now$/);
  await expect(desk.announcements.filter({ hasText: "sends your default, “Blue”" })).toHaveCount(1);
  await card.answerNow.click();
  await expect(card.option("Red")).toBeFocused();
  // The time of the page goes on meanwhile.
  await desk.page.clock.runFor(30_000);
  await expect(card.timeOut).toHaveText(/^Waiting, 0:[0-3]\d left/);
  expect(await api.questions()).toHaveLength(1);
  await desk.page.clock.runFor(35_000);
  // The row leaves some seconds after the answer has arrived.
  await expect(desk.inbox.main).toContainText("The time-out answered “Blue”");
  await expectAnswered(desk, api, session, COLOUR, [["Blue"]]);
});

test("a warned request is kept waiting before its time is up", async ({ api, desk }) => {
  await api.begin(colours());
  await desk.openInbox();
  await desk.settings.open();
  await desk.settings.questions.choose("After 15 min", "Dismiss the question");
  await desk.settings.close();
  const card = desk.inbox.card(COLOUR);
  await card.open();
  await desk.page.clock.fastForward(11 * MINUTE);
  await expect(card.timeOut).toContainText("Switchboard dismisses it.");
  await card.keepWaiting.click();
  await expect(card.timeOut).toContainText("it is left waiting.");
  await desk.page.clock.fastForward(10 * MINUTE);
  await expect(card.timeOut).toHaveText(/^Time is up since/);
  expect(await api.questions()).toHaveLength(1);
});

test("a countdown is stopped by the keyboard, for every tab and every visit", async ({ api, desk }) => {
  await api.begin(colours());
  await desk.openInbox();
  await desk.settings.open();
  await desk.settings.questions.choose("After 15 min", "Answer with an option", "Blue");
  await desk.settings.close();
  const other = await desk.openTab();
  await other.openInbox();
  const [card, there] = [desk.inbox.card(COLOUR), other.inbox.card(COLOUR)];
  await card.open();
  await there.open();
  await desk.page.clock.fastForward(15 * MINUTE);
  await expect(there.keepWaiting).toBeVisible();
  await card.keepWaiting.focus();
  await desk.page.keyboard.press("Enter");
  const timedOut = /^Time is up since .* you can still answer\.$/;
  await expect(card.timeOut).toHaveText(timedOut);
  await expect(there.timeOut).toHaveText(timedOut);
  await other.page.close();
  await desk.page.reload();
  await expect(card.timeOut).toHaveText(timedOut);
  await desk.page.clock.runFor(2 * MINUTE);
  expect(await api.questions()).toHaveLength(1);
});

test("a folded request shows its countdown, and stopping it does not open it", async ({ api, desk }) => {
  await api.begin(colours());
  await api.untilAsked(COLOUR);
  await api.begin(script(ask(question(SHAPE, ["Round", "Square"]))));
  await desk.openInbox();
  const folded = desk.inbox.card(SHAPE);
  await expect(folded.article).toBeVisible();
  await desk.settings.open();
  await desk.settings.questions.choose("After 15 min", "Answer with an option", "Square");
  await desk.settings.close();
  await desk.page.clock.fastForward(15 * MINUTE);
  await expect(desk.inbox.card(COLOUR).timeOut).toHaveText(/^Time is up since/);
  await expect(folded.timeOut).toContainText("sends your default, “Square”");
  await folded.keepWaiting.click();
  await expect(folded.timeOut).toHaveText(/^Time is up since/);
  await expect(folded.article).not.toHaveAttribute("data-open");
});

test("what is chosen for a session holds for it alone, also for its permissions", async ({ api, desk }) => {
  const one = await api.begin(colours());
  await api.untilAsked(COLOUR);
  await api.begin(script(ask(question(SHAPE, ["Round", "Square"]))));
  await desk.openSession(one);
  await expect(desk.session.policy.chosen).toHaveText("As for all");
  await desk.session.policy.choose("After 30 min", "Dismiss or reject");
  await expect(desk.session.card(COLOUR).article).toBeVisible();
  await desk.page.clock.fastForward(26 * MINUTE);
  await expect(desk.session.card(COLOUR).timeOut).toContainText(/^Waiting, [34]:\d\d left\. At \d\d:\d\d Switchboard dismisses it\./);
  // After a jump of the clock a policy that dismisses counts down, too.
  await desk.page.clock.fastForward(5 * MINUTE);
  await desk.page.clock.runFor(65_000);
  await until("the question is dismissed", async () => (await api.toolParts(one))[0].state.status === "error");
  expect((await api.questions()).map((request) => request.questions[0].question)).toEqual([SHAPE]);
  await desk.settings.open();
  await expect(desk.settings.sessions).toHaveText(/^Scripted session\s*After 30 min: dismiss or reject\s*As for all$/);
  await desk.settings.sessions.getByRole("button", { name: "As for all" }).click();
  await expect(desk.settings.sessions).toHaveCount(0);
  await expect(desk.settings.done).toContainText("The time-out dismissed it");
  await desk.settings.close();
  await expect(desk.session.policy.chosen).toHaveText("As for all");
});

test("the settings tell what is going to happen and what has happened, and undo what can be undone", async ({ api, desk }) => {
  const painting = await api.begin(colours(), { title: "Painting" });
  await api.untilAsked(COLOUR);
  await api.begin(script(ask(question(SHAPE, ["Blue", "Square"]))), { title: "Cutting" });
  await api.untilAsked(SHAPE);
  await api.begin(script(ask(question("How large?", ["Small"]))), { title: "Sizing" });
  await desk.openInbox();
  await expect(desk.inbox.cards).toHaveCount(3);
  const { settings } = desk;
  await settings.open();
  await expect(settings.next).toHaveCount(0);
  await settings.questions.choose("After 15 min", "Answer with an option", "Blue");
  const [first, second, third] = [0, 1, 2].map((place) => settings.next.nth(place));
  const sends = /At \d\d:\d\d Switchboard sends your default, “Blue”\.\s*Keep waiting$/;
  await expect(first).toHaveText(new RegExp(`^Painting ${COLOUR.replace("?", "\\?")}\\s*${sends.source}`));
  await expect(second).toHaveText(sends);
  await expect(third).toHaveText(/^Sizing How large\?\s*At \d\d:\d\d its time is up; it is left waiting\.$/);
  await second.getByRole("button", { name: "Keep waiting" }).click();
  await expect(second).toHaveText(/^Cutting .*its time is up; it is left waiting\.$/);
  await expect(settings.dialog.locator(":focus")).toHaveCount(1);
  await settings.close();
  await desk.page.clock.fastForward(15 * MINUTE);
  await desk.page.clock.runFor(70_000);
  await expectAnswered(desk, api, painting, COLOUR, [["Blue"]]);
  expect((await api.questions()).map((request) => request.questions[0].question)).toEqual([SHAPE, "How large?"]);
  await settings.open();
  await expect(settings.next).toHaveCount(2);
  await expect(settings.next.first()).toContainText("Time is up since");
  await expect(settings.done).toHaveText(/^Painting The time-out answered “Blue”\s*Today \d\d:\d\d\. The agent has it\. It cannot be taken back; you can correct it\./);
  await settings.dialog.getByRole("link", { name: "All that time-outs did" }).click();
  await expect(desk.activity.heading).toBeVisible();
  await expect(desk.activity.kind).toHaveValue("By time-out");
  await expect(desk.activity.row("The time-out answered “Blue”")).toHaveCount(1);
  await expect(desk.activity.row("Sizing")).toHaveCount(1);
  await settings.open();
  await settings.done.getByRole("button", { name: "Write a correction" }).click();
  await expect(settings.dialog).toBeHidden();
  await expect(desk.page).toHaveURL(new RegExp(`session/${painting.id}$`));
  await expect(desk.session.prompt).toHaveValue(`You asked: “${COLOUR}” The time-out answered “Blue”, not I. My answer: `);
  await api.call("DELETE", `/session/${painting.id}`);
  await desk.page.clock.runFor(70_000);
  await settings.open();
  await expect(settings.done).toContainText("a correction has nowhere to go");
  await expect(settings.done.getByRole("button")).toHaveCount(0);
});

test("each of several servers has its own choice, and shows what it does there", async ({ api, desk, faults }) => {
  await api.begin(colours());
  await desk.openInbox();
  await expect(desk.inbox.card(COLOUR).article).toBeVisible();
  await desk.servers.add(faults.url);
  await expect(desk.inbox.cards).toHaveCount(2);
  await desk.settings.open();
  const [here, there] = [desk.serverUrl, faults.url].map((url) => desk.settings.of(new URL(url).host));
  await there.questions.choose("After 1 h", "Dismiss the question");
  await expect(here.questions.chosen).toHaveText("Never");
  await expect(there.next).toHaveText(/At \d\d:\d\d Switchboard dismisses it\.\s*Keep waiting$/);
  await expect(here.next).toHaveCount(0);
  await there.next.getByRole("button", { name: "Keep waiting" }).click();
  await expect(there.next).toHaveText(/its time is up; it is left waiting\.$/);
  await desk.page.clock.fastForward(61 * MINUTE);
  await desk.page.clock.runFor(65_000);
  await expect(there.next).toContainText("Time is up since");
  expect(await api.questions()).toHaveLength(1);
});

test("a permission is rejected by its policy", async ({ api, desk }) => {
  const session = await api.createSession({ permission: [{ permission: "bash", pattern: "*", action: "ask" }] });
  await api.prompt(session, script(run("date")));
  await desk.openInbox();
  await desk.settings.open();
  await expect(desk.settings.permissions.then).toHaveCount(0);
  await desk.settings.permissions.choose("After 1 h", "Reject it");
  await desk.settings.close();
  await expect(desk.inbox.permission("date").article).toBeVisible();
  await desk.page.clock.fastForward(61 * MINUTE);
  await desk.page.clock.runFor(65_000);
  await until("the command is rejected", async () => (await api.toolParts(session, "bash"))[0].state.status === "error");
});
