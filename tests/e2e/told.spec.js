// @ts-check
/** Told when it matters: notifications, once over all tabs, withdrawn when the request is answered anywhere. */
import { expect, test as base } from "./fixtures.js";
import { Notifications, clickLatest, lookAt, lookAway } from "./pages/notifications.js";
import { ask, question, run, script } from "./say.js";

const COLOUR = "Which colour should it be?";
const SHAPE = "Which shape should it have?";
const HOUR = 60 * 60_000;

/** @typedef {import("./pages/desk.js").Desk} Desk */

/** @type {import("@playwright/test").TestType<any, any>} */
const test = base.extend({
  notifications: async ({ context, site }, use) => {
    await context.grantPermissions(["notifications"], { origin: site.url });
    await use(await Notifications.recorded(context));
  },
});

const asks = (/** @type {string} */ text) => script(ask(question(text, ["Red", "Blue"])));

/**
 * Turns notifications on, as a person does.
 *
 * @param {Desk} desk
 */
async function turnOn(desk) {
  await desk.openInbox();
  await desk.settings.open();
  await desk.settings.turnOnNotifications.click();
  await expect(desk.settings.turnOff).toBeVisible();
}

test("a request that comes while the page is hidden is told, and withdrawn when another client answers", async ({ api, desk, notifications }) => {
  await turnOn(desk);
  await desk.settings.close();
  await lookAway(desk.page);
  await api.begin(asks(COLOUR), { title: "Paint the shed" });
  await expect.poll(() => notifications.shown).toEqual([expect.objectContaining({ title: "Paint the shed asks", body: COLOUR })]);
  expect(notifications.tones).toBe(0);
  await expect.poll(() => notifications.badge).toBe(1);
  const request = await api.untilAsked(COLOUR);
  await api.reply(request.id, [["Red"]]);
  await expect.poll(() => notifications.shown).toEqual([]);
  await expect.poll(() => notifications.badge).toBe(0);
  expect(notifications.told).toHaveLength(1);
});

test("a notification waits for the title of a session that was not read yet, and comes without it where it never is", async ({ api, desk, faults, notifications }) => {
  await desk.openInbox(faults.url);
  await desk.settings.open();
  await desk.settings.turnOnNotifications.click();
  await desk.settings.close();
  await lookAway(desk.page);
  const titles = () => notifications.told.map((told) => told.title);
  faults.set({ held: /^\/(experimental\/session|session\/ses_)/ });
  const card = desk.inbox.card(COLOUR);
  await api.begin(asks(COLOUR), { title: "Paint the shed" });
  await expect(card.article).toContainText("Untitled session");
  faults.clear();
  await expect.poll(titles).toEqual(["Paint the shed asks"]);
  faults.set({ held: /^\/(experimental\/session|session\/ses_)/ });
  await api.begin(asks(SHAPE), { title: "Form" });
  await expect.poll(titles).toEqual(["Paint the shed asks", "Untitled session asks"]);
});

test("a sound is played once it is switched on: at once, and with each notification", async ({ api, desk, notifications }) => {
  await turnOn(desk);
  await desk.settings.notifications.getByRole("switch", { name: "Sound" }).check();
  await expect.poll(() => notifications.tones).toBe(1);
  await desk.settings.close();
  await lookAway(desk.page);
  await api.begin(asks(COLOUR));
  await expect.poll(() => notifications.tones).toBe(2);
});

test("of two hidden tabs one tells, and no page that is loaded later repeats it", async ({ api, desk, notifications }) => {
  await turnOn(desk);
  await desk.settings.close();
  const other = await desk.openTab();
  await other.openInbox();
  await expect(other.inbox.empty).toBeVisible();
  for (const tab of [desk, other]) await lookAway(tab.page);
  await api.begin(asks(COLOUR), { title: "Paint" });
  await expect.poll(() => notifications.told.length).toBe(1);
  for (const tab of [desk, other]) await expect(tab.inbox.card(COLOUR).article).toBeVisible();
  const third = await desk.openTab();
  await third.page.addInitScript(() => void (document.hasFocus = () => false));
  await third.openInbox();
  await expect(third.inbox.card(COLOUR).article).toBeVisible();
  await api.begin(asks(SHAPE), { title: "Form" });
  await expect.poll(() => notifications.told.map((told) => told.title)).toEqual(["Paint asks", "Form asks"]);
});

test("a request that a person sees in one tab is not told by another, and not after they have looked away", async ({ api, desk, notifications }) => {
  await turnOn(desk);
  await desk.settings.close();
  const other = await desk.openTab();
  await other.openInbox();
  await expect(other.inbox.empty).toBeVisible();
  await lookAway(other.page);
  await api.begin(asks(COLOUR), { title: "Seen" });
  for (const tab of [desk, other]) await expect(tab.inbox.card(COLOUR).article).toBeVisible();
  await lookAway(desk.page);
  await api.begin(asks(SHAPE), { title: "Not seen" });
  await expect.poll(() => notifications.told.map((told) => told.title)).toEqual(["Not seen asks"]);
});

test("a tab that is looked at and stands still keeps nothing back once it is closed", async ({ api, desk, notifications }) => {
  await turnOn(desk);
  await desk.settings.close();
  const other = await desk.openTab();
  await other.openInbox();
  await expect(other.inbox.empty).toBeVisible();
  await lookAway(other.page);
  await desk.standStill();
  await api.begin(asks(COLOUR), { title: "Paint" });
  await expect(other.inbox.card(COLOUR).article).toBeVisible();
  await desk.page.close();
  await api.begin(asks(SHAPE), { title: "Form" });
  // Where the second comes late, each is told by itself.
  const told = () => notifications.told.map(({ title, body }) => `${title}: ${body}`).join("; ");
  const [together, apart] = ["2 requests wait: Paint, Form", `Paint asks: ${COLOUR}; Form asks: ${SHAPE}`];
  await expect.poll(async () => [together, apart].includes(told()) || told()).toBe(true);
});

test("of several servers each is told by itself, and one that is removed takes its notifications along", async ({ api, desk, faults, notifications }) => {
  await turnOn(desk);
  await desk.settings.close();
  await desk.servers.add(faults.url);
  const there = new URL(faults.url).host;
  await lookAway(desk.page);
  await api.begin(asks(COLOUR), { title: "Paint" });
  await expect.poll(() => notifications.shown.map((told) => told.title)).toEqual(["Paint asks", "Paint asks"]);
  await expect.poll(() => notifications.badge).toBe(2);
  await desk.settings.open();
  await desk.settings.notifications.getByRole("switch", { name: `Requests of ${there}` }).uncheck();
  await expect.poll(() => notifications.shown).toHaveLength(1);
  await desk.settings.notifications.getByRole("switch", { name: `Requests of ${there}` }).check();
  await desk.settings.close();
  await api.begin(asks(SHAPE), { title: "Form" });
  await expect.poll(() => notifications.shown.map((told) => told.title)).toEqual(["Paint asks", "Form asks", "Form asks"]);
  await desk.servers.open();
  await desk.servers.at(faults.url).getByRole("button", { name: /Remove/ }).click();
  await expect.poll(() => notifications.shown.map((told) => told.title)).toEqual(["Paint asks", "Form asks"]);
  await expect.poll(() => notifications.badge).toBe(2);
});

test("a click opens the request", async ({ api, desk, notifications }) => {
  await turnOn(desk);
  await desk.settings.close();
  await api.begin(asks(SHAPE));
  await expect(desk.inbox.card(SHAPE).article).toBeVisible();
  await desk.page.goto(`${desk.siteUrl}/?server=${desk.serverUrl}#/sessions`);
  await lookAway(desk.page);
  await api.begin(script(run("printenv SECRET")), { title: "Deploy", permission: [{ permission: "bash", pattern: "*", action: "ask" }] });
  await expect.poll(() => notifications.told).toEqual([expect.objectContaining({ title: "Deploy asks", body: "Run this command?" })]);
  await lookAt(desk.page);
  await clickLatest(desk.page);
  await expect(desk.open).toContainText("printenv SECRET");
  expect(notifications.shown).toEqual([]);
});

test("in quiet hours nothing is told, and what still waits at their end is told at once", async ({ api, desk, notifications }) => {
  await desk.page.clock.install({ time: new Date(2026, 5, 1, 23, 30) });
  await turnOn(desk);
  await desk.settings.notifications.getByRole("switch", { name: "Quiet hours" }).check();
  await expect(desk.settings.notifications.getByLabel("From")).toHaveValue("22:00");
  await desk.settings.notifications.getByLabel("To", { exact: true }).fill("00:30");
  await desk.settings.close();
  await lookAway(desk.page);
  await api.begin(asks(COLOUR), { title: "Paint" });
  await api.begin(asks(SHAPE), { title: "Form" });
  for (const text of [COLOUR, SHAPE]) await expect(desk.inbox.card(text).article).toBeVisible();
  expect(notifications.told).toEqual([]);
  await desk.page.clock.fastForward(HOUR);
  await expect.poll(() => notifications.told).toEqual([expect.objectContaining({ title: "2 requests wait", body: expect.stringMatching(/Paint|Form/) })]);
  const request = await api.untilAsked(COLOUR);
  await api.reply(request.id, [["Red"]]);
  await expect.poll(() => notifications.shown).toEqual([expect.objectContaining({ title: "Form asks", body: SHAPE })]);
});

test("a directory that is switched off tells nothing until it is switched on", async ({ api, desk, notifications }) => {
  await api.createSession({ title: "Quiet place" });
  await turnOn(desk);
  const name = api.directory.split("/").at(-1);
  await desk.settings.notifications.getByText("Directories").click();
  await desk.settings.notifications.getByRole("switch", { name }).uncheck();
  await desk.settings.close();
  await lookAway(desk.page);
  await api.begin(asks(COLOUR));
  await expect(desk.inbox.card(COLOUR).article).toBeVisible();
  expect(notifications.told).toEqual([]);
  await desk.settings.open();
  await desk.settings.notifications.getByText("Directories").click();
  await desk.settings.notifications.getByRole("switch", { name }).check();
  await expect.poll(() => notifications.told).toEqual([expect.objectContaining({ body: COLOUR })]);
});

test("a permission that is withdrawn says so in the page, and what to do", async ({ api, context, desk, notifications }) => {
  await turnOn(desk);
  await desk.settings.close();
  await context.clearPermissions();
  const row = desk.page.getByRole("region", { name: "Notifications" });
  await expect(row).toContainText("the browser has withdrawn its permission. Turn them on again in the settings");
  await lookAway(desk.page);
  await api.begin(asks(COLOUR));
  await expect(desk.inbox.card(COLOUR).article).toBeVisible();
  expect(notifications.told).toEqual([]);
  await row.getByRole("button", { name: "Turn off" }).click();
  await expect(row).toBeHidden();
});

base("the permission is asked for by the button alone, and a refusal says what to do", async ({ api, context, desk }) => {
  const notifications = await Notifications.recorded(context);
  // Chromium without a screen refuses by itself; a person does so in a prompt. Until then it has not been asked.
  await context.addInitScript(() => {
    let permission = "default";
    Object.defineProperty(Notification, "permission", { get: () => permission });
    const { requestPermission } = Notification;
    Notification.requestPermission = async () => {
      await requestPermission.call(Notification);
      return (permission = "denied");
    };
  });
  await api.begin(asks(COLOUR));
  await desk.openInbox();
  await expect(desk.inbox.card(COLOUR).article).toBeVisible();
  await desk.settings.open();
  expect(notifications.asked).toBe(0);
  await desk.settings.turnOnNotifications.click();
  await expect(desk.settings.notifications).toContainText("The browser blocks notifications of this page. Allow them in its site settings");
  expect(notifications.asked).toBe(1);
  expect(notifications.told).toEqual([]);
});
