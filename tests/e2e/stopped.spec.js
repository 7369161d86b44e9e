// @ts-check
/** When the program itself breaks: nothing looks alive, and nothing is lost. */
import { expect, test } from "./fixtures.js";
import { expectAnswered } from "./proof.js";
import { ask, question, script } from "./say.js";

const COLOUR = "Which colour after all?";

test("a program that has stopped says so, gives up its place, and goes on after a reload", async ({ api, page, site, opencode }) => {
  const { Desk } = await import("./pages/desk.js");
  const desk = await Desk.prepare(page, site.url, opencode.url);
  const session = await api.begin(script(ask(question(COLOUR, ["Red", "Blue"]))));
  await desk.openInbox();
  await desk.inbox.card(COLOUR).open();
  await desk.inbox.card(COLOUR).ownAnswer.fill("Rather green");
  await expect(desk.inbox.card(COLOUR).article).toContainText("Draft saved");
  const other = await desk.openTab();
  await other.openInbox();
  await expect(other.inbox.card(COLOUR).article).toBeVisible();
  const leads = () => page.evaluate(async () => {
    const { held = [] } = await navigator.locks.query();
    const clients = await navigator.locks.request("who am I", async () => (await navigator.locks.query()).held ?? []);
    const own = clients.find(({ name }) => name === "who am I")?.clientId;
    return held.some(({ name, clientId }) => name?.endsWith(":leader") && clientId === own);
  });

  // The renderer cannot go on when the browser makes no elements.
  await page.bringToFront();
  await page.evaluate(() => {
    Node.prototype.cloneNode = () => {
      throw new DOMException("broken for the test");
    };
    location.hash = "#/servers";
  });
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("Switchboard stopped. Your answers are kept.");
  await expect(page.getByTestId("sidebar")).toHaveCount(0);
  await expect.poll(leads).toBe(false);

  await alert.getByRole("button", { name: "Reload" }).click();
  await page.evaluate(() => (location.hash = "#/inbox"));
  await desk.inbox.card(COLOUR).open();
  await expect(desk.inbox.card(COLOUR).ownAnswer).toHaveValue("Rather green");
  await desk.inbox.card(COLOUR).send.click();
  await expectAnswered(other, api, session, COLOUR, [["Rather green"]]);
});

test("the page does not run inside another one", async ({ page, site, opencode }) => {
  // A host that sends no headers of its own cannot forbid it.
  await page.route(`${site.url}/**`, async (route) => {
    const response = await route.fetch();
    const { "content-security-policy": _, "cross-origin-resource-policy": __, "cross-origin-opener-policy": ___, ...headers } = response.headers();
    if (!route.request().url().endsWith("/around")) return route.fulfill({ response, headers });
    return route.fulfill({ status: 200, contentType: "text/html", body: `<iframe src="/?server=${opencode.url}#/inbox" width="800" height="600"></iframe>` });
  });
  await page.goto(`${site.url}/around`);
  const framed = page.frameLocator("iframe");
  await expect(framed.getByRole("alert")).toContainText("does not run inside another page");
  await expect(framed.getByRole("link", { name: "Open it in a tab of its own" })).toBeVisible();
  await expect(framed.getByTestId("sidebar")).toHaveCount(0);
});
