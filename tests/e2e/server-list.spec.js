// @ts-check
/** The list of servers goes into a file and comes out of one, and no bad file changes anything. */
import { readFileSync } from "node:fs";
import { startOpenCode } from "../../www/npm/serve/opencode.mjs";
import { expect, test } from "./fixtures.js";
import { Desk } from "./pages/desk.js";

const list = (/** @type {object[]} */ servers, more = {}) => JSON.stringify({ switchboard: "servers", version: 1, servers, ...more });

test("a list is saved without passwords, and merged with what another browser has", async ({ browser, desk, model, page, second, site }) => {
  const locked = await startOpenCode({ modelUrl: model.url });
  try {
    await desk.openInbox();
    await desk.servers.add(second.url);
    await desk.servers.open();
    await desk.connect.submit({ address: locked.url });
    await expect(desk.connect.problem).toContainText("wants a password");
    await desk.connect.submit({ user: locked.username, password: locked.password });
    await page.waitForURL(/#\/inbox$/);
    await desk.servers.open();
    const name = desk.servers.at(locked.url).getByLabel("Name");
    await name.fill("vault");
    await name.blur();
    await page.getByRole("button", { name: "Move up vault" }).click();
    const saved = await desk.servers.save();
    expect(saved.name).toBe("switchboard-servers.json");
    expect(saved.text).not.toContain(locked.password);
    expect(JSON.parse(saved.text).servers.map((/** @type {any} */ { address, name, username }) => [address, name, username])).toEqual([
      [desk.serverUrl, null, null],
      [locked.url, "vault", locked.username],
      [second.url, null, null],
    ]);

    const elsewhere = await browser.newContext();
    const other = await Desk.prepare(await elsewhere.newPage(), site.url, second.url);
    await other.openInbox();
    await expect(other.inbox.empty).toBeVisible();
    await other.servers.open();
    await other.servers.import(saved.text);
    await expect(other.servers.imported).toHaveText("2 servers were added, 1 was here already.");
    const names = other.servers.list.getByRole("heading");
    await expect(names).toHaveText([second.url, desk.serverUrl, ""].map((url, at) => (at < 2 ? new URL(url).host : "vault")));
    await expect(other.servers.at(desk.serverUrl)).toContainText(/live/i);
    await other.page.getByRole("button", { name: "Enter the password of vault" }).click();
    await expect(other.connect.address).toHaveValue(locked.url);
    await expect(other.connect.user).toHaveValue(locked.username);
    await other.connect.submit({ password: locked.password });
    await other.page.waitForURL(/#\/inbox$/);
    await expect(other.page.getByTestId("truth")).toHaveText(/^3 servers · read/);
    await other.servers.open();
    await other.servers.import(saved.text);
    await expect(other.servers.imported).toHaveText("No server was added, 3 were here already.");

    const later = await elsewhere.newPage();
    await later.goto(other.page.url());
    const again = new Desk(later, site.url, second.url);
    await expect(again.servers.list).toHaveCount(3);
    await expect(again.servers.at(locked.url)).toContainText("vault");
    await elsewhere.close();
  } finally {
    await locked.stop();
  }
});

test("a file that is no list of servers is refused in one sentence, and changes nothing", async ({ desk, page }) => {
  const address = "http://192.0.2.1:4096";
  /** @type {string[]} */
  const called = [];
  page.on("request", (request) => request.url().startsWith(address) && called.push(request.url()));
  await desk.openInbox();
  await desk.servers.open();
  const kept = () => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  const before = await kept();
  for (const [text, says] of /** @type {[string, RegExp][]} */ ([
    [list([{ address }]).slice(0, -9), /ends too early/],
    ["", /ends too early/],
    ["<!doctype html><title>Sign in</title>", /is a web page/],
    [readFileSync(new URL("package.json", import.meta.url), "utf8"), /of another program/],
    ["address,name\nhttp://192.0.2.1:4096,a\n", /of another program/],
    [list([{ address }], { version: 2 }), /newer version/],
    [list([]), /names no server/],
    [list([{ address }, { address: "ftp://192.0.2.1" }]), /Server 2 of this file has no address that begins with http/],
    [list([{ address }, { address: "javascript:alert(1)" }]), /Server 2 of this file has no address/],
    [list([{ address: "http://me:secret@192.0.2.1:4096" }]), /server 1 in this file holds a name or a password/],
    [list([{ address }, { address: `${address}/` }]), /names http:\/\/192\.0\.2\.1:4096 twice/],
    [list([{ address, name: "x".repeat(300_000) }]), /too large/],
  ])) {
    await desk.servers.import(text);
    await expect(desk.servers.refused).toHaveText(says);
    await expect(desk.servers.refused).not.toContainText("secret");
    await expect(desk.servers.list).toHaveCount(1);
    expect(await kept()).toBe(before);
  }
  expect(called).toEqual([]);
});
