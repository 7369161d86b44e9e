// @ts-check
/** The cards of requests: which one is open, what keys and clicks do to it, and what it says. */
import { expect, test } from "./fixtures.js";
import { until } from "./api.js";
import { expectAnswered } from "./proof.js";
import { ask, question, run, script } from "./say.js";

const COLOUR = "Which colour should it be?";

/** A command of many lines, which fills a low window. @param {string} name */
const long = (name) => `echo ${name}\n${Array.from({ length: 30 }, (_, line) => `# ${line}`).join("\n")}`;

/** @param {import("./api.js").Api} api */
const waiting = async (api) => (await api.permissions()).map((request) => request.patterns[0].split("\n")[0]);

/**
 * Whether something lies within something else, and is not drawn beyond its edge.
 *
 * @param {import("@playwright/test").Locator} inner
 * @param {import("@playwright/test").Locator} outer
 */
async function isWithin(inner, outer) {
  const [inside, around] = await Promise.all([inner.boundingBox(), outer.boundingBox()]);
  return inside !== null && around !== null && inside.y + inside.height <= around.y + around.height;
}

test("keys act on the request that is marked, also in a session with two", async ({ api, desk }) => {
  await desk.page.setViewportSize({ width: 1400, height: 560 });
  const session = await api.begin(script({ tools: [run(long("upper")), run(long("lower"))] }));
  await until("both ask", async () => (await api.permissions()).length === 2);
  await desk.openSession(session);
  const [upper, lower] = [desk.session.permission("echo upper"), desk.session.permission("echo lower")];
  await lower.allowOnce.scrollIntoViewIfNeeded();
  await desk.page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  await expect(lower.article).toHaveAttribute("data-open");
  await expect(desk.open).toHaveCount(1);
  await expect(upper.article.locator("kbd:visible")).toHaveCount(0);
  await expect(upper.article.locator("[aria-keyshortcuts]")).toHaveCount(0);
  await desk.page.keyboard.press("k");
  await expect(upper.article).toHaveAttribute("data-open");
  await expect(upper.allowOnce).toBeInViewport();
  await desk.page.keyboard.press("j");
  await expect(lower.article).toHaveAttribute("data-open");
  await expect(desk.open).toHaveCount(1);
  await lower.pressKeys({ key: "a" }, { key: "a" });
  await until("the lower one is allowed", async () => (await api.permissions()).length === 1);
  await expect(upper.article).toHaveAttribute("data-open");
  expect(await waiting(api)).toEqual(["echo upper"]);
  await upper.pressKeys({ key: "a" });
  await until("the upper one is allowed", async () => (await api.permissions()).length === 0);
});

test("a key for a request that is out of sight only brings it into sight", async ({ api, desk }) => {
  await desk.page.setViewportSize({ width: 1400, height: 560 });
  await api.begin(script(run("echo out of sight")));
  await desk.openInbox();
  const card = desk.inbox.permission("echo out of sight");
  await card.open();
  await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
  for (const name of ["one", "two", "three", "four", "five", "six", "seven"]) await api.begin(script(ask(question(`Is it ${name}?`, ["Yes", "No"]))));
  await expect(desk.inbox.cards).toHaveCount(9);
  await card.untilReady();
  await desk.page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    document.querySelector("[data-scrolls=main]")?.scrollTo(0, 1e6);
  });
  await expect(card.allowOnce).not.toBeInViewport();
  await desk.page.keyboard.press("a");
  await expect(card.allowOnce).toBeInViewport();
  expect(await waiting(api)).toEqual(["echo out of sight"]);
  await card.pressKeys({ key: "a" });
  await until("allowed", async () => (await api.permissions()).length === 0);
});

test("Enter sends no answer that is out of sight, wherever the focus is", async ({ api, desk }) => {
  await desk.page.setViewportSize({ width: 1400, height: 420 });
  await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
  // The oldest request stands first: there is room below it to scroll.
  await api.untilAsked(COLOUR);
  for (const name of ["one", "two", "three", "four", "five", "six", "seven"]) await api.begin(script(ask(question(`Is it ${name}?`, ["Yes", "No"]))));
  await desk.openInbox();
  await expect(desk.inbox.cards).toHaveCount(8);
  const card = desk.inbox.card(COLOUR);
  await card.open();
  await card.untilReady();
  await card.option("Red").check();
  for (const from of ["nowhere", "the button"]) {
    await desk.page.evaluate((from) => {
      const send = [...document.querySelectorAll("article button")].find((button) => /^Send/.test(button.textContent ?? ""));
      if (from === "the button" && send instanceof HTMLElement) send.focus();
      else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      document.querySelector("[data-scrolls=main]")?.scrollTo(0, 1e6);
    }, from);
    await expect(card.send).not.toBeInViewport();
    await desk.page.keyboard.press("Enter");
    await expect(card.send).toBeInViewport();
    expect((await api.questions()).length, `with the focus on ${from}`).toBe(8);
    await card.untilReady();
  }
  await desk.page.keyboard.press("Enter");
  await until("it is answered", async () => (await api.questions()).length === 7);
});

test("a second click at once answers nothing", async ({ api, desk }) => {
  await api.begin(script(run("echo first")));
  await until("the first asks", async () => (await api.permissions()).length === 1);
  await api.begin(script(run("echo second")));
  await until("both ask", async () => (await api.permissions()).length === 2);
  await desk.openInbox();
  const [first, second] = [desk.inbox.permission("echo first"), desk.inbox.permission("echo second")];
  await expect(first.article).toHaveAttribute("data-open");
  await first.untilReady();
  await second.untilReady();
  await desk.page.evaluate(() => {
    const buttons = [...document.querySelectorAll("article button")].filter((button) => button.textContent?.startsWith("Allow once"));
    for (const button of buttons) if (button instanceof HTMLElement) button.click();
  });
  await until("the first is allowed", async () => (await api.permissions()).length === 1);
  await expect(second.article).toHaveAttribute("data-open");
  await second.untilReady();
  expect(await waiting(api)).toEqual(["echo second"]);
  await second.allowOnce.click();
  await until("the second is allowed", async () => (await api.permissions()).length === 0);
});

test("a command that changes under the hand is not allowed unseen", async ({ api, desk, faults }) => {
  await api.begin(script(run("echo shown")));
  await desk.openInbox(faults.url);
  const card = desk.inbox.permission("echo shown");
  await card.open();
  faults.set({ altered: (path, body) => (path === "/permission" ? body.replaceAll("echo shown", "echo other") : body) });
  await expect(card.changed).toContainText("This request has changed since it was shown.");
  await expect(card.changed).toContainText("echo other");
  await expect(card.article.locator("pre.command").first()).toHaveText("echo shown");
  await expect(card.allowOnce).toBeDisabled();
  await desk.page.keyboard.press("a");
  await card.showChange.click();
  const now = desk.inbox.permission("echo other");
  await expect(now.changed).toHaveCount(0);
  await expect(now.article.locator("pre.command").first()).toHaveText("echo other");
  expect(await api.permissions()).toHaveLength(1);
  await now.allowOnce.click();
  await until("allowed", async () => (await api.permissions()).length === 0);
});

test("a question that changes keeps what was typed, and is answered as it is now", async ({ api, desk, faults }) => {
  const session = await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
  await desk.openInbox(faults.url);
  const card = desk.inbox.card(COLOUR);
  await card.open();
  await card.ownAnswer.fill("A light teal");
  const other = "Which colour should the door be?";
  faults.set({ altered: (path, body) => (path === "/question" ? body.replaceAll(COLOUR, other) : body) });
  await expect(card.changed).toContainText(other);
  await expect(card.heading).toHaveText(COLOUR);
  await expect(card.ownAnswer).toHaveValue("A light teal");
  await expect(card.send).toBeDisabled();
  await card.showChange.click();
  const now = desk.inbox.card(other);
  await expect(now.heading).toHaveText(other);
  await expect(now.ownAnswer).toHaveValue("A light teal");
  await now.send.click();
  const proof = await api.untilAnswered(session, COLOUR);
  expect(proof.answers).toEqual([["A light teal"]]);
});

test("questions and options are shown as they were written", async ({ api, desk }) => {
  const text = "First line\nsecond line\n\n- bullet one\n- \u202ebullet two\u202c with `code`";
  const options = [
    { label: "Plain", description: "# heading\n- list\n- two" },
    { label: "Odd\u200b", description: "" },
  ];
  const several = [question("Is it an API?", ["Yes"], { header: "First" }), question("Which database?", ["PostgreSQL"], { header: "PostgreSQL" })];
  await api.begin(script(ask({ question: text, header: "API", options })));
  await until("the first asks", async () => (await api.questions()).length === 1);
  await api.begin(script(ask(...several)));
  await desk.openInbox();
  const card = desk.inbox.card(/First line/);
  await card.open();
  expect((await card.heading.innerText()).split("\n").filter(Boolean)).toEqual(["First line", "second line", "- bullet one", "- ‹U+202E›bullet two‹U+202C› with `code`"]);
  const weight = (/** @type {string} */ words) => card.heading.getByText(words).evaluate((element) => Number(getComputedStyle(element).fontWeight));
  expect(await weight("second line")).toBeGreaterThan(await weight("bullet one"));
  const about = card.article.getByText(/^# heading/);
  expect((await about.innerText()).split("\n")).toEqual(["# heading", "- list", "- two"]);
  await expect(card.article.getByText("Odd‹U+200B›")).toBeVisible();
  await expect(desk.inbox.card("Is it an API?").article).toContainText("and 1 more: PostgreSQL");
});

test("several questions are named by the one in front, and told one by one once sent", async ({ api, desk }) => {
  const three = ["Colour", "Size", "API"].map((header) => question(`Which ${header}?`, [`${header} one`, `${header} two`], { header }));
  const session = await api.begin(script(ask(...three)));
  await desk.openSession(session);
  const card = desk.session.card(/Which/);
  await card.option("Colour two").check();
  await expect(card.meta).toContainText("Colour");
  await card.next.click();
  await expect(card.meta).toContainText("Size");
  await expect(card.heading).toHaveText("Which Size?");
  await card.option("Size one").check();
  await card.next.click();
  await expect(card.meta).toContainText("API");
  await card.option("API two").check();
  await card.send.click();
  for (const [header, label] of [["Colour", "Colour two"], ["Size", "Size one"], ["API", "API two"]]) {
    await expect(card.article.getByTestId("said").filter({ hasText: header })).toContainText(label);
  }
  expect((await api.untilAnswered(session, "Which API?")).answers).toEqual([["Colour two"], ["Size one"], ["API two"]]);
});

test("options of the same name are chosen each by itself", async ({ api, desk }) => {
  const session = await api.begin(script(ask(question(COLOUR, ["Same", "Other", "Same"], { multiple: true }))));
  await desk.openInbox();
  const card = desk.inbox.card(COLOUR);
  await card.open();
  await card.choices.nth(2).check();
  await expect(card.choices.nth(0)).not.toBeChecked();
  await card.choices.nth(0).check();
  await card.choices.nth(2).uncheck();
  await expect(card.choices.nth(0)).toBeChecked();
  await card.choices.nth(1).check();
  await card.send.click();
  await expectAnswered(desk, api, session, COLOUR, [["Same", "Other"]]);
});

test("confirmations take the focus and give it back", async ({ api, desk }) => {
  const session = await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
  await desk.openSession(session);
  const card = desk.session.card(COLOUR);
  await expect(card.article).toHaveAttribute("data-open");
  await card.untilReady();
  await desk.page.keyboard.press("x");
  await expect(card.article.getByRole("button", { name: "Dismiss", exact: true })).toBeFocused();
  await desk.page.keyboard.press("Escape");
  await expect(card.dismiss).toBeFocused();
  await card.dismiss.click();
  await card.keepWaiting.click();
  await expect(card.dismiss).toBeFocused();
  await desk.page.keyboard.press("Shift+S");
  await expect(desk.page.getByRole("button", { name: "Stop the run" })).toBeFocused();
  await desk.page.keyboard.press("Escape");
  await expect(desk.session.stop).toBeFocused();
  await desk.page.keyboard.press("x");
  await desk.page.keyboard.press("Enter");
  await until("dismissed", async () => (await api.questions()).length === 0);
  await expect(card.state).toHaveText(/^dismissed/);
  await expect(card.article).toContainText("You dismissed it");
  await expect(card.article).toBeFocused();
});

test("the confirmations of a permission take the focus, and Enter allows nothing", async ({ api, desk }) => {
  const session = await api.begin(script(run("echo by hand")));
  await desk.openSession(session);
  const card = desk.session.permission("echo by hand");
  await expect(card.article).toHaveAttribute("data-open");
  await card.untilReady();
  await desk.page.keyboard.press("Shift+A");
  await expect(card.sheet).toBeFocused();
  await desk.page.keyboard.press("Enter");
  await desk.page.keyboard.press("Tab");
  await expect(card.article.getByRole("button", { name: "Always allow", exact: true })).toBeFocused();
  expect(await api.permissions()).toHaveLength(1);
  await desk.page.keyboard.press("Escape");
  await expect(card.alwaysAllow).toBeFocused();
  await desk.page.keyboard.press("r");
  await expect(card.rejectMessage).toBeFocused();
  await desk.page.keyboard.press("Escape");
  await expect(card.reject).toBeFocused();
  await card.reject.click();
  await card.rejectAndStop.click();
  await expect(card.state).toHaveText(/^rejected/);
  await expect(card.article).toContainText("You rejected it");
});

test("what was lost is copied by its key, discarded, and brought back", async ({ api, context, desk }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const session = await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
  await desk.openSession(session);
  const card = desk.session.card(COLOUR);
  await card.ownAnswer.fill("A light teal");
  const [asked] = await api.questions();
  await api.reply(asked.id, [["Red"]]);
  await expect(card.correct).toBeVisible();
  await card.article.focus();
  await expect(card.article).toHaveAttribute("data-open");
  await desk.page.keyboard.press("c");
  await expect(async () => expect(await desk.page.evaluate(() => navigator.clipboard.readText())).toBe("A light teal")).toPass();
  await card.discard.click();
  await expect(card.undo).toBeFocused();
  await desk.page.keyboard.press("Enter");
  await expect(card.discard).toBeFocused();
  await expect(card.correct).toBeVisible();
});

test("keys work on a keyboard without Latin letters", async ({ api, desk }) => {
  await api.begin(script(run("echo by hand")));
  await desk.openInbox();
  const card = desk.inbox.permission("echo by hand");
  await card.open();
  await card.pressKeys({ key: "к", code: "KeyR" });
  await expect(card.rejectMessage).toBeFocused();
  await desk.page.keyboard.press("Escape");
  await card.pressKeys({ key: "ф", code: "KeyA" });
  await until("allowed", async () => (await api.permissions()).length === 0);
});

test("keys of other keyboards, and a prefix that was long ago", async ({ api, desk }) => {
  await desk.page.clock.install();
  await desk.page.addInitScript(() => Object.defineProperty(navigator, "platform", { value: "MacIntel" }));
  await api.begin(script({ text: "Nothing to ask." }));
  await desk.openInbox();
  await expect(desk.inbox.empty).toBeVisible();
  await expect(desk.page.getByTestId("sidebar").getByRole("button", { name: /Search/ })).toContainText("⌘");
  await desk.page.keyboard.press("g");
  await desk.page.clock.fastForward(10_000);
  await desk.page.keyboard.press("s");
  // Keys are handled one after the other: this one is seen when the last one has been.
  await desk.page.keyboard.press("?");
  await expect(desk.page.getByRole("dialog")).toBeVisible();
  await expect(desk.page).toHaveURL(/#\/inbox$/);
  await desk.page.keyboard.press("Escape");
  const press = (/** @type {KeyboardEventInit[]} */ ...keys) =>
    desk.page.evaluate((keys) => {
      for (const key of keys) document.body.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...key }));
    }, keys);
  await press({ key: "g", code: "KeyG" }, { key: "s", code: "KeyS" });
  await expect(desk.page).toHaveURL(/#\/sessions$/);
  // Windows reports AltGr as Control and Alt.
  await press({ key: "[", code: "Digit8", ctrlKey: true, altKey: true, modifierAltGraph: true });
  await expect(desk.page).toHaveURL(/#\/inbox$/);
});

test("every key of the help does something somewhere", async ({ api, desk }) => {
  await desk.page.setViewportSize({ width: 1400, height: 900 });
  /** @type {Set<string>} */
  const bound = new Set(["J", "K", "?", "[", "N", "G", "I", "S", "Ctrl K"]);
  const collect = async () => {
    const found = await desk.page.locator("[aria-keyshortcuts]").evaluateAll((elements) => elements.map((element) => element.getAttribute("aria-keyshortcuts") ?? ""));
    for (const key of found.flatMap((keys) => keys.split(" "))) bound.add(key);
  };
  const session = await api.begin(script(ask(question(COLOUR, ["Red", "Blue"], { header: "One" }), question("How large?", ["Small"], { header: "Two" }))));
  await desk.openInbox();
  const card = desk.inbox.card(COLOUR);
  await card.open();
  await card.next.or(card.tabs.last()).first().click();
  await collect();
  await card.tabs.first().click();
  await collect();
  await card.dismiss.click();
  await collect();
  await card.keepWaiting.click();
  await desk.openSession(session);
  const there = desk.session.card(COLOUR);
  await there.ownAnswer.fill("Teal");
  await collect();
  const [asked] = await api.questions();
  await api.reply(asked.id, [["Red"], ["Small"]]);
  await expect(there.correct).toBeVisible();
  await there.article.focus();
  await expect(there.article).toHaveAttribute("data-open");
  await collect();
  await desk.page.keyboard.press("Control+f");
  await expect(desk.session.find.field).toBeFocused();
  bound.add("Control+F");
  await desk.page.keyboard.press("Escape");
  await api.begin(script(run("echo by hand")));
  await desk.openInbox();
  const permission = desk.inbox.permission("echo by hand");
  await permission.open();
  await collect();
  await api.begin(script({ name: "write", input: { filePath: "new.txt", content: Array.from({ length: 30 }, (_, line) => `line ${line}`).join("\n") } }));
  const edit = desk.inbox.permission("new.txt");
  await edit.open();
  await collect();
  await desk.page.keyboard.press("?");
  await desk.page.getByRole("dialog").getByRole("switch").waitFor();
  const caps = await desk.page.getByRole("dialog").locator("li").evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll("kbd")].map((cap) => cap.textContent ?? "")));
  const names = { "↵": "Enter", "←": "ArrowLeft", "→": "ArrowRight", Esc: "Escape", Ctrl: "Control", "⌘": "Meta" };
  const missing = caps.flatMap((row) => {
    const keys = row.map((cap) => names[/** @type {keyof typeof names} */ (cap)] ?? cap);
    const together = keys[0] === "Shift" || keys[0] === "Control" ? [keys.join("+")] : keys;
    return together.filter((key) => !bound.has(key) && key !== "Control+K" && key !== "9");
  });
  expect(missing).toEqual([]);
});

test("an answer that the server refuses is kept and says why, with the server's words folded", async ({ api, desk, page }) => {
  const session = await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
  await page.route("**/question/*/reply*", (route) => route.continue({ postData: "{}" }));
  await desk.openInbox();
  const card = desk.inbox.card(COLOUR);
  await card.write("Rather green");
  const notice = card.article.getByText("Not sent.").locator("..");
  await expect(notice).toHaveText("Not sent. The server does not accept it. Your answer is kept.");
  await expect(card.ownAnswer).toHaveValue("Rather green");
  const details = card.article.locator("details.raw");
  await expect(details.locator("code")).toBeHidden();
  await details.locator("summary").click();
  await expect(details.locator("code")).toHaveText(/^Missing key\s+at \["answers"\] \(400\)$/);
  await expect.poll(() => isWithin(card.send, card.article)).toBe(true);
  await page.setViewportSize({ width: 390, height: 844 });
  await desk.openSession(session);
  const phone = desk.session.card(COLOUR);
  await expect(phone.article.getByText("Not sent.")).toBeVisible();
  await expect.poll(async () => (await phone.meta.boundingBox())?.height).toBeLessThan(30);
  await page.setViewportSize({ width: 1400, height: 900 });
  await desk.openInbox();
  await card.open();
  await page.unroute("**/question/*/reply*");
  await card.send.click();
  await expectAnswered(desk, api, session, COLOUR, [["Rather green"]]);
});
