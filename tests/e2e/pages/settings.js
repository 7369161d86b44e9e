// @ts-check
/** The settings dialog: appearance, notifications, what happens when nobody answers, the way to all activity. */

/** The settings. */
export class SettingsDialog {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.page = page;
    this.dialog = page.getByRole("dialog", { name: "Settings" });
    this.notifications = this.dialog.getByRole("region", { name: "Notifications" });
    this.turnOnNotifications = this.notifications.getByRole("button", { name: "Turn on notifications" });
    this.turnOff = this.notifications.getByRole("button", { name: "Turn off" });
    this.questions = new Policy(this.dialog.getByRole("group", { name: "Questions" }));
    this.permissions = new Policy(this.dialog.getByRole("group", { name: "Permissions" }));
    this.activity = this.dialog.getByRole("link", { name: "All activity and figures" });
  }

  async open() {
    await this.page.getByRole("button", { name: "Settings" }).first().click();
    await this.dialog.waitFor();
  }

  async close() {
    await this.page.keyboard.press("Escape");
    await this.dialog.waitFor({ state: "hidden" });
  }
}

/** What happens when nobody answers, for one kind or one session. */
export class Policy {
  /** @param {import("@playwright/test").Locator} group */
  constructor(group) {
    this.group = group;
    this.after = group.getByRole("combobox").first();
    /** What is chosen there. */
    this.chosen = this.after.locator("option:checked");
    this.then = group.getByRole("combobox", { name: "Then" });
    this.label = group.getByRole("textbox", { name: "Option" });
  }

  /**
   * @param {string} after
   * @param {string} [then]
   * @param {string} [label]
   */
  async choose(after, then, label) {
    await this.after.selectOption(after);
    if (then !== undefined) await this.then.selectOption(then);
    if (label !== undefined) await this.label.fill(label);
  }
}
