// @ts-check
/** Sessions that go on until a command passes. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { barriers, barriersEverywhere } from "./barriers.js";
import { expect, test } from "./fixtures.js";
import { ChecksPage } from "./pages/checks.js";
import { Notifications, lookAway } from "./pages/notifications.js";
import { ask, question, script } from "./say.js";

const WHICH = "Which limits count?";

/** Fails with two tests, then with one, then passes. */
const RED_RED_GREEN =
  "n=$(cat count 2>/dev/null || echo 0); n=$((n+1)); echo $n > count; case $n in " +
  "1) printf 'test limit::applies ... FAILED\\ntest limit::slides ... FAILED\\ntest result: FAILED. 1 passed; 2 failed; 0 ignored\\n'; exit 101;; " +
  "2) printf 'test limit::slides ... FAILED\\ntest result: FAILED. 2 passed; 1 failed; 0 ignored\\n'; exit 101;; esac";

/** The command lines that run on this machine and contain a word. */
function running(/** @type {string} */ word) {
  const all = execFileSync("ps", ["-eo", "stat=,args="], { encoding: "utf8" }).split("\n");
  return all.filter((line) => line.includes(word) && !line.startsWith("Z") && !line.includes("playwright"));
}

/** F7 */
test("a session goes on until its check passes, over a reload, and nothing is sent twice", async ({ api, desk, directory, page }) => {
  writeFileSync(join(directory, "package.json"), JSON.stringify({ scripts: { test: "node --test" } }));
  writeFileSync(join(directory, "go.mod"), "module limits\n");
  const session = await api.begin(script({ text: "Limits are in place." }), { title: "Rate-limit the public API" });
  await api.untilIdle(session);
  await desk.openSession(session);
  const checks = new ChecksPage(page);
  await checks.keepGoing.click();
  await expect(page).toHaveURL(/#\/session\/ses_\w+\/checks$/);
  await expect(checks.command).toHaveValue("npm test");
  await checks.form.getByRole("button", { name: "go test ./..." }).click();
  await expect(checks.command).toHaveValue("go test ./...");
  await checks.command.fill("");
  await checks.form.getByRole("button", { name: "Start" }).click();
  await expect(checks.form.getByText("Say which command has to pass.")).toBeVisible();
  await checks.form.getByRole("textbox", { name: /^At most/ }).fill("none");
  await expect(checks.form.getByText("At most is a whole number from 1 to 50.")).toBeVisible();
  expect(await barriersEverywhere(page)).toEqual([]);
  await checks.form.getByRole("button", { name: "Cancel" }).click();
  const message = `The check failed.\n${script({ text: "Mended.", delay: 2500 })}\n{output}`;
  await checks.check(RED_RED_GREEN, { message });

  await expect(checks.rounds.getByRole("listitem").first()).toHaveText(/2 failed/);
  await expect(checks.round(2)).toContainText("the agent is fixing 2 failures");
  await expect(checks.rounds.getByRole("listitem")).toHaveCount(5);
  await expect(page).toHaveTitle(/round 2 of 5/);
  await expect(page.getByTestId("session-row").filter({ hasText: "Rate-limit" })).toContainText("round 2 of 5");
  expect(await barriers(page)).toEqual([]);
  await page.reload();
  await expect(checks.trend).toContainText("It gets better: 2, then 1 failure.");
  await expect(checks.rounds.getByRole("listitem").nth(2)).toHaveText(/passed/);
  await expect(checks.end).toContainText("The check passes.");
  await expect(checks.rounds.getByRole("listitem").nth(1)).toHaveText(/1 failed/);
  const round = checks.round(2);
  await expect(round).toContainText("limit::slides");
  await expect(round).toContainText("exit 101");
  await round.getByRole("button", { name: "Show message" }).click();
  await expect(round.getByLabel("The message to the agent")).toContainText("test limit::slides ... FAILED");
  const told = (await api.messages(session)).filter(({ info, parts }) => info.role === "user" && parts.some(({ text }) => text?.startsWith("The check failed.")));
  expect(told).toHaveLength(2);
  await page.goBack();
  await expect(desk.session.timeline).toContainText("Mended.");
  await page.getByRole("link", { name: "Checks and reviews" }).click();
  await checks.keepGoing.click();
  await expect(checks.command).toHaveValue(RED_RED_GREEN);
});

/** F7 */
test("what is suggested for an empty field gives way to what a person types there", async ({ api, desk, directory, page }) => {
  writeFileSync(join(directory, "Cargo.toml"), "[package]");
  const session = await api.begin(script({ text: "Here." }), { title: "A slow suggestion" });
  await api.untilIdle(session);
  let asked = 0;
  let release = () => {};
  const released = /** @type {Promise<void>} */ (new Promise((resolve) => (release = resolve)));
  await page.route(/\/file\?/, async (route) => {
    asked += 1;
    await released;
    await route.continue();
  });
  await desk.openSession(session);
  const checks = new ChecksPage(page);
  await checks.keepGoing.click();
  await expect(checks.command).toBeFocused();
  await expect.poll(() => asked).toBeGreaterThan(0);
  await expect(checks.command).toHaveValue("");
  release();
  await expect(checks.command).toHaveValue("cargo test");
  await page.keyboard.type("make check");
  await expect(checks.command).toHaveValue("make check");
});

/** F4, F7 */
test("a check that cannot pass says why, and leaves no process behind", async ({ api, desk, page }) => {
  const session = await api.begin(script({ text: "Here." }), { title: "Checks that cannot pass" });
  await api.untilIdle(session);
  await desk.openSession(session);
  const checks = new ChecksPage(page);
  await checks.check("no-such-command-here");
  await expect(checks.end).toContainText("Two rounds failed in the same way, so it stopped. The shell did not find a command (exit 127)");
  await expect(checks.round(2)).toContainText("exit 127");
  expect(await barriersEverywhere(page)).toEqual([]);
  await checks.goOn.click();
  await expect(checks.rounds.getByRole("listitem").nth(2)).toHaveText(/failed/);
  await expect(checks.end).toContainText("Two rounds failed in the same way");

  const marker = `4${session.id.length}321.${process.pid}`;
  await checks.check(`echo begun; sleep ${marker}`);
  await expect(checks.round(1).getByLabel("Output so far")).toContainText("begun");
  expect(running(marker)).not.toEqual([]);
  await checks.stopNow.click();
  await expect(checks.end).toContainText("You stopped it.");
  await expect.poll(() => running(marker)).toEqual([]);

  await checks.check(`sleep ${marker}`, { rounds: 1, timeout: 2 });
  await expect(checks.round(1)).toContainText("took too long, and was stopped");
  await expect(checks.end).toContainText("It takes longer than its time-out: start it anew with more time");
  await expect.poll(() => running(marker)).toEqual([]);
  await checks.check(`sleep ${marker} & exit 3`, { rounds: 1 });
  await expect(checks.round(1)).toContainText("It printed nothing.");
  await expect(checks.end).toContainText("Its one round is used up, and it does not pass. The command prints nothing");
  await expect.poll(() => running(marker)).toEqual([]);
  await checks.check(`sleep ${marker} & read line || exit 9`, { rounds: 1 });
  await expect(checks.round(1)).toContainText("exit 9");
  await expect.poll(() => running(marker)).toEqual([]);
  await checks.check(`sleep ${marker} & yes ${marker} | head -c 50000000; echo 'the end'; exit 5`, { rounds: 1 });
  await expect(checks.round(1)).toContainText("exit 5");
  await expect(checks.round(1)).toContainText("the end");
  await expect(checks.end).toContainText("Tell the agent more in the timeline");
  await expect.poll(() => running(marker)).toEqual([]);

  await checks.check(`sleep ${marker}`);
  await expect(checks.rounds.getByRole("listitem").first()).toHaveText(/running/);
  await api.call("DELETE", `/session/${session.id}`);
  await expect.poll(() => running(marker)).toEqual([]);
});

/** Fails each time in another way. */
const NEVER_THE_SAME = "n=$(cat count 2>/dev/null || echo 0); n=$((n+1)); echo $n > count; printf 'FAIL the %s. case\\n' $n; exit 1";

/** R13, F7 */
test("the tab that is left carries a loop on, and tells of its end where nobody looks", async ({ api, context, desk, directory, site }) => {
  await context.grantPermissions(["notifications"], { origin: site.url });
  const notifications = await Notifications.recorded(context);
  await desk.openInbox();
  await desk.settings.open();
  await desk.settings.turnOnNotifications.click();
  await expect(desk.settings.turnOff).toBeVisible();
  const session = await api.begin(script({ text: "Limits are in place." }), { title: "Rate-limit the public API" });
  await api.untilIdle(session);
  const left = await desk.openTab();
  for (const tab of [desk, left]) await tab.openSession(session);
  const [checks, others] = [new ChecksPage(desk.page), new ChecksPage(left.page)];
  await left.page.getByRole("link", { name: "Checks and reviews" }).click();
  await checks.check(RED_RED_GREEN, { message: `The check failed.\n${script({ text: "Mended.", delay: 2500 })}\n{output}` });
  for (const shown of [checks, others]) await expect(shown.round(2)).toContainText("the agent is fixing 2 failures");
  await desk.page.close();
  await lookAway(left.page);
  await expect(left.page).toHaveTitle(/round 3 of 5/);
  await expect(others.end).toContainText("The check passes.");
  await expect(left.page).not.toHaveTitle(/round/);
  await expect.poll(() => notifications.shown).toEqual([
    expect.objectContaining({ title: "Rate-limit the public API: checks and reviews", body: expect.stringContaining("The check passes.") }),
  ]);
  const told = (await api.messages(session)).filter(({ info, parts }) => info.role === "user" && parts.some(({ text }) => text?.startsWith("The check failed.")));
  expect(told).toHaveLength(2);
  expect(readFileSync(join(directory, "count"), "utf8")).toBe("3\n");
});

test.describe("in a directory of its own", () => {
  test.use({ cold: true });

  /** F7 */
  test("a loop ends with its budget, after the round where a person says so, and goes on where nothing can be kept", async ({ api, desk, directory, page }) => {
    for (const [name, content] of [["Cargo.toml", "[package]"], ["package.json", '{"scripts":{"test":"node --test"}}']]) writeFileSync(join(directory, name), content);
    const session = await api.begin(script({ text: "Here." }), { title: "Loops that end" });
    await api.untilIdle(session);
    await desk.openSession(session);
    const checks = new ChecksPage(page);
    await checks.keepGoing.click();
    await expect(checks.command).toHaveValue("cargo test");
    await checks.form.getByRole("button", { name: "npm test" }).click();
    await expect(checks.command).toHaveValue("npm test");
    await checks.form.getByRole("button", { name: "Cancel" }).click();

    await checks.check(NEVER_THE_SAME, { tokens: 1 });
    await expect(checks.end).toContainText("The limit of tokens is reached.");
    await expect(checks.rounds.getByRole("listitem").nth(1)).toHaveText(/failed/);

    const message = `The check failed.\n${script({ text: "Mended.", delay: 3000 })}\n{output}`;
    await checks.check(NEVER_THE_SAME, { message });
    await expect(checks.round(2)).toContainText("the agent is fixing");
    await checks.stopAfterRound.click();
    await expect(page.getByText("It stops after this round.")).toBeVisible();
    await expect(checks.end).toContainText("You stopped it.");
    await expect(checks.rounds.getByRole("listitem").nth(1)).toHaveText(/failed/);
    expect(readFileSync(join(directory, "count"), "utf8")).toBe("4\n");

    const [kept, gone] = [await api.begin(script({ text: "Here, too." }), { title: "A loop that is not kept" }), await api.begin(script({ text: "Here." }), { title: "Its directory is gone" })];
    for (const quiet of [kept, gone]) await api.untilIdle(quiet);
    rmSync(directory, { recursive: true });
    await page.getByTestId("session-row").filter({ hasText: "Its directory is gone" }).click();
    await checks.check("echo never");
    await expect(checks.end).toContainText("as it does where the directory is gone. Put that right and go on");
    mkdirSync(directory);

    await page.evaluate(() => {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException("There is no room.", "QuotaExceededError");
      };
    });
    await page.getByTestId("session-row").filter({ hasText: "A loop that is not kept" }).click();
    await checks.check("sleep 3; echo done");
    await expect(checks.unkept).toContainText("keep this tab open");
    await expect(checks.end).toContainText("The check passes.");
  });
});

/** R13 */
test("what is typed stays while the programs of the page are still loaded, one after the other", async ({ api, desk, page }) => {
  const session = await api.begin(script({ text: "Here." }), { title: "Loaded late" });
  await api.untilIdle(session);
  await page.addInitScript(() => {
    // A browser that is busy comes late to what can wait, and not to all of it at once.
    const idle = window.requestIdleCallback.bind(window);
    let [calls, left] = [0, 0];
    window.requestIdleCallback = (callback) => {
      calls += 1;
      left += 1;
      const run = (/** @type {IdleDeadline} */ deadline) => {
        callback(deadline);
        left -= 1;
        document.documentElement.dataset.left = String(left);
      };
      setTimeout(() => idle(run), 300 * calls);
      return calls;
    };
  });
  await desk.openSession(session);
  const checks = new ChecksPage(page);
  await checks.keepGoing.click();
  await checks.command.fill("make check");
  await expect(page.locator("html")).toHaveAttribute("data-left", "0");
  await expect(checks.command).toHaveValue("make check");
  // It stays also on the way to the timeline and back, and over a reload.
  await page.getByRole("link", { name: "Timeline" }).click();
  await expect(desk.session.timeline).toContainText("Here.");
  await page.reload();
  await checks.keepGoing.click();
  await expect(checks.command).toHaveValue("make check");
  await checks.form.getByRole("button", { name: "Cancel" }).click();
  await expect(checks.keepGoing).toBeFocused();
  await checks.keepGoing.click();
  await expect(checks.command).toHaveValue("");
});

/** F7 */
test("a loop begins after the agent's next reply, and waits for the answer to what the agent asks", async ({ api, desk, directory, page }) => {
  const session = await api.begin(script({ text: "Here." }), { title: "Asks while it mends" });
  await api.untilIdle(session);
  await desk.openSession(session);
  const checks = new ChecksPage(page);
  const asks = script({ tools: [ask(question(WHICH, ["All", "None"]))] }, { text: "Mended." });
  await checks.check("[ -e once ] || { touch once; echo bad; exit 1; }", { message: `${asks}\n{output}`, later: true });
  await expect(checks.rounds.getByRole("listitem").first()).toHaveText(/not begun/);
  await expect(checks.round(1)).toContainText("it begins after the agent's next reply");
  expect(existsSync(join(directory, "once"))).toBe(false);
  await api.prompt(session, script({ text: "Written." }));
  await expect(checks.section).toContainText("The agent waits for your answer.");
  await expect(checks.rounds.getByRole("listitem").nth(1)).toHaveText(/waiting for you/);
  expect(await barriers(page)).toEqual([]);
  await checks.section.getByRole("link", { name: "Answer it" }).click();
  await desk.inbox.card(WHICH).answer("All");
  await expect(desk.inbox.card(WHICH).article).toBeHidden();
  await page.evaluate((id) => (location.hash = `#/session/${id}/checks`), session.id);
  await expect(checks.end).toContainText("The check passes.");
});

/** F7, C6 */
test("an agent whose model is not configured ends a loop before its rounds are used up", async ({ api, desk, page }) => {
  const session = await api.begin(script({ text: "Here." }), { title: "No such model" });
  await api.untilIdle(session);
  await api.prompt(session, "hello", { model: { providerID: "nobody", modelID: "none" } });
  await desk.openSession(session);
  const checks = new ChecksPage(page);
  await checks.check(NEVER_THE_SAME);
  // What it was told before is waited for, as long as it may yet pick that up.
  await expect(checks.round(2)).toBeVisible();
  await expect(checks.end).toContainText("The agent picked up neither of the last two messages, so it stopped. A model that is not configured is the usual reason.");
  const told = (await api.messages(session)).filter(({ info, parts }) => info.role === "user" && parts.some(({ text }) => text?.startsWith("The check failed.")));
  expect(told).toHaveLength(2);
});

test.describe("on a server that is killed", () => {
  test.use({ fresh: true });

  /** R14, F7 */
  test("a check does not outlive its server, and the loop goes on once that is back", async ({ api, desk, directory, opencode, page }) => {
    const session = await api.begin(script({ text: "Here." }), { title: "Over a restart" });
    await api.untilIdle(session);
    await desk.openSession(session);
    const checks = new ChecksPage(page);
    const marker = `4321.${process.pid}`;
    const first = `n=$(cat runs 2>/dev/null || echo 0); n=$((n+1)); echo $n > runs; [ $n != 1 ] || sleep ${marker}`;
    await checks.check(`${first}; ${RED_RED_GREEN}`, { message: `The check failed.\n${script({ text: "Mended.", delay: 1000 })}\n{output}` });
    await expect.poll(() => running(marker)).not.toEqual([]);
    await opencode.kill();
    await expect.poll(() => running(marker)).toEqual([]);
    // What is kept is shown also while the server is away.
    await page.reload();
    await expect(checks.round(1)).toContainText("the check runs");
    await opencode.restart();
    await expect(checks.end).toContainText("The check passes.", { timeout: 120_000 });
    const told = (await api.messages(session)).filter(({ info, parts }) => info.role === "user" && parts.some(({ text }) => text?.startsWith("The check failed.")));
    expect(told).toHaveLength(2);
    expect([readFileSync(join(directory, "runs"), "utf8"), readFileSync(join(directory, "count"), "utf8")]).toEqual(["4\n", "3\n"]);
  });
});
