// @ts-check
/** Each kind of permission and each answer to it. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "./fixtures.js";
import { until } from "./api.js";
import { Card } from "./pages/card.js";
import { read, run, script, write } from "./say.js";

/**
 * @param {import("./api.js").Api} api
 * @param {{ id: string }} session
 * @param {string} [tool]
 */
function ended(api, session, tool = "bash") {
  return until(`the ${tool} call ended`, async () => (await api.toolParts(session, tool)).find((part) => part.state.status !== "running" && part.state.status !== "pending"));
}

test("a command allowed once runs once", async ({ api, desk }) => {
  const command = "echo allowed once";
  const session = await api.begin(script(run(command), run(command)));
  await desk.openInbox();
  const card = desk.inbox.permission(command);
  await card.open();
  await card.allowOnce.click();
  expect((await ended(api, session)).state.output).toContain("allowed once");
  await until("the second call asks again", async () => (await api.permissions()).length === 1);
  await expect(desk.inbox.permission(command).allowOnce).toBeVisible();
});

test("the same command of three sessions is allowed at once, and nothing else", async ({ api, desk }) => {
  const [same, other] = ["echo the same", "echo the same but longer"];
  const sessions = [];
  for (const command of [same, same, other, same]) {
    sessions.push(await api.begin(script(run(command), { text: "Done." }), { title: `Session ${sessions.length + 1}` }));
    await until("it asks", async () => (await api.permissions()).length === sessions.length);
  }
  await desk.openInbox();
  const card = desk.inbox.permission(same);
  await card.open();
  await expect(card.allowTogether).toHaveText(`Allow once 3 × ${same}`);
  await card.untilReady();
  await card.allowTogether.click();
  for (const at of [0, 1, 3]) expect((await ended(api, sessions[at])).state.output).toContain("the same");
  expect((await api.permissions()).map((request) => request.sessionID)).toEqual([sessions[2].id]);
  await expect(desk.inbox.permission(other).article).toHaveAttribute("data-open");
  await expect(desk.inbox.permission(other).allowTogether).toHaveCount(0);
});

test("a command that runs in another directory says so, and is not allowed together with others or unread", async ({ api, desk, directory }) => {
  const [command, production] = ["echo gone > data", join(directory, "production")];
  mkdirSync(production);
  for (const workdir of [undefined, production, undefined]) {
    const before = (await api.permissions()).length;
    await api.begin(script(run(command, workdir), { text: "Done." }), { title: workdir ? "There" : "Here" });
    await until("it asks", async () => (await api.permissions()).length > before);
  }
  await desk.openInbox();
  const there = new Card(desk.inbox.cards.filter({ hasText: "There" }), command);
  await expect(desk.inbox.cards.filter({ hasText: "Here" }).first().getByRole("button", { name: /^Allow once/ }).first()).toBeVisible();
  // Folded it has no room for it.
  await expect(there.article).not.toHaveAttribute("data-open");
  await expect(there.allowOnce).toHaveCount(0);
  await there.open();
  await expect(there.article.getByTestId("runs-in")).toHaveText(`Runs in ${production}`);
  await expect(there.allowTogether).toHaveCount(0);
  const here = new Card(desk.inbox.cards.filter({ hasText: "Here" }).first(), command);
  await here.open();
  await expect(here.article.getByTestId("runs-in")).toHaveCount(0);
  await expect(here.allowTogether).toHaveText(`Allow once 2 × ${command}`);
  await here.allowTogether.click();
  await until("the two are allowed", async () => (await api.permissions()).length === 1);
  await until("they have run", async () => existsSync(join(directory, "data")) && readFileSync(join(directory, "data"), "utf8") === "gone\n");
  expect(existsSync(join(production, "data"))).toBe(false);
});

test("a press on what allows three allows nothing right after a fourth has come", async ({ api, desk }) => {
  const begin = () => api.begin(script(run("echo more of it")));
  for (let count = 1; count <= 3; count += 1) {
    await begin();
    await until("it asks", async () => (await api.permissions()).length === count);
  }
  await desk.openInbox();
  const card = desk.inbox.permission("echo more of it");
  await card.open();
  await expect(card.allowTogether).toContainText("3 ×");
  // The press of a person who has read "3 ×" reaches the button when it says "4 ×", on a page so busy that this cannot be
  // seen yet.
  const pressed = desk.page.evaluate(
    () =>
      new Promise((resolve) => {
        const seen = new MutationObserver(() => {
          const button = [...document.querySelectorAll("article button")].find((button) => button.textContent?.includes("4 ×"));
          if (!(button instanceof HTMLElement)) return;
          seen.disconnect();
          for (const free = performance.now() + 1000; performance.now() < free; );
          button.click();
          resolve(button.getAttribute("aria-disabled"));
        });
        seen.observe(document.body, { childList: true, subtree: true, characterData: true });
      }),
  );
  await begin();
  await pressed;
  await card.untilReady();
  expect(await api.permissions()).toHaveLength(4);
  await card.allowTogether.click();
  await until("all four are allowed", async () => (await api.permissions()).length === 0);
});

test.describe("in a directory of its own", () => {
  test.use({ cold: true });

  test("always shows what it allows, asks, and allows the next one too", async ({ api, desk }) => {
    const session = await api.begin(script(run("echo first"), run("echo second")));
    await desk.openInbox();
    const card = desk.inbox.permission("echo first");
    await card.open();
    await expect(card.alwaysAllow).toContainText("echo *");
    await card.alwaysAllow.click();
    await expect(card.article).toContainText("every session of this directory");
    expect(await api.permissions()).toHaveLength(1);
    await card.article.getByRole("button", { name: "Always allow", exact: true }).click();
    await api.untilIdle(session);
    const outputs = (await api.toolParts(session, "bash")).map((part) => part.state.output?.trim());
    expect(outputs).toEqual(["first", "second"]);
  });
});

test("rejecting stops the run", async ({ api, desk }) => {
  const session = await api.begin(script(run("echo never"), { text: "never said" }));
  await desk.openInbox();
  const card = desk.inbox.permission("echo never");
  await card.open();
  await card.reject.click();
  await card.rejectAndStop.click();
  expect((await ended(api, session)).state.status).toBe("error");
  await until("idle", async () => !(await api.status())[session.id]);
  expect((await api.messages(session)).filter((message) => message.info.role === "assistant")).toHaveLength(1);
});

test("rejecting with a message tells the agent and lets it go on", async ({ api, desk, model }) => {
  const session = await api.begin(script(run("echo staging first"), { text: "I will." }));
  await desk.openInbox();
  const card = desk.inbox.permission("echo staging first");
  await card.open();
  await card.reject.click();
  await card.rejectMessage.fill("Use the staging server first");
  await card.rejectWithMessage.click();
  await api.untilIdle(session);
  const last = model.log.findLast((entry) => JSON.stringify(entry.messages).includes("echo staging first"));
  expect(JSON.stringify(last?.messages)).toContain("Use the staging server first");
});

test("rejecting names the other request that it takes along", async ({ api, desk }) => {
  const session = await api.begin(script({ tools: [run("echo one of two"), run("echo two of two")] }));
  await until("both ask", async () => (await api.permissions()).length === 2);
  await desk.openInbox();
  const card = desk.inbox.permission("echo one of two");
  await card.open();
  await card.reject.click();
  await expect(card.article).toContainText("1 other pending request");
  await card.rejectAndStop.click();
  await until("both are rejected", async () => (await api.toolParts(session, "bash")).every((part) => part.state.status === "error"));
});

test("an edit is shown as a diff before it is made", async ({ api, desk, directory }) => {
  const session = await api.begin(script({ name: "read", input: { filePath: "notes.md" } }, write("notes.md", "# Notes\n\nWritten by the agent.\n")));
  await desk.openInbox();
  const card = desk.inbox.permission("notes.md");
  await card.open();
  await expect(card.article).toContainText("Written by the agent.");
  await expect(card.article).toContainText("The agent of the demo writes here.");
  expect(readFileSync(join(directory, "notes.md"), "utf8")).not.toContain("Written by the agent.");
  await card.allowOnce.click();
  expect((await ended(api, session, "write")).state.status).toBe("completed");
  expect(readFileSync(join(directory, "notes.md"), "utf8")).toContain("Written by the agent.");
});

test("a new file is written only when it is allowed", async ({ api, desk, directory }) => {
  await api.begin(script(write("new.txt", "one\ntwo\n")));
  await desk.openInbox();
  const card = desk.inbox.permission("new.txt");
  await card.open();
  expect(existsSync(join(directory, "new.txt"))).toBe(false);
  await card.allowOnce.click();
  await until("the file", async () => existsSync(join(directory, "new.txt")));
});

test("one call that asks twice is shown twice", async ({ api, desk }) => {
  const session = await api.begin(script(run("ls -d /usr/share", "/usr/share")));
  await desk.openSession(session);
  const folder = await until("the folder is asked for", async () => (await api.permissions())[0]);
  expect(folder.permission).toBe("external_directory");
  await desk.session.permission("Work outside the project?").allowOnce.click();
  const command = await until("the command is asked for", async () => (await api.permissions()).find((request) => request.permission === "bash"));
  expect(command.tool).toEqual(folder.tool);
  await desk.session.permission("Run this command?").allowOnce.click();
  expect((await ended(api, session)).state.output).toContain("/usr/share");
});

test("Enter never grants a permission", async ({ api, desk }) => {
  await api.begin(script(run("echo by hand")));
  await desk.openInbox();
  const card = desk.inbox.permission("echo by hand");
  await card.open();
  await card.article.focus();
  await desk.page.keyboard.press("Enter");
  await desk.page.keyboard.press("Enter");
  await expect(card.allowOnce).toBeVisible();
  expect(await api.permissions()).toHaveLength(1);
  await card.pressKeys({ key: "a" });
  await until("allowed by its own key", async () => (await api.permissions()).length === 0);
});

/** R23 */
test("a run that repeats itself is allowed to go on, or ends", async ({ api, desk }) => {
  const loop = { tools: [read("notes.md"), read("notes.md"), read("notes.md")] };
  const title = "Go on after the same call three times?";
  const session = await api.begin(script(loop, { tools: [run("echo on")] }, loop, { text: "Never said." }));
  await desk.openSession(session);
  const [allowed, rejected] = [0, 1].map((at) => new Card(desk.session.timeline.getByRole("article").filter({ hasText: title }).nth(at), title));
  await allowed.allowOnce.click();
  // Its run goes on, and asks for the next.
  await expect(allowed.article).toContainText("Confirmed");
  await desk.session.permission("echo on").allowOnce.click();
  await rejected.untilReady();
  await rejected.reject.click();
  await expect(rejected.article).toContainText("The run stops, with or without a message.");
  await rejected.rejectMessage.fill("Read something else.");
  await rejected.rejectWithMessage.click();
  await expect(rejected.article).toContainText(/Rejected\..*Confirmed.*The run ended\./);
  await expect(desk.session.state).toContainText("a permission was rejected");
});
