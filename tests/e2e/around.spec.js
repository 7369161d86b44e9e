// @ts-check
/** What the page does around answering: finding, starting, forgetting, and saying what is not there. */
import { expect, test } from "./fixtures.js";
import { ask, question, script } from "./say.js";

const COLOUR = "Which colour is around?";

test("the palette finds what waits and opens it, without the mouse", async ({ api, desk }) => {
  const session = await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))), { title: "Painting the fence" });
  await desk.openInbox();
  await expect(desk.inbox.card(COLOUR).article).toBeVisible();
  await desk.openPalette();
  await desk.page.keyboard.type("FENCE");
  await expect(desk.page.getByRole("option", { name: "Painting the fence" })).toHaveAttribute("aria-selected", "true");
  await desk.page.keyboard.press("Enter");
  await expect(desk.page).toHaveURL(new RegExp(`#/session/${session.id}$`));
  await expect(desk.page.getByRole("dialog")).toHaveCount(0);
});

test("single keys show the help, start a session, and can be switched off", async ({ api, desk }) => {
  await api.begin(script({ text: "Nothing to ask." }));
  await desk.openInbox();
  await expect(desk.inbox.empty).toBeVisible();
  await desk.page.keyboard.press("n");
  const first = desk.page.getByRole("textbox", { name: "First message" });
  await first.fill(script({ text: "I am here." }));
  await desk.page.getByRole("link", { name: "Cancel" }).click();
  await expect(desk.inbox.empty).toBeVisible();
  await desk.page.reload();
  await expect(desk.inbox.empty).toBeVisible();
  await desk.page.keyboard.press("n");
  await expect(first).toHaveValue(/I am here/);
  await desk.page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(desk.session.timeline).toContainText("I am here.");
  await desk.page.keyboard.press("?");
  await desk.page.getByRole("switch", { name: "Single-key shortcuts" }).uncheck();
  await desk.page.keyboard.press("Escape");
  await expect(desk.page.getByRole("dialog")).toHaveCount(0);
  await desk.page.keyboard.press("?");
  await desk.page.keyboard.press("Control+k");
  await expect(desk.page.getByRole("dialog")).toHaveAccessibleName("Search");
});

test("a key right after Escape is a key of the page again", async ({ desk }) => {
  await desk.openInbox();
  await expect(desk.inbox.empty).toBeVisible();
  await desk.openPalette();
  await desk.page.keyboard.press("Escape");
  for (let times = 0; times < 20; times += 1) {
    for (const key of ["?", "Escape", "Control+k", "Escape"]) await desk.page.keyboard.press(key);
    await expect(desk.page.getByRole("dialog")).toHaveCount(0);
    for (const key of ["?", "Escape", "Control+k"]) await desk.page.keyboard.press(key);
    await desk.page.keyboard.type("nobody");
    await expect(desk.page.getByRole("dialog")).toHaveAccessibleName("Search");
    await expect(desk.page.getByRole("combobox")).toHaveValue("nobody");
    await desk.page.keyboard.press("Escape");
    await expect(desk.page.getByRole("dialog")).toHaveCount(0);
  }
});

test("nothing above the pointer leaves the inbox", async ({ api, desk }) => {
  const [above, pointed, below] = ["Is it above?", "Is it here?", "Is it below?"];
  const asked = [];
  for (const text of [above, pointed, below]) {
    await api.begin(script(ask(question(text, ["Yes", "No"]))));
    asked.push(await api.untilAsked(text));
  }
  await desk.openInbox();
  await expect(desk.inbox.cards).toHaveCount(asked.length);
  const card = desk.inbox.card(pointed);
  await card.open();
  await card.option("No").hover();
  for (const { id } of [asked[0], asked[2]]) await api.reply(id, [["Yes"]]);
  await expect(desk.inbox.card(below).article).toHaveCount(0);
  await expect(desk.inbox.card(above).article).toBeVisible();
  await card.option("No").check();
  await desk.page.mouse.move(0, 0);
  await expect(desk.inbox.card(above).article).toHaveCount(0);
  await expect(card.option("No")).toBeChecked();
});

test("the keys of a card change questions and choose the answer of one's own", async ({ api, desk }) => {
  await api.begin(script(ask(question(COLOUR, ["Red", "Blue"], { header: "Colour" }), question("How large?", ["Small"], { header: "Size" }))));
  await desk.openInbox();
  const card = desk.inbox.card(COLOUR);
  await card.open();
  await card.article.focus();
  await desk.page.keyboard.press("ArrowRight");
  await expect(card.tab(/Size/)).toHaveAttribute("aria-selected", "true");
  await desk.page.keyboard.press("ArrowLeft");
  await expect(card.tab(/Colour/)).toHaveAttribute("aria-selected", "true");
  await desk.page.keyboard.press("3");
  await expect(card.ownAnswer).toBeFocused();

  const [colour, size] = [card.tab("Colour"), card.tab("Size")];
  await size.click();
  await expect(card.article.getByRole("tabpanel", { name: "Size" })).toBeVisible();
  for (const [key, front, behind] of /** @type {const} */ ([["ArrowRight", colour, size], ["ArrowLeft", size, colour], ["Home", colour, size], ["End", size, colour]])) {
    await desk.page.keyboard.press(key);
    await expect(front).toBeFocused();
    await expect(front).toHaveAttribute("aria-selected", "true");
    await expect(front).toHaveAttribute("tabindex", "0");
    await expect(behind).toHaveAttribute("tabindex", "-1");
  }
  await card.option("Small").check();
  await colour.click();
  await expect(card.tab("Size answered")).toBeVisible();
});

test("the button names what it sends, also beside an empty answer of one's own", async ({ api, desk }) => {
  const session = await api.begin(script(ask(question(COLOUR, ["Red", "Blue"], { multiple: true }))));
  await desk.openInbox();
  const card = desk.inbox.card(COLOUR);
  await card.open();
  await card.option("Blue").check();
  await card.option("Choose your own answer").check();
  await card.article.getByRole("button", { name: "Send “Blue”" }).click();
  expect((await api.untilAnswered(session, COLOUR)).answers).toEqual([["Blue"]]);
});

test("an address of no session says so and leads back", async ({ desk }) => {
  await desk.openSession({ id: "ses_of_nobody" });
  await expect(desk.page.getByText("This server has no such session")).toBeVisible();
  await desk.page.getByRole("link", { name: "Back to the inbox" }).click();
  await expect(desk.inbox.empty).toBeVisible();
});

test("addresses in a text are links, and nothing else is", async ({ api, desk }) => {
  const session = await api.begin(script({ text: "See https://example.org/a_b?c=1. Not javascript:alert(1) or `https://code.example`." }));
  await desk.openSession(session);
  const links = desk.session.timeline.getByRole("link");
  await expect(links).toHaveCount(1);
  await expect(links).toHaveAttribute("href", "https://example.org/a_b?c=1");
});

test("a server from before is offered, and forgotten on demand", async ({ desk, site }) => {
  await desk.openInbox();
  await expect(desk.inbox.empty).toBeVisible();
  await desk.page.goto(`${site.url}/?server=http://203.0.113.1:4096`);
  const name = new URL(desk.serverUrl).host;
  await expect(desk.page.getByRole("button", { name, exact: true })).toBeVisible();
  await desk.page.getByRole("button", { name: `Forget ${name}` }).click();
  await expect(desk.page.getByRole("button", { name, exact: true })).toHaveCount(0);
  await desk.page.reload();
  await expect(desk.connect.button).toBeVisible();
  await expect(desk.page.getByRole("button", { name, exact: true })).toHaveCount(0);
});

test("a page whose storage a newer one has taken offers to reload", async ({ desk, site }) => {
  await desk.openInbox();
  await expect(desk.inbox.empty).toBeVisible();
  const newer = await desk.page.context().newPage();
  await newer.goto(`${site.url}/boot.js`);
  await newer.evaluate(async () => {
    const [{ name, version }] = await indexedDB.databases();
    indexedDB.open(/** @type {string} */ (name), Number(version) + 1);
  });
  await expect(desk.page.getByRole("alert").filter({ hasText: "A newer version of Switchboard" })).toBeVisible();
  await expect(desk.page.getByRole("button", { name: "Reload" })).toBeVisible();
});
