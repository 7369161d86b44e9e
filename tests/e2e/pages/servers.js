// @ts-check
/** The servers that the page is connected to. */
import { readFileSync } from "node:fs";
import { Connect } from "./connect.js";

/** The page of the servers. */
export class ServersPage {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.page = page;
    this.list = page.getByTestId("server");
    this.connect = new Connect(page);
    const file = page.getByRole("region", { name: "The list as a file" });
    this.export = file.getByRole("button", { name: "Export" });
    this.choose = file.getByRole("button", { name: "Import…" });
    /** What has come of an import. */
    this.imported = file.getByRole("status");
    this.refused = file.getByRole("alert");
  }

  /** Saves the list, and returns the name of the file and what is in it. */
  async save() {
    const begun = this.page.waitForEvent("download");
    await this.export.click();
    const download = await begun;
    return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
  }

  /**
   * Imports a file with this text.
   *
   * @param {string} text
   */
  async import(text) {
    const asked = this.page.waitForEvent("filechooser");
    await this.choose.click();
    await (await asked).setFiles({ name: "servers.json", mimeType: "application/json", buffer: Buffer.from(text) });
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
