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
    const policies = new Policies(this.dialog.getByRole("region", { name: "When nobody answers" }));
    this.questions = policies.questions;
    this.permissions = policies.permissions;
    this.next = policies.next;
    this.done = policies.done;
    this.sessions = policies.sessions;
    this.activity = this.dialog.getByRole("link", { name: "All activity and figures" });
  }

  /**
   * What is chosen for one of several servers.
   *
   * @param {string} name
   */
  of(name) {
    return new Policies(this.dialog.getByRole("group", { name, exact: true }));
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

/** What happens when nobody answers, on one server. */
export class Policies {
  /** @param {import("@playwright/test").Locator} place */
  constructor(place) {
    this.questions = new Policy(place.getByRole("group", { name: "Questions" }));
    this.permissions = new Policy(place.getByRole("group", { name: "Permissions" }));
    /** The sessions for which something else is chosen. */
    this.sessions = place.getByRole("group", { name: "Single sessions" }).getByRole("listitem");
    /** What is going to happen by itself. */
    this.next = place.getByRole("group", { name: "What happens next" }).getByRole("listitem");
    /** What has happened by itself. */
    this.done = place.getByRole("group", { name: "What time-outs did" }).getByRole("listitem");
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
