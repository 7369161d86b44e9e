// @ts-check
/** The timeline of the open session: what comes is in view or announced, and nothing moves under the hand. */
import { expect, test } from "./fixtures.js";
import { ask, question, run, script } from "./say.js";

const QUESTIONS = ["Which colour?", "Which size?", "Which shape?", "Which finish?", "Which price?", "Which date?"];
const asking = (/** @type {string} */ text) => ask(question(text, ["Yes", "No", "Perhaps", "Later"]));
const LONG_TEXT = Array.from({ length: 60 }, (_, at) => `Paragraph ${at + 1} of a long text.`).join("\n\n");

/** R9 */
test("questions that are answered elsewhere at once never leave the next one below the fold", async ({ api, desk }) => {
  const session = await api.begin(script(...QUESTIONS.map(asking)));
  await desk.openSession(session);
  for (const text of QUESTIONS.slice(0, -1)) {
    const request = await api.untilAsked(text);
    await desk.session.card(text).article.waitFor();
    await api.reply(request.id, [["Yes"]]);
  }
  await expect(desk.session.card(QUESTIONS.at(-1) ?? "").option("Later")).toBeInViewport();
});

/** R9 */
test("who has scrolled away is told by name what waits below, and led to it", async ({ api, desk }) => {
  const [first, second] = QUESTIONS;
  const session = await api.begin(script({ text: LONG_TEXT, tools: [asking(first)] }, asking(second), { text: "That is all." }));
  await desk.openSession(session);
  const { page, session: shown } = desk;
  await expect(shown.card(first).option("Later")).toBeInViewport();
  await shown.timeline.hover();
  await page.mouse.wheel(0, -3000);
  await expect(shown.firstMessage).toBeInViewport();
  await expect(shown.pill).toHaveText(`Waiting question: ${first}`);

  await api.reply((await api.untilAsked(first)).id, [["Yes"]]);
  await expect(shown.pill).toHaveText(`New question: ${second}`);
  await expect(shown.firstMessage).toBeInViewport();
  await shown.pill.click();
  await expect(shown.card(second).option("Later")).toBeInViewport();
  await expect(shown.pill).toHaveCount(0);

  await shown.timeline.hover();
  await page.mouse.wheel(0, -3000);
  await expect(shown.pill).toHaveText(`Waiting question: ${second}`);
  await api.reply((await api.untilAsked(second)).id, [["Yes"]]);
  await expect(shown.newBelow).toHaveText("New below");
  await shown.newBelow.click();
  await expect(shown.timeline.getByText("That is all.", { exact: true })).toBeInViewport();
});

test("a person's own scrolling alone ends following the end", async ({ api, desk }) => {
  const session = await api.begin(script({ text: LONG_TEXT, tools: [asking(QUESTIONS[0])] }, ...QUESTIONS.slice(1).map(asking)));
  await desk.openSession(session);
  const { page, session: shown } = desk;
  /** @type {[string, () => Promise<unknown>, () => Promise<unknown>][]} */
  const ways = [
    ["a key", () => page.keyboard.press("Home"), () => page.keyboard.press("End")],
    ["the wheel", () => page.mouse.wheel(0, -9000), () => page.mouse.wheel(0, 9000)],
    ["the browser, as its search does", () => shown.firstMessage.evaluate((element) => element.scrollIntoView()), () => page.keyboard.press("End")],
  ];
  for (const [at, [way, leave, comeBack]] of ways.entries()) {
    await test.step(way, async () => {
      await expect(shown.card(QUESTIONS[at]).option("Later")).toBeInViewport();
      await page.setViewportSize({ width: 1400, height: 500 + 100 * at });
      await expect(shown.card(QUESTIONS[at]).option("Later")).toBeInViewport();
      await shown.card(QUESTIONS[at]).article.hover();
      await shown.timeline.locator("..").focus();
      await leave();
      await expect(shown.firstMessage).toBeInViewport();
      await api.reply((await api.untilAsked(QUESTIONS[at])).id, [["Yes"]]);
      await expect(shown.pill).toHaveText(`New question: ${QUESTIONS[at + 1]}`);
      await expect(shown.firstMessage).toBeInViewport();
      await comeBack();
    });
  }
});

/** C6 */
test("text that streams is a sign of life", async ({ api, desk }) => {
  const words = Array.from({ length: 400 }, (_, at) => `word${at}`).join(" ");
  const session = await api.begin(script({ text: words, chunk: 8, chunkDelay: 25 }));
  await desk.openSession(session);
  for (const word of ["word100 ", "word200 ", "word300 "]) {
    await expect(desk.session.said).toContainText(word);
    await expect(desk.session.state).toContainText(/last sign [0-2] s ago/);
  }
});

test("a selection survives what streams, in the paragraph that grows as well", async ({ api, desk }) => {
  const line = (/** @type {number} */ at) => Array.from({ length: 12 }, (_, word) => `w${at}-${word}`).join(" ");
  const text = `${line(1)}\n\n- **${line(2)}**\n- ${line(3)} and \`${line(4)}\`, then ${Array.from({ length: 12 }, (_, at) => line(at + 5)).join(" ")}`;
  const session = await api.begin(script({ text, chunk: 12, chunkDelay: 60 }));
  await desk.openSession(session);
  const { said } = desk.session;
  const selected = () => desk.page.evaluate(() => String(getSelection()));
  for (const [word, next] of [["w1-3", "w3-9"], ["w5-1", "w8-5"]]) {
    await expect(said).toContainText(`${word} `);
    await said.evaluate((element, word) => {
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      let node = texts.nextNode();
      while (node && !node.textContent?.includes(word)) node = texts.nextNode();
      if (!node) throw new Error(`nothing says ${word}`);
      const from = (node.textContent ?? "").indexOf(word);
      getSelection()?.setBaseAndExtent(node, from, node, from + word.length);
    }, word);
    expect(await selected()).toBe(word);
    await expect(said).toContainText(next);
    expect(await selected()).toBe(word);
  }
  await api.untilIdle(session);
  await expect(desk.session.state).toHaveAttribute("data-state", "done");
  expect(await selected()).toBe("w5-1");
});

test("output is shown without its colours, and with what it hides", async ({ api, desk }) => {
  const command = "printf '\\033[31mred\\033[0m and \\033[2Kgone \\342\\200\\256turned'";
  const session = await api.begin(script(run(command), run("seq 1 5000")), { permission: [{ permission: "bash", pattern: "*", action: "allow" }] });
  await desk.openSession(session);
  const [first, second] = [0, 1].map((at) => desk.session.timeline.getByTestId("tool").nth(at));
  await expect(second).toContainText("OpenCode cut this output.");
  await first.getByRole("button", { name: "Bash" }).click();
  await expect(first.locator("pre").last()).toHaveText("red and ‹U+001B›[2Kgone ‹U+202E›turned");
  await expect(first).not.toContainText("OpenCode cut this output.");
});

for (const viewport of [
  { width: 350, height: 225 },
  { width: 320, height: 256 },
]) {
  test(`at a zoom of 400 % (${viewport.width} × ${viewport.height}) a question is read and answered where it was asked`, async ({ api, desk }) => {
    await desk.page.setViewportSize(viewport);
    const session = await api.begin(script({ text: LONG_TEXT, tools: [asking(QUESTIONS[0])] }, { text: "Thank you." }));
    await desk.openSession(session);
    const card = desk.session.card(QUESTIONS[0]);
    const all = [card.article.getByRole("heading"), card.option("Yes"), card.option("No"), card.option("Perhaps"), card.option("Later"), card.send, desk.session.prompt];
    await expect(all[0]).toBeInViewport({ ratio: 1 });
    for (const part of all) {
      // The card is drawn anew as the one that is open while the page is still loading.
      await expect(async () => {
        await part.scrollIntoViewIfNeeded({ timeout: 5000 });
        await expect(part).toBeInViewport({ ratio: 1, timeout: 5000 });
      }).toPass({ timeout: 30_000 });
      const { isHit, room } = await part.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        const hit = document.elementFromPoint(left + width / 2, top + height / 2);
        return { isHit: element.contains(hit) || Boolean(hit?.contains(element)), room: document.documentElement.scrollWidth - innerWidth };
      });
      expect(isHit, "nothing lies over it").toBe(true);
      expect(room, "nothing scrolls sideways").toBeLessThanOrEqual(0);
    }
    await card.option("No").check();
    await card.send.click();
    expect((await api.untilAnswered(session, QUESTIONS[0])).answers).toEqual([["No"]]);
    await expect(desk.session.timeline.getByText("Thank you.", { exact: true })).toBeAttached();
  });
}
