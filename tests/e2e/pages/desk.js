// @ts-check
/** The whole page: its addresses, its parts, and what it has shown so far. */
import { ActivityPage } from "./activity.js";
import { Connect } from "./connect.js";
import { historyOf, recordHistory } from "./history.js";
import { Inbox } from "./inbox.js";
import { Narrow } from "./narrow.js";
import { RequestPage } from "./request.js";
import { SessionPage } from "./session.js";
import { ServersPage } from "./servers.js";
import { SettingsDialog } from "./settings.js";

/** One tab with the page. */
export class Desk {
  /**
   * @param {import("@playwright/test").Page} page
   * @param {string} siteUrl
   * @param {string} serverUrl
   * @param {string[]} [problems]
   */
  constructor(page, siteUrl, serverUrl, problems = []) {
    this.page = page;
    this.siteUrl = siteUrl;
    this.serverUrl = serverUrl;
    this.connect = new Connect(page);
    this.inbox = new Inbox(page);
    this.session = new SessionPage(page);
    this.request = new RequestPage(page);
    this.activity = new ActivityPage(page);
    this.narrow = new Narrow(page);
    this.servers = new ServersPage(page);
    this.settings = new SettingsDialog(page);
    /** The field of the palette while it has the focus. */
    this.palette = page.getByRole("dialog").locator("[role=combobox]:focus");
    this.announcements = page.getByRole("status");
    /** The one request that the keys act on. */
    this.open = page.locator("article[data-open]");
    /** What broke in the program of the page, in this tab and those opened from it. */
    this.problems = problems;
    page.on("pageerror", (error) => problems.push(error.stack ?? error.message));
  }

  /**
   * Returns the page in a tab, with a record of what it shows.
   *
   * @param {import("@playwright/test").Page} page
   * @param {string} siteUrl
   * @param {string} serverUrl
   */
  static async prepare(page, siteUrl, serverUrl) {
    await recordHistory(page);
    return new Desk(page, siteUrl, serverUrl);
  }

  /** Opens the palette, and waits until it takes what is typed. */
  async openPalette() {
    await this.page.keyboard.press("Control+k");
    await this.palette.waitFor();
  }

  /**
   * Opens the inbox, of another address than the server's own when a proxy stands before it.
   *
   * @param {string} [serverUrl]
   */
  async openInbox(serverUrl = this.serverUrl) {
    await this.page.goto(`${this.siteUrl}/?server=${serverUrl}#/inbox`);
  }

  /**
   * @param {{ id: string }} session
   * @param {string} [serverUrl]
   */
  async openSession(session, serverUrl = this.serverUrl) {
    await this.page.goto(`${this.siteUrl}/?server=${serverUrl}#/session/${session.id}`);
  }

  /**
   * Opens the page of a request, as a narrow screen has it.
   *
   * @param {{ id: string }} request
   * @param {string} [serverUrl]
   */
  async openRequest(request, serverUrl = this.serverUrl) {
    await this.page.goto(`${this.siteUrl}/?server=${serverUrl}#/inbox/${request.id}`);
  }

  /** Opens a second tab of the same browser, in a window of its own: behind another tab a browser draws nothing, and so nothing can be pressed. */
  async openTab() {
    const context = this.page.context();
    const devtools = await context.newCDPSession(this.page);
    const { targetInfo } = await devtools.send("Target.getTargetInfo");
    await devtools.detach();
    const browser = context.browser();
    if (!browser) throw new Error("The tab belongs to no browser.");
    const devtoolsOfBrowser = await browser.newBrowserCDPSession();
    const opened = context.waitForEvent("page");
    await devtoolsOfBrowser.send("Target.createTarget", { url: "about:blank", newWindow: true, browserContextId: targetInfo.browserContextId });
    const page = await opened;
    await devtoolsOfBrowser.detach();
    await recordHistory(page);
    return new Desk(page, this.siteUrl, this.serverUrl, this.problems);
  }

  /** Stops everything that runs in the tab, as a browser does with one in the background. It keeps its locks. */
  async standStill() {
    const devtools = await this.page.context().newCDPSession(this.page);
    await devtools.send("Debugger.enable");
    await devtools.send("Debugger.pause");
  }

  /** @param {string} request */
  historyOf(request) {
    return historyOf(this.page, request);
  }
}
