// @ts-check
/** What happened, and the figures of it. */
import { readFileSync } from "node:fs";
import { expect } from "@playwright/test";

/** The page of all activity. */
export class ActivityPage {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.page = page;
    const main = page.getByRole("main");
    this.heading = page.getByRole("heading", { level: 1, name: "Activity" });
    this.rows = main.getByRole("listitem");
    this.count = main.getByRole("status");
    this.filter = main.getByRole("search", { name: "Filter" });
    this.kind = this.filter.getByRole("combobox", { name: "Kind" });
    this.text = this.filter.getByRole("searchbox", { name: "Text" });
    this.showAll = main.getByRole("button", { name: "Show everything" });
    this.figures = main.getByRole("region", { name: "Figures" });
    this.chart = this.figures.locator("svg circle");
    this.exportFigures = this.figures.getByRole("button", { name: "Export as JSON" });
    this.json = main.getByRole("button", { name: "Download JSON" });
    this.csv = main.getByRole("button", { name: "Download CSV" });
  }

  /** Goes there by the palette. */
  async open() {
    await this.page.keyboard.press("Control+k");
    await this.page.getByRole("dialog").locator("[role=combobox]:focus").waitFor();
    await this.page.keyboard.type("activity");
    await this.page.keyboard.press("Enter");
    await expect(this.heading).toBeVisible();
  }

  /** @param {string | RegExp} text */
  row(text) {
    return this.rows.filter({ hasText: text });
  }

  /**
   * Presses a button that downloads, and returns the name of the file and what is in it.
   *
   * @param {import("@playwright/test").Locator} button
   */
  async download(button) {
    const begun = this.page.waitForEvent("download");
    await button.click();
    const download = await begun;
    return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
  }
}
