// @ts-check
/** What the doctor has found in a session, and its repairs. */

/** The finding on the page of a session. */
export class Doctor {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.notice = page.getByRole("group", { name: "Session doctor" });
    this.finding = this.notice.locator("strong").first();
    this.chain = this.notice.getByRole("listitem");
    this.repairs = page.getByRole("group", { name: "Repairs" });
    this.copy = this.repairs.getByRole("button", { name: "Copy the findings" });
  }

  /** @param {string} name */
  repair(name) {
    return this.repairs.getByRole("button", { name, exact: true });
  }
}
