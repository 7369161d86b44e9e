// @ts-check
/** Two tabs of one browser: either answers, neither twice, and one is enough. */
import { expect, test } from "./fixtures.js";
import { expectAnswered } from "./proof.js";
import { ask, question, script } from "./say.js";

const ONE = "Does the first tab answer?";
const TWO = "Does the second tab answer?";
const yesOrNo = (/** @type {string} */ text) => script(ask(question(text, ["Yes", "No"])));

test("answers from both tabs arrive, and both tabs show them", async ({ api, desk }) => {
  const one = await api.begin(yesOrNo(ONE));
  const two = await api.begin(yesOrNo(TWO));
  await desk.openInbox();
  const other = await desk.openTab();
  await other.openInbox();
  await desk.inbox.card(ONE).answer("Yes");
  await other.inbox.card(TWO).answer("No");
  await expectAnswered(desk, api, one, ONE, [["Yes"]]);
  await expectAnswered(other, api, two, TWO, [["No"]]);
  for (const tab of [desk, other]) await expect(tab.page).toHaveTitle("Switchboard");
});

test("the same question sent from both tabs goes out once", async ({ api, desk, faults }) => {
  const session = await api.begin(yesOrNo(ONE));
  await desk.openInbox(faults.url);
  const other = await desk.openTab();
  await other.openInbox(faults.url);
  for (const tab of [desk, other]) {
    await tab.inbox.card(ONE).open();
    await tab.inbox.card(ONE).option("Yes").check();
  }
  await Promise.all([desk, other].map((tab) => tab.inbox.card(ONE).send.click({ timeout: 3000 }).catch(() => {})));
  await expectAnswered(desk, api, session, ONE, [["Yes"]]);
  const replies = faults.exchanges.filter((exchange) => exchange.method === "POST" && exchange.path.endsWith("/reply"));
  expect(replies).toHaveLength(1);
});

test("a draft typed in one tab is there in a tab opened later", async ({ api, desk }) => {
  await api.begin(yesOrNo(ONE));
  await desk.openInbox();
  await desk.inbox.card(ONE).open();
  await desk.inbox.card(ONE).ownAnswer.fill("Perhaps");
  await expect(desk.inbox.card(ONE).article).toContainText("Draft saved");
  const other = await desk.openTab();
  await other.openInbox();
  await other.inbox.card(ONE).open();
  await expect(other.inbox.card(ONE).ownAnswer).toHaveValue("Perhaps");
});

/** R13 */
test("what is typed in one tab goes on in the other, and back", async ({ api, desk }) => {
  const session = await api.begin(yesOrNo(ONE));
  await api.untilAsked(ONE);
  const other = await desk.openTab();
  for (const tab of [desk, other]) await tab.openSession(session);
  const message = (/** @type {import("./pages/desk.js").Desk} */ tab) => tab.page.getByRole("textbox", { name: "Message the agent" });
  const own = (/** @type {import("./pages/desk.js").Desk} */ tab) => tab.page.getByRole("textbox", { name: "Your own answer" });
  for (const field of [message, own]) {
    let written = "";
    for (const [from, to] of [[desk, other], [other, desk], [desk, other], [other, desk]]) {
      await from.page.bringToFront();
      await field(from).click();
      await from.page.keyboard.press("End");
      await from.page.keyboard.type("ab");
      written += "ab";
      await to.page.bringToFront();
      await expect(field(to)).toHaveValue(written);
    }
  }
});

test("when the first tab closes, the second goes on", async ({ api, desk }) => {
  await desk.openInbox();
  await expect(desk.inbox.empty).toBeVisible();
  const other = await desk.openTab();
  await other.openInbox();
  await expect(other.inbox.empty).toBeVisible();
  await desk.page.close();
  const session = await api.begin(yesOrNo(TWO));
  await other.inbox.card(TWO).answer("Yes");
  await expectAnswered(other, api, session, TWO, [["Yes"]]);
});

test("when the first tab stands still, the second goes on", async ({ api, desk }) => {
  await desk.openInbox();
  await expect(desk.inbox.empty).toBeVisible();
  const other = await desk.openTab();
  await other.openInbox();
  await expect(other.inbox.empty).toBeVisible();
  await desk.standStill();
  const session = await api.begin(yesOrNo(TWO));
  await other.inbox.card(TWO).answer("Yes");
  await expectAnswered(other, api, session, TWO, [["Yes"]]);
});

test("when the first tab is hidden, the second goes on", async ({ api, desk }) => {
  await desk.openInbox();
  await expect(desk.inbox.empty).toBeVisible();
  const other = await desk.openTab();
  await other.openInbox();
  await expect(other.inbox.empty).toBeVisible();
  await desk.page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "hidden" });
    Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  const session = await api.begin(yesOrNo(TWO));
  await other.inbox.card(TWO).answer("Yes");
  await expectAnswered(other, api, session, TWO, [["Yes"]]);
});

test("an answer of a tab that closes at once is delivered by the other", async ({ api, desk, faults }) => {
  const session = await api.begin(yesOrNo(ONE));
  await desk.openInbox(faults.url);
  const other = await desk.openTab();
  await other.openInbox(faults.url);
  await expect(other.inbox.card(ONE).article).toBeVisible();
  await desk.inbox.card(ONE).open();
  faults.set({ held: /\/reply$/ });
  await desk.inbox.card(ONE).answer("Yes");
  await expect(desk.inbox.card(ONE).state).toHaveText(/^sending/i);
  await desk.page.close();
  faults.clear();
  await expectAnswered(other, api, session, ONE, [["Yes"]]);
});
