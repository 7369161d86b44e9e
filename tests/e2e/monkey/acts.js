// @ts-check
/** What the monkey can do, and how often it does it. */

/**
 * @typedef {import("./tab.js").Tab} Tab
 * @typedef {import("./world.js").World} World
 *
 * @typedef {object} Scene
 * @property {World} world
 * @property {Tab[]} tabs
 * @property {Tab} tab The tab in front.
 * @property {import("../fault-proxy.mjs").FaultProxy} faults
 * @property {() => number} random
 * @property {number} step
 *
 * @typedef {(scene: Scene) => Promise<string>} Act Does something, and says what.
 */

const KEYS = ["j", "k", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "w", "x", "m", "c", "Escape", "a", "a", "Shift+A", "r", "d", "o", "p", "t", "Shift+S", "?", "[", "Tab", "Shift+Tab", " ", "Control+k", "n"];
const ANSWERING_KEYS = ["1", "2", "3", "4", "Enter", "Enter", "Enter", "a", "a", "a"];
const SIZES = [
  { width: 1400, height: 900 },
  { width: 1400, height: 900 },
  { width: 390, height: 844 },
  { width: 720, height: 900 },
];

/** @template T @param {T[]} list @param {() => number} random @returns {T} */
const pick = (list, random) => list[Math.floor(random() * list.length)];

/** @param {Tab} tab @param {string} key */
const press = async (tab, key) => {
  await tab.page.keyboard.press(key === " " ? "Space" : key);
};

/** @type {Act} */
const anyKey = async ({ tab, random }) => {
  const key = pick(KEYS, random);
  await press(tab, key);
  return `key ${key}`;
};

/** Keys do nothing to a request while a dialog is open. @param {Tab} tab */
const closeDialog = async (tab) => {
  if (await tab.page.locator("dialog[open]").count()) await press(tab, "Escape");
};

/** @type {Act} */
const answeringKeys = async ({ tab, random }) => {
  await closeDialog(tab);
  const keys = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(ANSWERING_KEYS, random));
  for (const key of keys) await press(tab, key);
  return `keys ${keys.join(" ")}`;
};

/** @type {Act} */
const goto = async ({ tab, world, random }) => {
  const place = random() < 0.7 ? `#/session/${pick(world.sessions, random).id}` : pick(["#/inbox", "#/inbox", "#/sessions"], random);
  await tab.page.evaluate((place) => void (location.hash = place), place);
  return `go to ${place}`;
};

/** @type {Act} */
const keySequence = async ({ tab, random }) => {
  const second = pick(["i", "s"], random);
  await press(tab, "g");
  await press(tab, second);
  return `keys g ${second}`;
};

/** @type {Act} */
const click = async ({ tab, random }) => {
  const targets = await tab.targets();
  const preferred = targets.filter((target) => target.request !== null);
  const target = pick(preferred.length > 0 && random() < 0.7 ? preferred : targets, random);
  if (!target) return "nothing to click";
  await tab.page.mouse.click(target.x, target.y);
  return `click “${target.label}”${target.request ? ` of ${target.request}` : ""}`;
};

/** @type {Act} */
const type = async ({ tab, random, step }) => {
  await closeDialog(tab);
  const fields = (await tab.targets()).filter((target) => target.kind === "textarea");
  const field = pick(fields, random);
  if (!field) return "nothing to type into";
  await tab.page.mouse.click(field.x, field.y);
  await tab.page.keyboard.type(`word${step}${pick(["", " and more"], random)}`);
  const send = random() < 0.25 ? pick(["Enter", "Control+Enter"], random) : null;
  if (send) await press(tab, send);
  else if (random() < 0.5) await press(tab, "Escape");
  return `type word${step} into ${field.label}${send ? `, ${send}` : ""}`;
};

/** Chooses something in a card that waits, and sends it, as a person would. @type {Act} */
const answer = async ({ tab, random }) => {
  await closeDialog(tab);
  const targets = (await tab.targets()).filter((target) => target.request !== null);
  const request = pick(targets, random)?.request;
  const own = targets.filter((target) => target.request === request);
  const choice = pick(own.filter((target) => target.kind === "input"), random);
  if (choice) await tab.page.mouse.click(choice.x, choice.y);
  const now = (await tab.targets()).filter((target) => target.request === request);
  const send = now.find((target) => /^(Send|Next|Allow once|Reject…|Reject and|Dismiss$)/.test(target.label));
  if (send) await tab.page.mouse.click(send.x, send.y, { clickCount: random() < 0.3 ? 2 : 1 });
  return `answer ${request}: “${choice?.label}”, “${send?.label}”`;
};

/** @type {Act} */
const wheel = async ({ tab, random }) => {
  const distance = pick([-3000, -400, 400, 3000], random);
  const size = tab.page.viewportSize() ?? SIZES[0];
  await tab.page.mouse.move(size.width * 0.45, size.height / 2);
  await tab.page.mouse.wheel(0, distance);
  return `wheel ${distance}`;
};

/** @type {Act} */
const reload = async ({ tab }) => {
  await tab.page.reload();
  return "reload";
};

/** @type {Act} */
const history = async ({ tab, random }) => {
  const back = random() < 0.7;
  await (back ? tab.page.goBack() : tab.page.goForward()).catch(() => null);
  return back ? "back" : "forward";
};

/** @type {Act} */
const resize = async ({ tab, random }) => {
  const size = pick(SIZES, random);
  await tab.page.setViewportSize(size);
  return `resize to ${size.width}`;
};

/** @type {Act} */
const otherReplies = async ({ world, random }) => {
  const request = pick(await world.waiting(), random);
  if (!request) return "nothing to reply to elsewhere";
  await world.reply(request, random);
  return `reply elsewhere to ${request.id} (${request.name})`;
};

/** @type {Act} */
const otherStops = async ({ world, random }) => {
  const session = pick(world.sessions, random);
  await world.abort(session);
  return `stop ${session.title} elsewhere`;
};

/** Stops a run, as a person would. @type {Act} */
const stop = async ({ tab }) => {
  await closeDialog(tab);
  await press(tab, "Escape");
  await press(tab, "Shift+S");
  const asked = await tab.page.getByRole("button", { name: "Stop the run" }).isVisible();
  if (asked) await press(tab, "Enter");
  return asked ? "stop the run" : "nothing to stop";
};

/** @type {Act} */
const otherAsks = async ({ world, random }) => {
  await world.keepBusy(random);
  return "prompt all idle sessions elsewhere";
};

/** What is open is answered elsewhere while a key is pressed for it. @type {Act} */
const keyWhileCardChanges = async ({ tab, world, random }) => {
  const open = await tab.page.evaluate(() => document.querySelector("article[data-open]")?.getAttribute("data-request-id"));
  const request = (await world.waiting()).find((request) => request.id === open);
  if (!request) return "nothing is open";
  const keys = pick([["a"], ["1", "Enter"], ["2", "Enter"], ["Enter"]], random);
  const answered = world.reply(request, random);
  for (const key of keys) {
    await tab.page.waitForTimeout(random() * 150);
    await press(tab, key);
  }
  await answered;
  return `keys ${keys.join(" ")} while ${request.id} is answered elsewhere`;
};

/** Two tabs answer what is open in both. @type {Act} */
const bothTabsAnswer = async ({ tabs, world, random }) => {
  const request = pick(await world.waiting(), random);
  if (!request) return "nothing waits";
  await Promise.all(tabs.map((tab) => tab.page.evaluate((place) => void (location.hash = place), `#/session/${request.session}`)));
  const choices = tabs.map(() => pick(["Red", "Green", "Blue"], random));
  const answer = async (/** @type {Tab} */ tab, /** @type {string} */ label) => {
    const card = tab.page.locator(`article[data-request-id="${request.id}"]`);
    if (request.questions) await card.getByLabel(label, { exact: true }).first().click({ timeout: 3000 });
    await card.getByRole("button", { name: request.questions ? /^Send/ : /^Allow once/ }).click({ timeout: 3000 });
  };
  await Promise.all(tabs.map((tab, at) => answer(tab, choices[at]).catch(() => {})));
  return `both tabs answer ${request.id}: ${choices.join(", ")}`;
};

/** @type {Act} */
const slowServer = async ({ faults, random }) => {
  const set = pick([{ latency: 0 }, { latency: 0 }, { latency: 400 }, { latency: 1200 }, { events: /** @type {const} */ ("stall") }, { events: /** @type {const} */ ("pass") }, { losing: 1 }], random);
  faults.set(set);
  return `faults ${JSON.stringify(set)}`;
};

/** @type {Act} */
const nextTab = async (scene) => {
  const others = scene.tabs.filter((tab) => tab !== scene.tab);
  scene.tab = pick(others, scene.random) ?? scene.tab;
  await scene.tab.page.bringToFront();
  return `tab ${scene.tab.number}`;
};

/** @type {[number, Act][]} */
const ACTS = [
  [12, anyKey],
  [14, answeringKeys],
  [8, goto],
  [2, keySequence],
  [16, click],
  [12, answer],
  [9, type],
  [5, wheel],
  [3, reload],
  [3, history],
  [3, resize],
  [7, otherReplies],
  [1, otherStops],
  [3, stop],
  [6, otherAsks],
  [8, keyWhileCardChanges],
  [4, bothTabsAnswer],
  [3, slowServer],
  [4, nextTab],
];

/** Does one thing. Where nothing waits, it mostly goes on to where something does. @param {Scene} scene */
export async function act(scene) {
  if (/#\/(sessions|new)$/.test(scene.tab.page.url()) && scene.random() < 0.6) return goto(scene);
  const total = ACTS.reduce((sum, [weight]) => sum + weight, 0);
  let at = scene.random() * total;
  const chosen = ACTS.find(([weight]) => (at -= weight) < 0) ?? ACTS[0];
  return chosen[1](scene);
}
