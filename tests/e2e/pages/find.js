// @ts-check
/** The search in the messages of a session. */

/** The search of a session. */
export class Find {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.bar = page.getByRole("search", { name: "Find in this session" });
    this.field = this.bar.getByRole("textbox", { name: "Find in this session" });
    this.count = this.bar.getByRole("status");
    this.next = this.bar.getByRole("button", { name: "Next result" });
    this.load = this.bar.getByRole("button", { name: "Load them" });
  }
}
