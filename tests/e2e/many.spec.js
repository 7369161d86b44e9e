// @ts-check
/** Many sessions at once: every answer reaches its own. */
import { until } from "./api.js";
import { expect, test } from "./fixtures.js";
import { randomFrom } from "./random.js";
import { expectAnswered } from "./proof.js";
import { ask, question, script } from "./say.js";

const SESSIONS = 20;

test("twenty sessions ask, and each gets its own answer", async ({ api, desk }) => {
  test.setTimeout(300_000);
  await desk.openInbox();
  const asked = await Promise.all(
    Array.from({ length: SESSIONS }, async (_, index) => {
      const text = `What is the name of number ${String(index).padStart(2, "0")}?`;
      return { text, label: `Name ${index}`, session: await api.begin(script(ask(question(text, [`Name ${index}`, "None"])))) };
    }),
  );
  // Twenty agents that start at once are slow; how fast the server lists them is not the page's doing.
  await until("all have asked", async () => (await api.questions()).length === SESSIONS, 120_000);
  await expect(desk.page).toHaveTitle(`(${SESSIONS}) Switchboard`);
  await expect(desk.inbox.cards).toHaveCount(SESSIONS);

  const random = randomFrom(20);
  const order = asked.map((each) => ({ each, at: random() })).sort((one, other) => one.at - other.at);
  for (const { each } of order) await desk.inbox.card(each.text).answer(each.label);
  for (const { text, label, session } of asked) await expectAnswered(desk, api, session, text, [[label]]);
  await expect(desk.page).toHaveTitle("Switchboard");
});
