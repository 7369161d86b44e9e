// @ts-check
/** What a person typed survives reloads, crashes, other people and the death of its question. */
import { expect, test } from "./fixtures.js";
import { until } from "./api.js";
import { conversationsWith, expectAnswered, receivedFor } from "./proof.js";
import { ask, question, script } from "./say.js";

const COLOUR = "Which colour survives?";
const ASK = ask(question(COLOUR, ["Red", "Blue"]));

test("typed text survives a reload", async ({ api, desk }) => {
  const session = await api.begin(script(ASK));
  await desk.openInbox();
  const card = desk.inbox.card(COLOUR);
  await card.open();
  await card.ownAnswer.fill("Teal, but only");
  await expect(card.article).toContainText("Draft saved");
  await desk.page.reload();
  await card.open();
  await expect(card.ownAnswer).toHaveValue("Teal, but only");
  await card.ownAnswer.fill("Teal, but only on Mondays");
  await card.send.click();
  await expectAnswered(desk, api, session, COLOUR, [["Teal, but only on Mondays"]]);
});

test("a choice and a prompt survive the way to another session and back", async ({ api, desk, page }) => {
  const one = await api.begin(script(ASK));
  const other = await api.begin(script({ text: "Nothing to ask." }));
  await desk.openSession(one);
  await desk.session.card(COLOUR).open();
  await desk.session.card(COLOUR).option("Blue").check();
  await desk.session.prompt.fill("And one more thing");
  // Without a page load: before one, the browser asks whether to leave what is not kept yet, and Playwright says yes.
  const goTo = (/** @type {{ id: string }} */ { id }) => page.evaluate((session) => (location.hash = `#/session/${session}`), id);
  await goTo(other);
  await expect(desk.session.timeline).toContainText("Nothing to ask.");
  await expect(desk.session.prompt).toHaveValue("");
  await goTo(one);
  await expect(desk.session.card(COLOUR).option("Blue")).toBeChecked();
  await expect(desk.session.prompt).toHaveValue("And one more thing");
});

test("a reload between Send and the reply loses nothing, and is asked about before the answer is saved", async ({ api, desk, faults, model, site }) => {
  const { page } = desk;
  const session = await api.begin(script(ASK));
  await desk.openInbox(faults.url);
  const card = desk.inbox.card(COLOUR);
  await card.open();
  faults.set({ held: /\/reply$/ });
  const release = await holdLedger(page.context(), site.url);
  await page.bringToFront();
  await card.answer("Blue");
  await expect(card.article).toContainText("It is not saved on this device: keep this tab open.");
  const asking = page.waitForEvent("dialog");
  // Behind the call, which the question would hold up.
  await page.evaluate(() => void setTimeout(() => location.reload()));
  const dialog = await asking;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.dismiss();
  await expect(card.state).toHaveText(/^sending/i);
  await release();
  await expect(card.article).not.toContainText("keep this tab open");
  /** @type {string[]} */
  const asked = [];
  page.on("dialog", (again) => {
    asked.push(again.type());
    return again.accept();
  });
  await page.reload();
  expect(asked).toEqual([]);
  await expect(card.state).toHaveText(/^sending/i);
  faults.clear();
  await expectAnswered(desk, api, session, COLOUR, [["Blue"]]);
  await api.untilIdle(session);
  expect(receivedFor(model, COLOUR)).toHaveLength(1);
});

test("where the storage hangs an answer goes out all the same, without Web Locks too, and that is told", async ({ api, desk, model, page, site }) => {
  // As where the page came over plain HTTP from another machine: the right to send is a lease in the storage.
  await page.addInitScript(() => Object.defineProperty(navigator, "locks", { value: undefined }));
  const session = await api.begin(script(ASK));
  await desk.openInbox();
  const card = desk.inbox.card(COLOUR);
  await card.open();
  const release = await holdLedger(page.context(), site.url, ["entries", "leases"]);
  await page.bringToFront();
  await card.answer("Blue");
  await expectAnswered(desk, api, session, COLOUR, [["Blue"]]);
  const bar = page.getByTestId("connection-bar");
  await expect(bar).toContainText("The storage of the browser does not answer.");
  await release();
  await expect(bar).toBeHidden();
  await api.untilIdle(session);
  expect(receivedFor(model, COLOUR)).toHaveLength(1);
});

test("a reload between the reply and its confirmation loses nothing", async ({ api, desk, faults }) => {
  const session = await api.begin(script(ASK));
  await desk.openInbox(faults.url);
  const card = desk.inbox.card(COLOUR);
  await card.open();
  faults.set({ held: /\/message/ });
  await card.answer("Blue");
  await expect(card.state).toHaveText(/^sent, not confirmed/i);
  await desk.page.reload();
  faults.clear();
  await expectAnswered(desk, api, session, COLOUR, [["Blue"]]);
});

test.describe("with a server that dies", () => {
  test.use({ fresh: true });

  test("a question lost by a restart is rescued as a message", async ({ api, desk, model, opencode }) => {
    const session = await api.begin(script(ASK));
    await desk.openInbox();
    const card = desk.inbox.card(COLOUR);
    await card.open();
    await card.option("Blue").check();
    await expect(card.article).toContainText("Draft saved");
    await opencode.kill();
    await opencode.restart();
    await expect(card.state).toHaveText(/the question is gone/i);
    await card.rescue.click();
    const reached = await until("the message reaches the model", async () => conversationsWith(model, "My answer").at(-1));
    const written = JSON.stringify(reached.messages.at(-1)?.content);
    expect(written).toContain(COLOUR);
    expect(written).toContain("Blue");
    await api.untilIdle(session);
  });

  test("an answer sent while the server is away ends as a rescue, not as a loss", async ({ api, desk, opencode }) => {
    await api.begin(script(ASK));
    await desk.openInbox();
    const card = desk.inbox.card(COLOUR);
    await card.open();
    await opencode.kill();
    await card.answer("Red");
    await expect(card.state).toHaveText(/^sending/i);
    await opencode.restart();
    await expect(card.state).toHaveText(/the question is gone/i);
    await expect(card.rescue).toBeVisible();
    await expect(card.article).toContainText("Red");
  });

  test("an answer that the server took and then lost is never called answered", async ({ api, desk, faults, opencode }) => {
    const session = await api.begin(script(ASK));
    await desk.openInbox(faults.url);
    const card = desk.inbox.card(COLOUR);
    await card.open();
    await card.option("Blue").check();
    const taken = desk.page.waitForResponse((response) => response.url().includes("/reply") && response.request().method() === "POST");
    await card.send.click();
    await taken;
    await opencode.kill();
    await opencode.restart();
    // The server may have stored it before it died; the page has to tell which.
    const [part] = await api.toolParts(session);
    const expected = part.state.status === "completed" ? /^answered\b/i : /the question is gone/i;
    await until(`the page says ${expected}`, async () => (await desk.historyOf(COLOUR)).find((entry) => expected.test(entry.state)));
    if (part.state.status !== "completed") expect((await desk.historyOf(COLOUR)).filter((entry) => /^answered\b/i.test(entry.state))).toEqual([]);
  });
});

test("an abort elsewhere hides the question, and its ghost gets nothing", async ({ api, desk, faults }) => {
  const session = await api.begin(script(ASK));
  await desk.openInbox(faults.url);
  const card = desk.inbox.card(COLOUR);
  await card.open();
  await api.abort(session);
  await expect(card.send).toBeHidden();
  await expect(desk.page).toHaveTitle("Switchboard");
  expect(await api.questions()).toHaveLength(1);
  expect(faults.exchanges.filter((exchange) => /\/(reply|reject)$/.test(exchange.path))).toEqual([]);
});

test("Stop ends the wait", async ({ api, desk }) => {
  const session = await api.begin(script(ASK));
  await desk.openSession(session);
  await expect(desk.session.card(COLOUR).article).toBeVisible();
  await desk.session.stop.click();
  await desk.page.getByRole("button", { name: "Stop the run" }).click();
  await until("the run is aborted", async () => (await api.toolParts(session))[0].state.status === "error");
  await expect(desk.session.card(COLOUR).send).toBeHidden();
});

test("a stop whose page is loaded anew before the server has taken it ends the run", async ({ api, desk, faults }) => {
  const session = await api.begin(script(ASK));
  await desk.openSession(session, faults.url);
  await expect(desk.session.card(COLOUR).article).toBeVisible();
  faults.set({ held: /\/abort$/ });
  await desk.session.stop.click();
  await desk.page.getByRole("button", { name: "Stop the run" }).click();
  const stop = await until("the stop is under way", async () => faults.exchanges.find(({ path, method }) => method === "POST" && path.endsWith("/abort")));
  await desk.page.reload();
  await expect(desk.session.card(COLOUR).article).toBeVisible();
  expect(stop.outcome).toBe("open");
  faults.clear();
  await until("the run is aborted", async () => (await api.toolParts(session))[0].state.status === "error");
});

test("somebody else's answer is shown, and the draft is kept as a correction", async ({ api, desk, model }) => {
  const session = await api.begin(script(ASK, { text: "Painted." }));
  await desk.openInbox();
  const card = desk.inbox.card(COLOUR);
  await card.open();
  await card.ownAnswer.fill("Teal");
  await expect(card.article).toContainText("Draft saved");
  await api.reply((await api.untilAsked(COLOUR)).id, [["Red"]]);
  await expect(card.state).toHaveText(/^answered elsewhere/i);
  await expect(card.article).toContainText("Answered elsewhere: Red. By another client; the server does not say which. Your draft was not sent. It is kept.");
  await expect(card.article).toContainText("Teal");
  await api.untilIdle(session);
  await card.correct.click();
  await until("the correction reaches the model", async () => conversationsWith(model, "Teal").at(-1));
});

test("an answer that comes too late says so and is kept", async ({ api, desk, faults }) => {
  const session = await api.begin(script(ASK));
  await desk.openInbox(faults.url);
  const card = desk.inbox.card(COLOUR);
  await card.open();
  faults.set({ held: /\/reply$/ });
  await card.answer("Blue");
  await expect(card.state).toHaveText(/^sending/i);
  await api.reply((await api.untilAsked(COLOUR)).id, [["Red"]]);
  faults.clear();
  await expect(card.state).toHaveText(/^answered elsewhere/i);
  await expect(card.article).toContainText("Blue");
  expect((await api.untilAnswered(session, COLOUR)).answers).toEqual([["Red"]]);
});

test("prompts queued while a question waits do not answer it", async ({ api, desk, model }) => {
  const session = await api.begin(script(ASK, { text: "Then I go on." }));
  await desk.openSession(session);
  const card = desk.session.card(COLOUR);
  await expect(card.article).toBeVisible();
  await desk.session.say("Queued one");
  await expect(desk.session.prompt).toHaveValue("");
  await desk.session.say("Queued two");
  await until("both prompts are stored", async () => {
    const texts = (await api.messages(session)).flatMap((message) => message.parts.map((part) => ("text" in part ? part.text : "")));
    return texts.includes("Queued one") && texts.includes("Queued two");
  });
  expect(await api.questions()).toHaveLength(1);
  await expect(card.article).toBeVisible();
  await card.answer("Blue");
  await expectAnswered(desk, api, session, COLOUR, [["Blue"]]);
  await until("both reach the model once", async () => {
    const last = conversationsWith(model, "Queued two").at(-1);
    const texts = (last?.messages ?? []).filter((message) => message.role === "user").map((message) => JSON.stringify(message.content));
    return texts.filter((text) => text.includes("Queued one")).length === 1 && texts.filter((text) => text.includes("Queued two")).length === 1;
  });
});

/**
 * Lets no tab write its ledger, as on a device whose disk is busy: a transaction of another page has the store. Returns what
 * ends it.
 *
 * @param {import("@playwright/test").BrowserContext} context
 * @param {string} siteUrl
 * @param {string[]} stores
 */
async function holdLedger(context, siteUrl, stores = ["entries"]) {
  const other = await context.newPage();
  await other.goto(`${siteUrl}/boot.js`);
  await other.evaluate(
    (stores) =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open("switchboard");
        opening.addEventListener("error", () => reject(opening.error));
        opening.addEventListener("success", () => {
          const store = opening.result.transaction(stores, "readwrite").objectStore("entries");
          // A transaction ends when it has nothing left to do.
          const goOn = () => {
            resolve(undefined);
            // Seldom: this page may share its process with the dashboard.
            for (const end = performance.now() + 4; performance.now() < end; );
            store.count().addEventListener("success", goOn);
          };
          store.count().addEventListener("success", goOn);
        });
      }),
    stores,
  );
  return () => other.close();
}
