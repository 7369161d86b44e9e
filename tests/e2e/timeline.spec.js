// @ts-check
/** The timeline of the open session: what comes is in view or announced, and nothing moves under the hand. */
import { expect, test } from "./fixtures.js";
import { importLongSession, LAST_WORDS } from "./measure/long-session.mjs";
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
    ["the browser, as its search does", () => shown.timeline.evaluate((element) => element.scrollIntoView()), () => page.keyboard.press("End")],
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

/** R9 */
test("the wheel ends following what streams, on a page that is busy as well", async ({ api, desk }) => {
  const session = await api.begin(script({ text: LONG_TEXT, chunk: 8, chunkDelay: 100 }));
  await desk.openSession(session);
  const { page, session: shown } = desk;
  await expect(shown.said).toContainText("Paragraph 20 ");
  await page.evaluate(() => {
    addEventListener("wheel", () => {
      for (const free = performance.now() + 1000; performance.now() < free; );
    });
  });
  await shown.timeline.hover();
  await page.mouse.wheel(0, -9000);
  await expect(shown.said).toContainText("Paragraph 35 ");
  await expect(shown.firstMessage).toBeInViewport();
});

/** C6 */
test("text that streams is a sign of life", async ({ api, desk }) => {
  const words = Array.from({ length: 1600 }, (_, at) => `word${at}`).join(" ");
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

/**
 * Waits until nothing lies over the middle of an element.
 * @param {import("@playwright/test").Locator} part
 * @returns {Promise<number>} By how many pixels the page is wider than its window.
 */
async function shownFree(part) {
  let room = Number.NaN;
  await expect(async () => {
    await part.scrollIntoViewIfNeeded({ timeout: 5000 });
    await expect(part).toBeInViewport({ ratio: 1, timeout: 5000 });
    const found = await part.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      const isHit = element.contains(hit) || Boolean(hit?.contains(element));
      return { over: isHit ? "" : (hit?.outerHTML ?? "the edge of the window"), room: document.documentElement.scrollWidth - innerWidth };
    });
    expect(found.over, "what lies over it").toBe("");
    room = found.room;
  }).toPass({ timeout: 30_000 });
  return room;
}

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
      // The card is drawn anew as the one that is open while the page is still loading: what is measured then is no longer there.
      const room = await shownFree(part);
      expect(room, "nothing scrolls sideways").toBeLessThanOrEqual(0);
    }
    await card.option("No").check();
    await card.send.click();
    expect((await api.untilAnswered(session, QUESTIONS[0])).answers).toEqual([["No"]]);
    await expect(desk.session.timeline.getByText("Thank you.", { exact: true })).toBeAttached();
  });
}

test("a search goes through all messages of the session, and says which are not loaded", async ({ desk, model, opencode, serverApi: api }) => {
  const session = await importLongSession({ api, server: opencode, modelUrl: model.url }, 600);
  await desk.openSession(session);
  const { page, session: shown } = desk;
  const { find } = shown;
  await expect(shown.timeline.getByText(LAST_WORDS)).toBeInViewport();
  /** @type {boolean[]} Of each Ctrl F, whether the search of the browser opens. */
  const passed = [];
  await page.exposeFunction("notePress", (/** @type {boolean} */ isPassed) => passed.push(isPassed));
  await page.evaluate(() => {
    const note = /** @type {any} */ (globalThis).notePress;
    addEventListener("keydown", (event) => event.key === "f" && event.ctrlKey && setTimeout(() => note(!event.defaultPrevented)));
  });

  await shown.prompt.focus();
  await page.keyboard.press("Control+f");
  await expect(find.field).toBeFocused();
  await find.field.fill("STEP 4,");
  await expect(find.count).toHaveText("No results");
  await expect(find.bar).toContainText("Older messages are not loaded yet.");
  await find.load.click();
  await expect(find.count).toHaveText("1 result");
  await expect(find.bar).not.toContainText("Older messages");
  await expect(shown.timeline.getByText(LAST_WORDS)).toBeInViewport();
  await find.field.focus();
  await page.keyboard.press("Enter");
  await expect(find.count).toHaveText("1 of 1");
  await expect(shown.timeline.getByText("Go on with step 4, and")).toBeInViewport();

  await find.field.fill("and say what follows");
  await expect(find.count).toHaveText("2 of 150");
  await page.keyboard.press("Enter");
  await expect(find.count).toHaveText("3 of 150");
  await expect(shown.timeline.getByText("Go on with step 8, and")).toBeInViewport();
  for (const count of ["2 of 150", "1 of 150", "150 of 150"]) {
    await page.keyboard.press("Shift+Enter");
    await expect(find.count).toHaveText(count);
  }
  await expect(shown.timeline.getByText("Go on with step 596, and")).toBeInViewport();
  await find.field.focus();
  await page.keyboard.press("Control+f");
  await expect.poll(() => passed, "the second press is for the browser").toEqual([false, true]);

  await page.keyboard.press("Escape");
  await expect(find.bar).toBeHidden();
  await expect(shown.prompt).toBeFocused();
});

test("a long session is scrolled from end to end: few messages are drawn, nothing moves under the eye, nothing of a person's is lost", async ({ desk, model, opencode, serverApi: api }) => {
  test.setTimeout(300_000);
  const session = await importLongSession({ api, server: opencode, modelUrl: model.url }, 400);
  await api.prompt(session, script(asking(QUESTIONS[0])));
  await api.untilAsked(QUESTIONS[0]);
  await desk.openSession(session);
  const { page, session: shown } = desk;
  const card = shown.card(QUESTIONS[0]);
  await expect(card.option("Later")).toBeInViewport();
  const said = (/** @type {number} */ step) => shown.timeline.getByText(`Go on with step ${step}, and`);
  const drawn = () => shown.timeline.getByTestId("message").count();

  await test.step("an output is unfolded", async () => {
    await said(396).scrollIntoViewIfNeeded();
    const tool = shown.timeline.getByTestId("tool").last();
    await tool.getByRole("button").first().click();
    await expect(tool).toHaveAttribute("data-open", "true");
  });

  await test.step("what is being typed stays while the beginning is read", async () => {
    await card.ownAnswer.fill("Neither, I think");
    await card.ownAnswer.focus();
    await expect(async () => {
      await shown.timeline.locator("..").evaluate((pane) => pane.scrollTo({ top: 0 }));
      await expect(said(0)).toBeInViewport({ timeout: 500 });
    }).toPass({ timeout: 60_000 });
    expect(await drawn(), "few messages are drawn").toBeLessThan(100);
    await expect(card.ownAnswer).toBeFocused();
    await page.keyboard.type(", but wait");
    await expect(card.ownAnswer).toHaveValue("Neither, I think, but wait");
  });

  await test.step("nothing moves while rows are drawn and go", async () => {
    // Jumps come to what has never been drawn, small steps to what is drawn ahead of the eye.
    const moved = await shown.movedWhileScrolling([5000, 17_000, -9000, ...Array(40).fill(-180), 12_000, ...Array(20).fill(-400)]);
    expect(moved).toEqual([]);
  });

  await test.step("a selection over two messages stays, wherever the timeline is scrolled to", async () => {
    const selected = await shown.timeline.evaluate((timeline) => {
      const rows = timeline.querySelectorAll("[data-message-id]");
      getSelection()?.setBaseAndExtent(rows[8], 0, rows[11], 1);
      return String(getSelection());
    });
    expect(selected.length).toBeGreaterThan(20);
    for (const key of ["Home", "End"]) {
      await shown.timeline.locator("..").focus();
      await page.keyboard.press(key);
      await expect(key === "Home" ? said(0) : card.option("Later")).toBeInViewport();
      expect(await page.evaluate(() => String(getSelection()))).toBe(selected);
    }
  });

  await test.step("the frame of the page cannot be scrolled out of view", async () => {
    await shown.timeline.locator("..").focus();
    await page.keyboard.press("Home");
    await expect(said(0)).toBeInViewport();
    expect(await page.evaluate(() => (scrollTo(0, 3000), scrollY))).toBe(0);
  });

  await expect(shown.timeline.getByTestId("tool").last(), "it is still unfolded").toHaveAttribute("data-open", "true");
  await expect(card.ownAnswer).toHaveValue("Neither, I think, but wait");
});
