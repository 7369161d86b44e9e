// @ts-check
/** Each kind of question: asked, shown, answered, proven. */
import { expect, test } from "./fixtures.js";
import { until } from "./api.js";
import { expectAnswered, firstSaid, receivedFor } from "./proof.js";
import { ask, delegate, question, script } from "./say.js";

const COLOUR = "Which colour should it be?";
const TOPPINGS = "Which toppings should it have?";

test("a single choice is sent by Send, not by choosing", async ({ api, desk, model }) => {
  await desk.openInbox();
  const session = await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
  const card = desk.inbox.card(COLOUR);
  await card.open();
  await card.option("Red").check();
  await card.option("Blue").check();
  expect((await api.untilAsked(COLOUR)).sessionID).toBe(session.id);
  await card.send.click();
  await expectAnswered(desk, api, session, COLOUR, [["Blue"]]);
  await api.untilIdle(session);
  expect(receivedFor(model, COLOUR)).toEqual([expect.stringContaining(`"${COLOUR}"="Blue"`)]);
  await expect(card.article).toBeHidden();
});

test("several choices go out together", async ({ api, desk }) => {
  const session = await api.begin(script(ask(question(TOPPINGS, ["Cheese", "Olives", "Ham"], { multiple: true }))));
  await desk.openInbox();
  const card = desk.inbox.card(TOPPINGS);
  await card.open();
  await expect(card.send).toBeDisabled();
  await card.answer("Cheese", "Olives");
  await expectAnswered(desk, api, session, TOPPINGS, [["Cheese", "Olives"]]);
});

test("an answer of one's own arrives as it was written", async ({ api, desk }) => {
  const session = await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
  const answer = 'A "quoted" teal,\nwith <b>ünïcode</b> 🎨';
  await desk.openInbox();
  await desk.inbox.card(COLOUR).write(answer);
  await expectAnswered(desk, api, session, COLOUR, [[answer]]);
});

test("where no other answer is allowed there is no field for one", async ({ api, desk }) => {
  // OpenCode leaves `custom` out of what a model asks; only its own question at the end of a plan has it.
  const session = await api.createSession();
  await api.prompt(session, script({ name: "plan_exit", input: {} }), { agent: "plan" });
  await desk.openInbox();
  const card = desk.inbox.card(/switch to the build agent/);
  await card.open();
  await expect(card.ownAnswer).toHaveCount(0);
  await card.answer("Yes");
  await until("the plan is approved", async () => (await api.toolParts(session, "plan_exit"))[0]?.state.status === "completed");
  await until("the page says so", () => firstSaid(desk, "switch to the build agent", /^answered$/i));
});

test("three questions in one request are sent together", async ({ api, desk }) => {
  const first = question("Where does it go?", ["Stable", "Beta"], { header: "Channel" });
  const second = question("What does it run on?", ["Linux", "macOS", "Windows"], { header: "Platforms", multiple: true });
  const third = question("Is the old one removed?", ["Keep it", "Remove it"], { header: "Cleanup" });
  const session = await api.begin(script(ask(first, second, third)));
  await desk.openInbox();
  const card = desk.inbox.card(/Where does it go\?|What does it run on\?|Is the old one removed\?/);
  await card.open();
  await card.option("Beta").check();
  await card.next.click();
  await card.option("Linux").check();
  await card.option("Windows").check();
  await card.tab(/Cleanup/).click();
  await expect(card.send.and(desk.page.locator(":enabled"))).toHaveCount(0);
  await card.option("Keep it").check();
  await card.tab(/Channel/).click();
  await expect(card.option("Beta")).toBeChecked();
  await card.send.click();
  const proof = await api.untilAnswered(session, first.question);
  expect(proof.answers).toEqual([["Beta"], ["Linux", "Windows"], ["Keep it"]]);
});

test("dismissing asks once and ends the run", async ({ api, desk }) => {
  const session = await api.begin(script(ask(question(COLOUR, ["Red", "Blue"])), { text: "never said" }));
  await desk.openInbox();
  const card = desk.inbox.card(COLOUR);
  await card.open();
  await card.dismiss.click();
  expect(await api.questions()).toHaveLength(1);
  await card.article.getByRole("button", { name: "Dismiss", exact: true }).click();
  await expect(async () => expect((await api.toolParts(session))[0].state.error).toContain("dismissed")).toPass();
  await expect(card.article.filter({ hasText: /waiting/ })).toBeHidden();
  expect(await api.questions()).toEqual([]);
});

test("a question after a question appears by itself", async ({ api, desk }) => {
  const session = await api.begin(script(ask(question("First things first?", ["Yes", "No"])), ask(question("And second?", ["Yes", "No"])), ask(question("And third?", ["Yes", "No"]))));
  await desk.openSession(session);
  for (const [text, label] of [["First things first?", "Yes"], ["And second?", "No"], ["And third?", "Yes"]]) {
    await desk.session.card(text).answer(label);
    await expectAnswered(desk, api, session, text, [[label]]);
  }
  await api.untilIdle(session);
});

test("two questions at once are answered in any order", async ({ api, desk }) => {
  const one = ask(question("Should one go on?", ["Yes", "No"]));
  const two = ask(question("Should two go on?", ["Yes", "No"]));
  const session = await api.begin(script({ text: "Two things.", tools: [one, two] }));
  await desk.openInbox();
  await desk.inbox.card("Should two go on?").answer("No");
  await expectAnswered(desk, api, session, "Should two go on?", [["No"]]);
  expect((await api.questions()).map((request) => request.questions[0].question)).toEqual(["Should one go on?"]);
  await desk.inbox.card("Should one go on?").answer("Yes");
  await expectAnswered(desk, api, session, "Should one go on?", [["Yes"]]);
});

test("the question of a sub-agent is in the inbox and in its parent's timeline", async ({ api, desk }) => {
  const child = script(ask(question(COLOUR, ["Red", "Blue"])));
  const parent = await api.begin(script(delegate("Pick a colour", child)), { title: "The parent" });
  const request = await api.untilAsked(COLOUR);
  expect(request.sessionID).not.toBe(parent.id);
  await desk.openInbox();
  await expect(desk.inbox.card(COLOUR).article).toContainText("The parent");
  await desk.openSession(parent);
  await desk.session.card(COLOUR).answer("Blue");
  await expectAnswered(desk, api, { id: request.sessionID }, COLOUR, [["Blue"]]);
  await api.untilIdle(parent);
});

test("until the tool part shows it, an answer is sent but not answered", async ({ api, desk, faults }) => {
  const session = await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
  await desk.openInbox(faults.url);
  const card = desk.inbox.card(COLOUR);
  await card.open();
  await card.option("Blue").check();
  faults.set({ held: /\/message/ });
  await card.send.click();
  await api.untilAnswered(session, COLOUR);
  await expect(card.state).toHaveText(/^sent, not confirmed/i);
  faults.clear();
  await expectAnswered(desk, api, session, COLOUR, [["Blue"]]);
});

test("what is typed while the question finds its place in the timeline is not lost", async ({ api, desk, faults }) => {
  const session = await api.begin(script(ask(question(TOPPINGS, ["Ham"])), ask(question(COLOUR, ["Red", "Blue"]))));
  await desk.openSession(session, faults.url);
  const first = await api.untilAsked(TOPPINGS);
  await desk.session.card(TOPPINGS).article.waitFor();
  faults.set({ held: /\/message/ });
  await api.reply(first.id, [["Ham"]]);
  const card = desk.session.card(COLOUR);
  const own = card.article.getByRole("textbox", { name: "Your own answer" });
  await own.click();
  await desk.page.keyboard.type("Gre");
  await expect(own).toHaveValue("Gre");
  faults.clear();
  await expect(desk.session.card(TOPPINGS).state).toHaveText(/^answered/i);
  await expect(desk.session.timeline.getByTestId("request")).toHaveCount(2);
  await desk.page.keyboard.type("en");
  await expect(own).toHaveValue("Green");
  await card.send.click();
  await expectAnswered(desk, api, session, COLOUR, [["Green"]]);
});

test("who types on into a question that was answered elsewhere presses no keys of the page", async ({ api, desk }) => {
  await api.begin(script(ask(question(TOPPINGS, ["Ham", "Egg"]))));
  await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
  const elsewhere = await api.untilAsked(TOPPINGS);
  await api.untilAsked(COLOUR);
  await desk.openInbox();
  const card = desk.inbox.card(TOPPINGS);
  await card.open();
  const own = card.article.getByRole("textbox", { name: "Your own answer" });
  await own.click();
  await desk.page.keyboard.type("Chee");
  const typing = await desk.page.evaluateHandle(typeUntilGone, ["n", "1", "Enter"]);
  await api.reply(elsewhere.id, [["Egg"]]);
  await typing.evaluate(({ isOver }) => isOver);
  await expect(desk.page).toHaveURL(/#\/inbox/);
  await desk.inbox.card(COLOUR).open();
  await expect(desk.inbox.card(COLOUR).option("Red")).not.toBeChecked();
  expect(await api.questions()).toHaveLength(1);
});

/**
 * Begins to type steadily where the focus is; once that field has gone, these keys follow.
 *
 * @param {string[]} keys
 */
function typeUntilGone(keys) {
  const field = document.activeElement;
  if (!(field instanceof HTMLTextAreaElement)) throw new Error(`the focus is on ${field?.outerHTML.slice(0, 200)}`);
  const press = (/** @type {string} */ key) =>
    (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const isOver = new Promise((resolve) => {
    const type = () => {
      if (field.isConnected) press("e");
      else if (keys.length > 0) press(keys.shift() ?? "");
      else return resolve(undefined);
      setTimeout(type, 100);
    };
    type();
  });
  return { isOver };
}

test("the keyboard alone is enough", async ({ api, desk }) => {
  const session = await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
  await desk.openInbox();
  const card = desk.inbox.card(COLOUR);
  await card.open();
  await card.article.focus();
  await desk.page.keyboard.press("2");
  await expect(card.option("Blue")).toBeChecked();
  await card.pressKeys({ key: "Enter" });
  await expectAnswered(desk, api, session, COLOUR, [["Blue"]]);
});

test("a new question is announced and counted", async ({ api, desk }) => {
  await desk.openInbox();
  await expect(desk.inbox.empty).toBeVisible();
  await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))), { title: "Painting" });
  await expect(desk.announcements.filter({ hasText: COLOUR })).toHaveCount(1);
  await expect(desk.page).toHaveTitle("(1) Switchboard");
});
