// @ts-check
/** What a list is narrowed to: one server, one directory. */

/** The control over a list, and what it says of the rest. */
export class Narrow {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.page = page;
    const main = page.getByRole("main");
    this.control = main.getByRole("combobox", { name: "Show", exact: true });
    this.chosen = this.control.locator("option:checked");
    this.elsewhere = main.getByText(/waits? elsewhere\.$/);
    this.showAll = main.getByRole("button", { name: "Show all" });
    this.words = main.locator("header").first();
  }

  /** @param {string} label A server, a directory, or both. */
  async to(label) {
    await this.control.selectOption({ label });
  }
}
