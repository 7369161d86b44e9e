// @ts-check
/** The window on a long session under keys and fingers, and in a browser that does not keep the place by itself. */
import { expect, test } from "./fixtures.js";
import { importLongSession, LAST_WORDS } from "./measure/long-session.mjs";
import { script } from "./say.js";

const MESSAGES = 200;
const FRAMES = 60;
const SWIPE_STEPS = 10;
/** Words that come for as long as the test looks at them. */
const STREAM = script({ text: Array.from({ length: 4000 }, (_, at) => (at % 40 === 39 ? `word${at}\n\n` : `word${at} `)).join(""), chunk: 12, chunkDelay: 20 });

for (const keeps of [true, false]) {
  const browser = keeps ? "a browser that keeps the place" : "a browser that does not keep the place";
  test(`in ${browser}, keys go through a long session, and nothing moves under the eye`, async ({ desk, model, opencode, serverApi: api }) => {
    const session = await importLongSession({ api, server: opencode, modelUrl: model.url }, MESSAGES);
    if (!keeps) await desk.page.addInitScript(forgetPlaces);
    await desk.openSession(session);
    const { page, session: shown } = desk;
    const end = shown.timeline.getByText(LAST_WORDS);
    /** Presses a key until this is in sight. What the page scrolls to keep the place ends what a key still scrolls: then it is pressed again. */
    const press = (/** @type {string} */ key, /** @type {import("@playwright/test").Locator} */ sight) =>
      expect(async () => {
        await page.keyboard.press(key);
        await expect(sight).toBeInViewport({ timeout: 1000 });
      }).toPass({ timeout: 30_000 });
    const said = (/** @type {number} */ step) => shown.timeline.getByText(`Go on with step ${step}, and`);
    await expect(end).toBeInViewport();
    await shown.pane.focus();

    await test.step("a page up leads up a screen, and a page down back", async () => {
      // Older messages come in above meanwhile. Where the page has to keep the place, what it scrolls for that is added to what
      // the key still scrolls.
      await expectPageUp(shown, end, keeps ? 1 : 2, { mayBeLost: !keeps });
      await press("PageDown", end);
    });

    await test.step("Home and End lead to the first and the last message", async () => {
      // Older messages are read until none is left.
      await press("Home", said(0));
      await press("End", end);
    });

    await test.step("nothing moves while rows are drawn and go", async () => {
      expect(await shown.movedWhileScrolling([-9000, ...Array(30).fill(-180), 7000, ...Array(15).fill(-400), ...Array(15).fill(300)])).toEqual([]);
    });

    await test.step("nothing moves when something above it grows", async () => {
      expect(await shown.movedWhileScrolling([0, 0, 0], 200)).toEqual([]);
    });

    await test.step("what is searched for is shown where it is expected, near and far", async () => {
      for (const step of [188, 100, 160]) {
        await page.keyboard.press("Control+f");
        await shown.find.field.fill(`Go on with step ${step}, and`);
        await expect(said(step)).toBeInViewport();
        expect(await shown.movedWhileScrolling([0])).toEqual([]);
        const [found, pane] = [await said(step).boundingBox(), await shown.pane.boundingBox()];
        const share = ((found?.y ?? 0) - (pane?.y ?? 0)) / (pane?.height ?? 1);
        expect(Math.abs(share - 0.4), `step ${step} at ${share} of the height`).toBeLessThan(0.05);
      }
    });
  });
}

test("older messages that come in meanwhile do not end what a key scrolls", async ({ desk, model, opencode, serverApi: api }) => {
  const session = await importLongSession({ api, server: opencode, modelUrl: model.url }, MESSAGES);
  const { page, session: shown } = desk;
  const older = await hold(page, /\/message\?.*before=/);
  await desk.openSession(session);
  const end = shown.timeline.getByText(LAST_WORDS);
  await expect(end).toBeInViewport();
  await older.held;
  await page.exposeFunction("release", older.release);
  await shown.pane.focus();
  await shown.pane.evaluate((pane) => {
    const at = pane.scrollTop;
    pane.addEventListener("scroll", () => pane.scrollTop < at && /** @type {any} */ (window).release());
  });
  const held = await shown.held();
  await expectPageUp(shown, end, 1);
  await expect.poll(() => shown.held()).toBeGreaterThan(held);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test("a finger leaves the end of what streams, and the page rests until the end is wanted again", async ({ api, desk }) => {
    const session = await api.begin(STREAM);
    await desk.openSession(session);
    const { page, session: shown } = desk;
    await expect(shown.said).toContainText("word400");
    const devtools = await page.context().newCDPSession(page);
    /** A finger moves down or up by so many px. */
    const swipe = async (/** @type {number} */ distance) => {
      const from = 400 - distance / 2;
      const touch = (/** @type {"touchStart" | "touchMove" | "touchEnd"} */ type, /** @type {number[]} */ ...at) =>
        devtools.send("Input.dispatchTouchEvent", { type, touchPoints: at.map((y) => ({ x: 195, y })) });
      await touch("touchStart", from);
      for (let step = 1; step <= SWIPE_STEPS; step += 1) await touch("touchMove", from + (distance * step) / SWIPE_STEPS);
      await touch("touchEnd");
    };
    const end = () => shown.pane.evaluate((pane) => Math.round(pane.scrollHeight - pane.scrollTop - pane.clientHeight));

    await swipe(400);
    const inSight = await page.evaluateHandle(() => document.elementFromPoint(195, 300)?.closest("p") ?? document.body);
    /** Where it is, once it has been there for some frames: a swipe goes on for a moment. */
    const place = () =>
      inSight.evaluate(async (element) => {
        const top = () => Math.round(element.getBoundingClientRect().top);
        for (let before = top(), still = 0; still < 10; before = top()) {
          await new Promise((resolve) => requestAnimationFrame(resolve));
          still = top() === before ? still + 1 : 0;
        }
        return top();
      });
    const before = await place();
    await expect(shown.said).toContainText("word800");
    expect(await place(), "what comes below moves nothing").toBe(before);
    await expect(shown.newBelow).toBeVisible();

    await shown.newBelow.tap();
    await expect(shown.newBelow).toBeHidden();
    await expect(shown.said).toContainText("word1200");
    await expect.poll(end, "the end is followed again").toBeLessThan(48);
  });
});

test("what works turns its sign without a frame of the page's own", async ({ api, desk }) => {
  const session = await api.begin(script({ text: "Done.", delay: 600_000 }));
  await desk.openSession(session);
  const { page, session: shown } = desk;
  await expect(shown.state).toHaveAttribute("data-state", "working");
  await expect(page.locator(".icon-arc").first()).toBeVisible();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  const layouts = async () => (await devtools.send("Performance.getMetrics")).metrics.find(({ name }) => name === "LayoutCount")?.value ?? 0;
  const before = await layouts();
  const seconds = await page.evaluate(async (frames) => {
    const begun = performance.now();
    for (let frame = 0; frame < frames; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    return (performance.now() - begun) / 1000;
  }, FRAMES);
  // What counts seconds is laid out with each of them, and a slow machine has few frames in a second.
  expect((await layouts()) - before - 2 * seconds).toBeLessThan(FRAMES / 2);
});

/**
 * Presses Page Up, and expects that this has come to rest lower by at least three quarters of a screen, and by so many screens at most.
 *
 * @param {import("./pages/session.js").SessionPage} session
 * @param {import("@playwright/test").Locator} sight
 * @param {number} screens
 * @param {{ mayBeLost?: boolean }} [options] Whether the key may be pressed again where only the page itself has scrolled.
 */
async function expectPageUp({ pane }, sight, screens, { mayBeLost = false } = {}) {
  const page = sight.page();
  const place = async () => (await sight.boundingBox())?.y ?? 0;
  const screen = await pane.evaluate((pane) => pane.clientHeight);
  const before = await place();
  const moves = await pane.evaluateHandle((pane) => {
    const moves = { count: 0 };
    const top = pane.scrollTop;
    pane.addEventListener("scroll", () => (moves.count += Number(pane.scrollTop !== top)));
    return moves;
  });
  const count = () => moves.evaluate(({ count }) => count);
  /** How far it is lower, once it has been there for some frames. */
  const lower = () =>
    sight.evaluate(async (sight, before) => {
      const top = () => Math.round(sight.getBoundingClientRect().top);
      for (let last = top(), still = 0; still < 30; last = top()) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        still = top() === last ? still + 1 : 0;
      }
      return top() - before;
    }, before);
  let moved = 0;
  // Chromium now and then drops a key that scrolls: nothing has moved then, and it is pressed again.
  await expect(async () => {
    if (mayBeLost || (await count()) === 0) await page.keyboard.press("PageUp");
    await expect.poll(count, { timeout: 1000 }).toBeGreaterThan(0);
    moved = await lower();
    if (mayBeLost) expect(moved).toBeGreaterThan(0);
  }).toPass({ timeout: 30_000 });
  expect(moved).toBeGreaterThan(0.75 * screen);
  expect(moved).toBeLessThanOrEqual(screens * screen);
}

/**
 * Holds what the server answers to the first of these requests.
 *
 * @param {import("@playwright/test").Page} page
 * @param {RegExp} urls
 */
async function hold(page, urls) {
  const [held, arrive] = promise();
  const [released, release] = promise();
  await page.route(
    urls,
    async (route) => {
      const response = await route.fetch();
      arrive();
      await released;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  return { held, release };
}

/** @returns {[Promise<void>, () => void]} */
function promise() {
  /** @type {() => void} */
  let resolve = () => {};
  const made = /** @type {Promise<void>} */ (new Promise((done) => (resolve = () => done(undefined))));
  return [made, resolve];
}

/** Makes a browser of this one that does not know `overflow-anchor`, as Safari is. */
function forgetPlaces() {
  const supports = CSS.supports.bind(CSS);
  CSS.supports = (/** @type {string} */ name, /** @type {string} */ ...value) => name !== "overflow-anchor" && /** @type {any} */ (supports)(name, ...value);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { overflow-anchor: none !important; }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
