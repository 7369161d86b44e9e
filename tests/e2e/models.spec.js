// @ts-check
/** The agent and the model that take a message: chosen, remembered, gone, and not to be read. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeRepository } from "../../www/npm/serve/folder.mjs";
import { Api, until } from "./api.js";
import { expect, test } from "./fixtures.js";
import { script } from "./say.js";

const SECOND = { providerID: "stub", modelID: "second" };
const FIRST = { providerID: "stub", modelID: "scripted" };
const DEFAULTS = /** @type {const} */ (["Default (build)", "Default (Scripted)"]);
/** @param {string} text */
const saying = (text) => script({ text });

test.use({ cold: true });

/** Gives a directory a second model of its own. @param {string} directory */
function addModel(directory) {
  writeFileSync(join(directory, "opencode.json"), JSON.stringify({ provider: { stub: { models: { second: { name: "Second" } } } } }));
}

/** Takes it away again. @param {Api} api */
async function removeModel(api) {
  rmSync(join(api.directory, "opencode.json"));
  await api.dispose();
}

/**
 * Returns who took each message of a person, once there are so many.
 *
 * @param {Api} api
 * @param {{ id: string }} session
 * @param {number} count
 */
async function takenBy(api, session, count) {
  const asked = await until(`${count} messages of a person`, async () => {
    const messages = (await api.messages(session)).filter(({ info }) => info.role === "user");
    return messages.length >= count && messages;
  });
  return asked.map(({ info: { agent, model } }) => ({ agent, model: { providerID: model?.providerID, modelID: model?.modelID } }));
}

test("the agent and the model that were chosen take the message, and are remembered in the directory", async ({ api, desk, directory, opencode }) => {
  addModel(directory);
  const session = await api.begin(saying("first"));
  await api.untilIdle(session);
  const { choice, prompt } = desk.session;
  await desk.openSession(session);
  await expect(prompt).toBeVisible();
  await expect(choice.agent).toHaveCount(0);
  await prompt.focus();
  await choice.expectChosen(...DEFAULTS);
  await choice.choose("plan", "Second");
  await desk.session.say(saying("second"));
  expect(await takenBy(api, session, 2)).toEqual([
    { agent: "build", model: FIRST },
    { agent: "plan", model: SECOND },
  ]);

  await desk.page.reload();
  await prompt.focus();
  await choice.expectChosen("plan", "Second");
  const neighbour = await api.begin(saying("neighbour"));
  await api.untilIdle(neighbour);
  await desk.openSession(neighbour);
  await prompt.focus();
  await choice.expectChosen("plan", "Second");
  await desk.session.say(saying("again"));
  expect((await takenBy(api, neighbour, 2))[1]).toEqual({ agent: "plan", model: SECOND });

  const elsewhere = join(opencode.folder, "repositories", "elsewhere");
  makeRepository(elsewhere);
  const other = new Api(opencode, elsewhere);
  const stranger = await other.begin(saying("stranger"));
  await other.untilIdle(stranger);
  await desk.openSession(stranger);
  await prompt.focus();
  await choice.expectChosen(...DEFAULTS);
  await other.endAll();
});

test("the default names nothing, and the lists are read when the field is entered and not before", async ({ api, desk, directory, faults }) => {
  addModel(directory);
  const session = await api.begin(saying("first"));
  await api.untilIdle(session);
  const { choice, prompt } = desk.session;
  await desk.openSession(session, faults.url);
  await expect(desk.session.said).toContainText("first");
  const lists = () => faults.exchanges.map(({ path }) => path).filter((path) => /^\/(agent|provider|config)/.test(path));
  expect(lists()).toEqual([]);
  await prompt.focus();
  await choice.expectChosen(...DEFAULTS);
  expect(lists().toSorted()).toEqual(["/agent", "/config/providers"]);
  await choice.choose("plan", "Second");
  await choice.agent.selectOption({ index: 0 });
  await choice.model.selectOption({ index: 0 });
  await desk.session.say(saying("second"));
  await takenBy(api, session, 2);
  const sent = faults.exchanges.filter(({ method, path }) => method === "POST" && path.endsWith("/prompt_async"));
  expect(sent.map(({ body }) => JSON.parse(body).model)).toEqual([undefined]);
});

test("a session is started with the agent and the model that were chosen", async ({ api, desk, directory }) => {
  addModel(directory);
  await api.createSession();
  await desk.openInbox();
  await desk.page.goto(`${desk.siteUrl}/?server=${desk.serverUrl}#/new`);
  await desk.page.getByLabel("Working directory").fill(directory);
  await desk.page.getByLabel("First message").fill(saying("begun"));
  await desk.session.choice.choose("plan", "Second");
  await desk.page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(desk.session.said).toContainText("begun");
  const session = { id: desk.page.url().split("/").at(-1) ?? "" };
  expect(await takenBy(api, session, 1)).toEqual([{ agent: "plan", model: SECOND }]);
  await desk.session.prompt.focus();
  await desk.session.choice.expectChosen("plan", "Second");
});

/** R13 */
test("a message that waits for the server keeps its agent and its model over a reload", async ({ api, desk, directory, faults }) => {
  addModel(directory);
  const session = await api.begin(saying("first"));
  await api.untilIdle(session);
  const { choice, prompt } = desk.session;
  await desk.openSession(session, faults.url);
  await prompt.focus();
  await choice.choose("plan", "Second");
  faults.set({ held: /prompt_async$/ });
  await desk.session.say(saying("kept"));
  await until("the message is on its way", async () => faults.exchanges.some(({ path }) => path.endsWith("/prompt_async")));
  await choice.choose("build", "Scripted");
  await desk.page.reload();
  faults.clear();
  expect((await takenBy(api, session, 2))[1]).toEqual({ agent: "plan", model: SECOND });
});

test("a list that cannot be read says so, the message goes as before, and the list can be tried again", async ({ api, desk, directory, faults }) => {
  addModel(directory);
  const session = await api.begin(saying("first"));
  await api.untilIdle(session);
  const { choice, prompt } = desk.session;
  await desk.openSession(session, faults.url);
  await prompt.focus();
  await choice.choose("plan", "Second");
  await desk.page.reload();
  faults.set({ altered: (path, body) => (path === "/config/providers" ? "{" : body) });
  await prompt.focus();
  await expect(choice.row).toContainText("Agents and models cannot be chosen");
  await expect(choice.row).toContainText("The message goes to plan with stub/second, as before.");
  await expect(choice.agent).toHaveCount(0);
  await desk.session.say(saying("second"));
  expect((await takenBy(api, session, 2))[1]).toEqual({ agent: "plan", model: SECOND });
  faults.clear();
  await choice.tryAgain.click();
  await choice.expectChosen("plan", "Second");
  await expect(choice.row).not.toContainText("cannot be chosen");
});

test("a model that is gone is said, gives way to the default, and leaves the text", async ({ api, desk, directory }) => {
  addModel(directory);
  const session = await api.begin(saying("first"));
  await api.untilIdle(session);
  const { choice, prompt } = desk.session;
  await desk.openSession(session);
  await prompt.focus();
  await choice.choose("plan", "Second");
  const text = saying("second");
  await prompt.fill(text);
  await removeModel(api);
  await desk.page.reload();
  await prompt.focus();
  await expect(choice.row).toContainText("The model stub/second is gone. The message goes to the default model.");
  await choice.expectChosen("plan", "Default (Scripted)");
  await expect(prompt).toHaveValue(text);
  await desk.session.sendPrompt.click();
  expect((await takenBy(api, session, 2))[1]).toEqual({ agent: "plan", model: FIRST });
  await desk.page.reload();
  await prompt.focus();
  await choice.expectChosen("plan", "Default (Scripted)");
  await expect(choice.row).not.toContainText("gone");
});
