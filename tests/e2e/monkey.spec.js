// @ts-check
/**
 * A monkey at the desk: it does what people do, at random, while another client does the same, and after each step the page
 * is compared with the server.
 *
 * `MONKEY_SEED` chooses the history, `MONKEY_STEPS` its length. A step depends on the seed, its number, and what is on the page.
 */
import { expect, test } from "./fixtures.js";
import { act } from "./monkey/acts.js";
import { Checks } from "./monkey/checks.js";
import { Tab } from "./monkey/tab.js";
import { Truth } from "./monkey/truth.js";
import { World } from "./monkey/world.js";
import { randomFrom } from "./random.js";

const SEED = Number(process.env.MONKEY_SEED ?? 7);
const STEPS = Number(process.env.MONKEY_STEPS ?? 200);
const SESSIONS = 4;
const STEPS_TOLD = 100;
const MS_PER_STEP_MAX = 30_000;

/** R2, R5, R10, R13, R18, R19, R20 */
test("whatever people press, nothing is missed, nothing is lost, and nothing goes out that was not chosen", { tag: "@soak" }, async ({ api, desk, faults, opencode }) => {
  test.setTimeout(120_000 + STEPS * MS_PER_STEP_MAX);
  const world = new World(api);
  const truth = new Truth(api, opencode.url);
  await truth.follow();
  for (let at = 0; at < SESSIONS; at += 1) await world.begin(randomFrom(SEED * 1000 + at));
  /** @type {import("./monkey/recorder.js").Press[]} */
  const presses = [];
  const checks = new Checks(world, truth, faults, presses);
  const first = new Tab(desk, presses, 1);
  const second = new Tab(await desk.openTab(), presses, 2);
  const tabs = [first, second];
  for (const tab of tabs) {
    await tab.record((typed) => checks.heard(typed));
    await tab.desk.openInbox(faults.url);
    await tab.return(faults.url);
  }
  const scene = { world, tabs, tab: first, faults, random: randomFrom(SEED), step: 0 };
  /** @type {string[]} */
  const steps = [];
  await first.page.bringToFront();
  while (scene.step < STEPS && checks.found.length === 0) {
    scene.step += 1;
    scene.random = randomFrom(SEED * 100_003 + scene.step);
    const did = await act(scene);
    await scene.tab.return(faults.url);
    steps.push(`${scene.step}. [tab ${scene.tab.number} ${new URL(scene.tab.page.url()).hash}] ${did}`);
    await checks.waitingIsShown(scene.tab);
    await checks.sent(tabs);
    await checks.typedIsThere(scene.tab);
    for (const tab of tabs) await checks.answeredIsProven(tab);
    checks.found.push(...desk.problems);
  }
  faults.clear();
  if (checks.found.length === 0) await checks.endsAreChosen(tabs);
  truth.close();
  console.log(`monkey: seed ${SEED}, ${scene.step} steps, ${JSON.stringify(checks.figures)}`);
  expect(checks.found, `seed ${SEED}: ${checks.found.join("; ")}\nthe last steps:\n${steps.slice(-STEPS_TOLD).join("\n")}`).toEqual([]);
});
