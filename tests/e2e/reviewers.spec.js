// @ts-check
/** Reviewers of a session, and what they say. */
import { readFileSync } from "node:fs";
import { barriers, barriersEverywhere } from "./barriers.js";
import { expect, test } from "./fixtures.js";
import { ChecksPage } from "./pages/checks.js";
import { ask, question, script, write } from "./say.js";

const ASKED = "Which limits count?";
const UNANSWERED = "Who signs it?";
const WRITES = [{ permission: "edit", pattern: "*", action: "allow" }];

/** A reviewer whose answers are these steps. */
function reviewer(/** @type {string} */ name, /** @type {any[]} */ steps, /** @type {number} */ timeout = 60) {
  return { name, prompt: `\n${script(...steps)}\n`, timeout };
}

/** Saves reviewers as another tab does: a document of its own, so that this one hears of it. */
async function saveElsewhere(/** @type {import("@playwright/test").Page} */ page, /** @type {string} */ text) {
  await page.evaluate((kept) => {
    const other = document.body.appendChild(document.createElement("iframe"));
    other.contentWindow?.localStorage.setItem("switchboard:reviewers", kept);
    other.remove();
  }, text);
}

/** C9 */
test("verdicts appear as they end, and what stops a GO is sent to the agent", async ({ api, desk, page }) => {
  const session = await api.begin(script({ text: "Limits are in place." }), { title: "Rate-limit the public API" });
  await api.untilIdle(session);
  await desk.openSession(session);
  const checks = new ChecksPage(page);
  // What was saved by hand and is broken stays as it is.
  const broken = '[\n{"name": 7}]';
  await page.evaluate((text) => localStorage.setItem("switchboard:reviewers", text), broken);
  await checks.askReviewers.click();
  await checks.form.getByText("Reviewers as a JSON file", { exact: true }).click();
  const json = checks.form.getByRole("textbox", { name: "Reviewers as JSON" });
  await expect(checks.form.getByRole("alert")).toContainText("line 2: name of reviewer 1");
  await expect(json).toHaveValue(broken);
  await expect(checks.form.getByRole("button", { name: "Add a reviewer" })).toBeDisabled();
  await json.fill('[\n{"name": "a"}]');
  await expect(checks.form.getByRole("alert")).toContainText("line 2: prompt of reviewer 1 is missing");
  expect(await page.evaluate(() => localStorage.getItem("switchboard:reviewers"))).toBe(broken);
  await checks.form.getByRole("button", { name: "Cancel" }).click();

  const issue = "src/window.rs:31 is not shared between workers.";
  await checks.review(
    [
      reviewer("slow", [{ text: "p: slow\nv: GO\n...\n", delay: 6000 }]),
      reviewer("quick", [{ text: "p: quick\nv: GO\ni:\n  - L: a name\n...\n" }]),
      reviewer("strict", [{ text: `p: strict\nv: NO-GO\ni:\n  - C: ${issue}\n  - H: It leaks.\n...\n`, delay: 1000 }]),
      reviewer("second", [{ text: `p: second\nv: CONDITIONAL\ni:\n  - H: ${issue}\n...\n` }]),
      reviewer("prose", [{ text: "It looks fine to me." }]),
      reviewer("cut", [{ text: "p: cut\nv: NO-GO\ni:\n  - C: \"The wind" }]),
      reviewer("asking", [ask(question(ASKED, ["All", "None"])), { text: "p: asking\nv: GO\n...\n" }]),
      reviewer("hanging", [{ text: "Never.", delay: 600_000 }], 12),
      reviewer("unanswered", [ask(question(UNANSWERED, ["Ann", "Ben"]))], 40),
    ],
    "src/window.rs",
  );
  // They appear while another one has not ended: this one waits for a person.
  await expect(checks.verdict("asking")).toContainText("waiting for you");
  await expect(checks.verdict("quick")).toContainText("GO");
  expect(await barriers(page)).toEqual([]);
  await checks.verdict("asking").getByRole("link", { name: "Answer it" }).click();
  const card = desk.inbox.card(ASKED);
  await expect(card.article).toContainText(/Waits until\s*you answer, or \d\d:\d\d, when this reviewer is stopped/);
  await card.answer("All");
  const unanswered = desk.inbox.card(UNANSWERED);
  await expect(unanswered.timeOut).toContainText(/Waiting, 0:\d\d left\. At \d\d:\d\d this reviewer is stopped, and the request with it\./);
  await page.goto(`${desk.siteUrl}/?server=${desk.serverUrl}#/session/${session.id}/checks`);
  await expect(checks.verdict("slow")).toContainText("GO");
  await expect(checks.verdict("asking")).toContainText("GO");
  await expect(checks.verdict("prose")).toContainText("no verdict");
  await expect(checks.verdicts).toContainText("It looks fine to me.");
  await expect(checks.verdict("cut")).toContainText("no verdict");
  await expect(checks.verdict("hanging")).toContainText("no verdict");
  await expect(checks.verdict("unanswered")).toContainText("no verdict");
  await expect(checks.verdicts).toContainText("It took too long, and was stopped. Its time runs also while it waits for an answer.");
  await expect(checks.reviewers.getByRole("listitem").filter({ hasText: issue })).toContainText("strict, second · found by two");

  expect(await barriersEverywhere(page)).toEqual([]);

  await checks.reviewers.getByRole("button", { name: "Send 2 issues to the agent" }).click();
  await expect(checks.reviewers.getByRole("button", { name: "Sent to the agent" })).toBeVisible();
  await page.reload();
  await expect(checks.reviewers.getByRole("button", { name: "Sent to the agent" })).toBeDisabled();
  await api.untilIdle(session);
  // The scripted agent repeats what it was told: only what was sent counts.
  const sent = (await api.messages(session)).filter(({ info, parts }) => info.role === "user" && parts.some(({ text }) => text?.includes(`- C: ${issue} (strict, second)`)));
  expect(sent).toHaveLength(1);
  await checks.reviewers.getByRole("button", { name: "Ask the reviewers again" }).click();
  await expect(checks.verdicts.getByRole("row")).not.toHaveCount(10);
  await expect(checks.verdict("strict")).toContainText("NO-GO");
  await checks.reviewers.getByText("Earlier reviews").click();
  await expect(checks.reviewers).toContainText("3 GO, 1 CONDITIONAL, 1 NO-GO, 4 without a verdict");
  await checks.stopNow.click();
});

/** C5, C9 */
test("a check, reviewers and the agent take turns until all say GO, over a question that is answered in the inbox", async ({ api, desk, page }) => {
  const limits = script(write("limits.txt", "loose\n"), { text: "Limits are in place." }, write("limits.txt", "tight\n"), { text: "Mended." });
  const session = await api.begin(limits, { title: "Rate-limit the public API", permission: WRITES });
  await api.untilIdle(session);
  await desk.openSession(session);
  const checks = new ChecksPage(page);
  await checks.review(
    [
      reviewer("strict", [{ text: "p: strict\nv: NO-GO\ni:\n  - H: It leaks.\n...\n", again: { text: "p: strict\nv: GO\n...\n" } }]),
      reviewer("asking", [{ tools: [ask(question(ASKED, ["All", "None"]))], again: { text: "p: asking\nv: GO\n...\n" } }, { text: "p: asking\nv: GO\n...\n" }]),
    ],
    "Look at the numbers first.",
    { check: "echo fine; date >> checked", changed: "limits.txt" },
  );
  await expect(checks.verdict("strict")).toContainText("NO-GO");
  await expect(checks.section).toContainText("A reviewer waits for your answer");
  await desk.openInbox();
  await desk.inbox.card(ASKED).answer("All");
  await expect(desk.inbox.card(ASKED).article).toBeHidden();
  // Without a page load: one that comes as the check is being sent leaves that to a person.
  await page.evaluate((id) => (location.hash = `#/session/${id}/checks`), session.id);
  await expect(checks.end).toContainText("all reviewers say GO");
  await expect(checks.rounds.getByRole("listitem").first()).toHaveText(/1 issue/);
  await expect(checks.rounds.getByRole("listitem").nth(1)).toHaveText(/GO/);
  await expect(checks.verdict("strict")).toContainText("GO");
  const told = (await api.messages(session)).filter(({ info, parts }) => info.role === "user" && parts.some(({ text }) => text?.includes("- H: It leaks. (strict)")));
  expect(told).toHaveLength(1);
  // Each time they see what has changed by then.
  const reviews = (await api.sessions()).filter(({ title }) => title.startsWith("Review: strict "));
  const shown = await Promise.all(reviews.map(async (review) => (await api.messages(review))[0]));
  shown.sort((one, other) => one.info.time.created - other.info.time.created);
  const texts = shown.map(({ parts }) => parts.map(({ text }) => text ?? "").join(""));
  expect(texts).toHaveLength(2);
  for (const text of texts) expect(text).toMatch(/Look at the numbers first\.[^]*\+loose/);
  expect(texts.map((text) => text.includes("+tight"))).toEqual([false, true]);
});

/** C5, C8 */
test("reviewers come from a file, and the verdicts of eight appear as they end", async ({ api, desk, page }, testInfo) => {
  const session = await api.begin(script({ text: "Limits are in place." }), { title: "Rate-limit the public API" });
  await api.untilIdle(session);
  await desk.openSession(session);
  const checks = new ChecksPage(page);
  await checks.askReviewers.click();
  await checks.form.getByText("Reviewers as a JSON file", { exact: true }).click();
  const json = checks.form.getByRole("textbox", { name: "Reviewers as JSON" });
  const saved = JSON.stringify([reviewer("one", [{ text: "p: one\nv: GO\n...\n" }])], null, 2);
  const file = (/** @type {string} */ text) => ({ name: "reviewers.json", mimeType: "application/json", buffer: Buffer.from(text) });
  const chosen = checks.form.getByLabel("Import…");
  await chosen.setInputFiles(file(saved.slice(0, -8)));
  await expect(checks.form.getByRole("alert")).toContainText("line 5");
  await chosen.setInputFiles(file(saved));
  await expect(checks.form.getByRole("alert")).toBeHidden();
  await expect(checks.form.getByRole("checkbox", { name: "one", exact: true })).toBeChecked();
  const downloading = page.waitForEvent("download");
  await checks.form.getByRole("button", { name: "Export" }).click();
  const exported = await (await downloading).path();
  expect(JSON.parse(readFileSync(exported, "utf8"))).toEqual(JSON.parse(saved));
  // Another tab saves others meanwhile.
  const list = (/** @type {string} */ name) => `${JSON.stringify([{ name, prompt: "Look." }], null, 2)}\n`;
  const kept = () => page.evaluate(() => localStorage.getItem("switchboard:reviewers"));
  const others = checks.form.getByRole("alert").filter({ hasText: "Another tab has saved other reviewers" });
  await saveElsewhere(page, list("two"));
  await expect(json).toHaveValue(list("two"));
  await json.fill("[");
  await saveElsewhere(page, list("three"));
  await expect(others).toBeVisible();
  await expect(json).toHaveValue("[");
  await others.getByRole("button", { name: "Take those" }).click();
  await expect(json).toHaveValue(list("three"));
  await expect(checks.form.getByRole("alert")).toBeHidden();
  await json.fill("[");
  await saveElsewhere(page, list("four"));
  await expect(others).toBeVisible();
  await json.fill(list("five"));
  expect(await kept()).toBe(list("four"));
  await others.getByRole("button", { name: "Keep these" }).click();
  await expect(others).toBeHidden();
  expect(await kept()).toBe(list("five"));
  await checks.form.getByRole("button", { name: "Cancel" }).click();

  const delays = [8, 7, 6, 5, 4, 3, 2, 1].map((place) => ({ name: `reviewer ${place}`, delay: place * 1000 }));
  await page.evaluate(() => {
    const seen = /** @type {any} */ (globalThis);
    seen.verdictsSeen = {};
    new MutationObserver(() => {
      for (const row of document.querySelectorAll(".verdicts tbody tr")) {
        const [name, verdict] = [...row.children].map((cell) => cell.textContent?.trim() ?? "");
        if (/GO$|no verdict/.test(verdict)) seen.verdictsSeen[name] ??= Date.now();
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await checks.review(
    [...delays.map(({ name, delay }) => reviewer(name, [{ text: "v: GO\n...\n", delay }])), { ...reviewer("elsewhere", [{ text: "v: GO\n" }]), model: "nobody/none" }],
    "src/window.rs",
  );
  await expect(page).toHaveTitle(/\d of 9 reviews/);
  await expect(checks.stopAfterRound).toBeHidden();
  await expect(checks.verdict("elsewhere")).toContainText("no verdict");
  await expect(checks.verdicts).toContainText("A model that is not configured is the usual reason.");
  for (const { name } of delays) await expect(checks.verdict(name)).toContainText("GO");
  /** @type {Record<string, number>} */
  const seen = await page.evaluate(() => /** @type {any} */ (globalThis).verdictsSeen);
  const ended = await Promise.all(
    delays.map(async ({ name }) => {
      const reviewed = (await api.sessions()).find(({ title }) => title?.startsWith(`Review: ${name} `));
      if (!reviewed) throw new Error(`There is no session of ${name}.`);
      expect(reviewed.parentID, "no session of another's").toBeUndefined();
      const replies = (await api.messages(reviewed)).filter(({ info }) => info.role === "assistant");
      return Number(replies.at(-1)?.info.time?.completed);
    }),
  );
  const shown = delays.map(({ name }) => seen[name]);
  // Two that end within one interval may come with one refresh.
  const byEnd = ended.map((at, place) => ({ at, shown: shown[place] })).sort((one, other) => one.at - other.at);
  for (const [place, { at, shown: first }] of byEnd.entries()) {
    for (const next of byEnd.slice(place + 1)) if (next.at > at + 1000) expect(next.shown, "they appear in the order in which they end").toBeGreaterThan(first);
  }
  const late = shown.map((at, place) => Math.round(at - ended[place]));
  testInfo.annotations.push({ type: "verdicts shown, in ms after the reply was complete", description: JSON.stringify(late) });
  expect(Math.min(...late), "no verdict is shown before its reply is complete").toBeGreaterThanOrEqual(0);
  expect(Math.min(...shown), "the first verdict is shown while other reviewers are at work").toBeLessThan(Math.max(...ended));

  // Nothing has changed, and nothing else is named: none is asked to say GO to nothing.
  await checks.review([reviewer("one", [{ text: "v: GO\n...\n" }])], "");
  await expect(checks.reviewers).toContainText("The reviewers were not asked: no change of a file was found in the session");
  await expect(checks.verdict("one")).toContainText("not asked");
  await expect(checks.goOn).toBeVisible();
});

/** C5 */
test("nothing that is wrong in the form is left out silently, and the rules say how long a reviewer may take", async ({ api, desk, page }) => {
  const session = await api.begin(script({ text: "Limits are in place." }), { title: "Rate-limit the public API" });
  await api.untilIdle(session);
  await desk.openSession(session);
  const checks = new ChecksPage(page);
  const { form } = checks;
  const start = form.getByRole("button", { name: "Start" });
  // Rules that were written by hand, and are broken.
  await page.evaluate(() => localStorage.setItem("switchboard:completion", '{\n"dispatch_timeout": "long"}'));
  await checks.askReviewers.click();
  await expect(form.getByRole("heading", { name: "Ask reviewers" })).toBeFocused();
  await expect(form.getByRole("alert")).toContainText("line 2: dispatch_timeout must be a number of seconds above 0");
  await form.getByRole("textbox", { name: "What to review" }).fill("src/window.rs");
  const rules = form.getByRole("textbox", { name: "Rules as JSON" });
  await expect(rules).toBeHidden();
  await start.click();
  await expect(rules).toBeFocused();
  await rules.fill('{"dispatch_timeout": 4}');
  await expect(form.getByRole("alert")).toBeHidden();
  expect(await page.evaluate(() => localStorage.getItem("switchboard:completion"))).toBe('{"dispatch_timeout": 4}');

  await form.getByText("Reviewers as a JSON file", { exact: true }).click();
  const json = form.getByRole("textbox", { name: "Reviewers as JSON" });
  const { timeout, ...hangs } = reviewer("hangs", [{ text: "Never.", delay: 600_000 }]);
  await json.fill(JSON.stringify([hangs]));
  await json.fill("[{");
  await start.click();
  await expect(json).toBeFocused();
  await json.fill(JSON.stringify([{ ...hangs, agent: "nobody-has-this" }, hangs]).replace('"hangs"', '"unknown"'));
  const time = form.getByRole("textbox", { name: /^Time-out/ }).first();
  await form.getByText("Change unknown").click();
  await time.fill("soon");
  await form.getByText("Change unknown").click();
  await form.getByText("Change hangs").click();
  await form.getByRole("combobox", { name: "Agent" }).selectOption("plan");
  await form.getByRole("combobox", { name: "Model" }).selectOption({ index: 1 });
  await form.getByText("Change hangs").click();
  const [, chosen] = JSON.parse(await json.inputValue());
  await start.click();
  await expect(time).toBeFocused();
  expect(await barriersEverywhere(page)).toEqual([]);
  await time.fill("");
  await form.getByRole("checkbox", { name: "Send what they find to the agent" }).check();
  await form.getByText("Limits of all replies together").click();
  const tokens = form.getByRole("textbox", { name: "Tokens" });
  await tokens.fill("-5");
  await form.getByText("Limits of all replies together").click();
  await start.click();
  await expect(tokens).toBeFocused();
  await tokens.fill("");
  await form.getByRole("checkbox", { name: "Send what they find to the agent" }).uncheck();
  await start.click();
  await expect(checks.askReviewers).toBeFocused();
  await expect(checks.verdict("unknown")).toContainText("reviewing");
  await expect(checks.verdict("hangs")).toContainText("no verdict");
  await expect(checks.verdict("unknown")).toContainText("no verdict");
  const asked = (await api.sessions()).filter(({ title }) => title.startsWith("Review: hangs "));
  const [[{ info: request }]] = await Promise.all(asked.map((review) => api.messages(review)));
  expect([request.agent, `${request.model?.providerID}/${request.model?.modelID}`]).toEqual(["plan", chosen.model]);
  await expect(checks.verdicts).toContainText("see whether this server has it");
  await expect(checks.verdicts).toContainText("It took too long, and was stopped.");
  await checks.askReviewers.click();
  await form.getByRole("button", { name: "Cancel" }).click();
  await expect(checks.askReviewers).toBeFocused();
});
