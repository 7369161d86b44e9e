// @ts-check
/** Requests on a small screen: everything can be read and reached, and one leads to the next. */
import { expect, test } from "./fixtures.js";
import { until } from "./api.js";
import { ask, question, run, script, write } from "./say.js";

const PHONE = { width: 390, height: 844 };
/** Windows of 1400×900 and 1280×1024 at 400 %. */
const ZOOMED = [{ width: 350, height: 225 }, { width: 320, height: 256 }];
const WORDS = "All of this has to be read before anything is chosen. ";

test.use({ viewport: PHONE });

test("long questions scroll, and their last option is chosen and sent", async ({ api, desk }) => {
  test.slow();
  const labels = (/** @type {number} */ count) => Array.from({ length: count }, (_, at) => `Option ${at + 1}`);
  const cases = [
    question("Which of the thirty?", labels(30)),
    question(`How about 600? ${WORDS.repeat(11)}`, labels(2)),
    question(`How about 5000? ${WORDS.repeat(90)}`, labels(3)),
    question("How about many lines?\n\n" + Array.from({ length: 60 }, (_, line) => `- line ${line}`).join("\n"), labels(6)),
  ];
  const sessions = [];
  for (const each of cases) {
    const session = await api.begin(script(ask(each)));
    sessions.push({ each, session, asked: await api.untilAsked(each.question) });
  }
  for (const size of [...ZOOMED, PHONE]) {
    await desk.page.setViewportSize(size);
    for (const { each, asked } of sessions) {
      await desk.openRequest(asked);
      const { card } = desk.request;
      await expect(card.choices.last()).toBeAttached();
      await desk.request.expectWhole();
      await desk.request.reach(card.heading);
      for (const at of [0, each.options.length - 1]) await desk.request.reach(card.article.getByText(each.options[at].label, { exact: true }));
      await desk.request.reach(card.ownAnswer);
      await desk.request.reach(card.dismiss);
    }
  }
  for (const { each, session, asked } of sessions) {
    const label = each.options[each.options.length - 1].label;
    await desk.openRequest(asked);
    await desk.request.card.article.getByText(label, { exact: true }).click();
    await desk.request.card.send.click();
    expect((await api.untilAnswered(session, each.question)).answers).toEqual([[label]]);
  }
});

test("all of what a permission grants can be reached where it is granted", async ({ api, desk }) => {
  const lines = Array.from({ length: 80 }, (_, line) => `line ${line} of the file`);
  await api.begin(script(write("new.txt", `${lines.join("\n")}\n`)));
  await until("the edit asks", async () => (await api.permissions()).length === 1);
  const command = `${Array.from({ length: 120 }, (_, line) => `: step ${line}`).join("\n")}\necho the-very-last-line`;
  await api.begin(script(run(command)));
  await until("both ask", async () => (await api.permissions()).length === 2);
  const asked = await api.permissions();
  const [edit, bash] = ["edit", "bash"].map((kind) => asked.find((request) => request.permission === kind));
  const { card } = desk.request;
  for (const size of [...ZOOMED, PHONE]) {
    await desk.page.setViewportSize(size);
    if (edit) await desk.openRequest(edit);
    await card.article.getByTestId("diff-show-all").click();
    await desk.request.expectWhole();
    for (const line of [0, 40, 79]) await desk.request.reach(card.article.getByText(`line ${line} of the file`, { exact: true }));
    await desk.request.reach(card.allowOnce);
    if (bash) await desk.openRequest(bash);
    await expect(card.article.locator("pre.command")).toContainText("the-very-last-line");
    await desk.request.expectWhole();
    const seen = await card.article.locator("pre.command").evaluate((element) => {
      element.scrollIntoView({ block: "nearest" });
      element.scrollTo(0, element.scrollHeight);
      return element.scrollTop + element.clientHeight >= element.scrollHeight - 1;
    });
    expect(seen).toBe(true);
    await desk.request.reach(card.allowOnce);
    await desk.page.goto("about:blank");
  }
});

test("an answer leads to the next request, and Back to where the inbox was", async ({ api, desk }) => {
  const names = Array.from({ length: 8 }, (_, at) => `Is it number ${at + 1}?`);
  for (const name of names) {
    await api.begin(script(ask(question(name, ["Yes", "No"]))));
    await api.untilAsked(name);
  }
  await desk.openInbox();
  await expect(desk.inbox.cards).toHaveCount(names.length);
  const pane = desk.page.getByTestId("inbox");
  const top = () => pane.evaluate((element) => element.scrollTop);
  await desk.inbox.card(names[6]).article.scrollIntoViewIfNeeded();
  const before = await top();
  expect(before).toBeGreaterThan(100);
  await desk.inbox.card(names[6]).title.click();
  await expect(desk.request.card.heading).toHaveText(names[6]);
  await desk.request.back.click();
  await expect(pane).toBeVisible();
  await expect.poll(top).toBe(before);
  await desk.inbox.card(names[6]).title.click();
  await desk.request.card.article.getByText("Yes", { exact: true }).click();
  await desk.request.card.send.click();
  await expect(desk.request.card.heading).toHaveText(names[7]);
  await expect(desk.request.place).toHaveText(/of/);
  await expect(desk.request.next).toBeVisible();
  await desk.page.goBack();
  await expect(pane).toBeVisible();
});

test("the tab in front is in sight, and targets are large enough for a finger", async ({ api, desk }) => {
  const seven = Array.from({ length: 7 }, (_, at) => question(`Question number ${at + 1}?`, ["Yes", "No"], { header: `A rather long header ${at + 1}` }));
  await api.begin(script(ask(...seven)));
  const asked = await api.untilAsked(seven[0].question);
  await desk.openRequest(asked);
  const { card } = desk.request;
  for (let at = 0; at < 6; at++) {
    await card.article.getByText("Yes", { exact: true }).click();
    await card.next.click();
  }
  await expect(card.tabs.nth(6)).toHaveAttribute("aria-selected", "true");
  const inSight = () => card.tabs.nth(6).evaluate((tab) => {
    const strip = tab.parentElement?.getBoundingClientRect();
    const box = tab.getBoundingClientRect();
    return strip !== undefined && box.left >= strip.left - 1 && box.right <= strip.right + 1;
  });
  await expect.poll(inSight).toBe(true);
  await expect(card.meta).toContainText("question 7 of 7");
  const small = (/** @type {import("@playwright/test").Locator} */ place) => place.evaluate((place) => {
    const targets = place.querySelectorAll("button, summary, label, a, input[type=radio]:not(label *), textarea");
    return [...targets].map((target) => ({ name: `${target.tagName} ${target.textContent}`, box: target.getBoundingClientRect() }))
      .filter(({ box }) => box.height > 0 && (box.height < 44 || box.width < 44)).map(({ name, box }) => `${name}: ${box.width}×${box.height}`);
  });
  expect(await small(card.article)).toEqual([]);
  await desk.openSession({ id: asked.sessionID });
  const box = desk.page.getByTestId("prompt-box");
  await expect(box).toBeVisible();
  expect(await small(box)).toEqual([]);
});

test.describe("on a touch screen", () => {
  test.use({ hasTouch: true, isMobile: true });

  test("the keyboard help shows its keys on whole lines, and can be closed", async ({ desk }) => {
    await desk.openInbox();
    await expect(desk.inbox.empty).toBeVisible();
    await desk.page.keyboard.press("?");
    const help = desk.page.getByRole("dialog", { name: "Keyboard" });
    await expect(help.getByRole("listitem").filter({ hasText: "Next, previous request" }).locator("kbd")).toHaveText(["J", "K"]);
    await expect(help.locator("kbd", { hasText: /^J$/ })).toBeVisible();
    await expect.poll(async () => (await help.getByRole("heading", { name: "Keyboard" }).boundingBox())?.height).toBeLessThan(30);
    const close = help.getByRole("button", { name: "Close" });
    await expect(close.locator("svg")).toBeVisible();
    await close.tap();
    await expect(help).toBeHidden();
  });
});
