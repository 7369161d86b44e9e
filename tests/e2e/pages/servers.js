// @ts-check
/** The servers that the page is connected to. */
import { Connect } from "./connect.js";

/** The page of the servers. */
export class ServersPage {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.page = page;
    this.list = page.getByTestId("server");
    this.connect = new Connect(page);
  }

  async open() {
    await this.page.evaluate(() => (location.hash = "#/servers"));
    await this.list.first().waitFor();
  }

  /**
   * Connects to a server beside the others.
   *
   * @param {string} address
   */
  async add(address) {
    await this.open();
    await this.connect.submit({ address });
    await this.page.waitForURL(/#\/inbox$/);
  }

  /** @param {string} url */
  at(url) {
    return this.list.filter({ hasText: url });
  }
}
