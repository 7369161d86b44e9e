// @ts-check
/** Under each fault a new question is seen, its answer reaches the model once, and only then the page says so. */
import { join } from "node:path";
import { makeRepository } from "../../www/npm/serve/folder.mjs";
import { Api } from "./api.js";
import { expect, test } from "./fixtures.js";
import { expectAnswered, receivedFor } from "./proof.js";
import { ask, question, script } from "./say.js";

const COLOUR = "Which colour in spite of all?";

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {Partial<import("./fault-proxy.mjs").Faults>} [before] Faults that are there when the page is opened.
 * @property {Partial<import("./fault-proxy.mjs").Faults>} [after] Faults that begin once the page is connected.
 * @property {Partial<import("./fault-proxy.mjs").Faults>} [sending] Faults that begin once the question is open.
 */

/** @type {Case[]} */
const CASES = [
  { name: "no fault" },
  { name: "the event stream stalls half-open", after: { events: "stall" } },
  { name: "the event stream is silent from the start", before: { events: "stall" } },
  { name: "the event stream is refused from the start", before: { events: "refuse" } },
  { name: "the event stream is dropped again and again", before: { events: "drop" } },
  { name: "one call in three fails", before: { failing: 1 / 3 } },
  { name: "one call in three fails, and there are no events", before: { failing: 1 / 3, events: "refuse" } },
  { name: "the reply is applied and its response lost", sending: { losing: 1 } },
  { name: "the reply is applied and its response lost, five times", sending: { losing: 5 } },
  { name: "one body in three is garbage, cut off or HTML", after: { garbling: 1 / 3 } },
  { name: "one body in three is broken from the start", before: { garbling: 1 / 3 } },
  { name: "three seconds of latency", before: { latency: 3000 } },
];

for (const { name, before, after, sending } of CASES) {
  test(name, async ({ api, desk, faults, model }, testInfo) => {
    if (before) faults.set(before);
    await desk.openInbox(faults.url);
    await expect(desk.inbox.empty).toBeVisible({ timeout: 60_000 });
    if (after) faults.set(after);
    await answerUnderFault({ api, desk, faults, model, testInfo, sending });
  });
}

test("another directory hangs", async ({ api, desk, faults, model, opencode }, testInfo) => {
  const hanging = join(opencode.folder, "repositories", "hanging");
  makeRepository(hanging);
  const other = new Api(opencode, hanging);
  const waiting = await other.begin(script(ask(question("Does anybody hear me?", ["Yes", "No"]))));
  await other.untilAsked("Does anybody hear me?");
  await desk.openInbox(faults.url);
  await expect(desk.inbox.card("Does anybody hear me?").article).toBeVisible();
  faults.set({ hangingDirectory: hanging });
  await answerUnderFault({ api, desk, faults, model, testInfo });
  faults.clear();
  await desk.inbox.card("Does anybody hear me?").answer("Yes");
  await expectAnswered(desk, other, waiting, "Does anybody hear me?", [["Yes"]]);
  await other.endAll();
});

test("a directory that hangs from the start", async ({ api, desk, faults, model, opencode }, testInfo) => {
  const hanging = join(opencode.folder, "repositories", "hanging-first");
  makeRepository(hanging);
  const other = new Api(opencode, hanging);
  await other.begin(script({ text: "Nothing." }));
  faults.set({ hangingDirectory: hanging });
  await desk.openInbox(faults.url);
  await answerUnderFault({ api, desk, faults, model, testInfo });
  await other.endAll();
});

test("an outage is visible, and what was sent meanwhile arrives after it", async ({ api, desk, faults, model }) => {
  const session = await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
  await desk.openInbox(faults.url);
  const card = desk.inbox.card(COLOUR);
  await card.open();
  faults.set({ offline: true });
  await expect(desk.page.getByTestId("connection-bar")).toBeVisible();
  await card.answer("Blue");
  await expect(card.state).toHaveText(/^sending/i);
  faults.clear();
  await expectAnswered(desk, api, session, COLOUR, [["Blue"]]);
  await expect(desk.page.getByTestId("connection-bar")).toBeHidden();
  await api.untilIdle(session);
  expect(receivedFor(model, COLOUR)).toHaveLength(1);
});

/**
 * @param {object} world
 * @param {import("./api.js").Api} world.api
 * @param {import("./pages/desk.js").Desk} world.desk
 * @param {import("./fault-proxy.mjs").FaultProxy} world.faults
 * @param {import("../../www/npm/serve/model.mjs").Model} world.model
 * @param {import("@playwright/test").TestInfo} world.testInfo
 * @param {Case["sending"]} [world.sending]
 */
async function answerUnderFault({ api, desk, faults, model, testInfo, sending }) {
  const session = await api.begin(script(ask(question(COLOUR, ["Red", "Blue"])), { text: "Painted." }));
  await api.untilAsked(COLOUR);
  const [part] = await api.toolParts(session);
  const asked = part.state.time?.start ?? 0;

  const card = desk.inbox.card(COLOUR);
  await card.open();
  const [seen] = await desk.historyOf(COLOUR);
  await card.option("Blue").check();
  if (sending) faults.set(sending);
  await card.send.click();
  await expectAnswered(desk, api, session, COLOUR, [["Blue"]]);
  await api.untilIdle(session);
  expect(receivedFor(model, COLOUR)).toEqual([expect.stringContaining(`"${COLOUR}"="Blue"`)]);

  const readable = faults.exchanges.find((exchange) => exchange.path === "/question" && exchange.at >= asked && exchange.outcome === "200");
  const figures = `asked to visible ${seen.at - asked} ms; first readable /question after ${readable ? readable.at - asked : "?"} ms`;
  testInfo.annotations.push({ type: "latency", description: figures });
  console.log(`      ${testInfo.title}: ${figures}`);
}
