// @ts-check
/** One request on the page, folded or open, in the inbox or in a timeline. */
import { expect } from "@playwright/test";

/** A request card. */
export class Card {
  /**
   * @param {import("@playwright/test").Locator} article
   * @param {string | RegExp} title Text that it shows open and folded.
   */
  constructor(article, title) {
    this.article = article;
    this.title = article.getByText(title).first();
    this.state = this.article.getByTestId("request-state");
    this.send = this.article.getByRole("button", { name: /^Send/ });
    this.next = this.article.getByRole("button", { name: /^Next/ });
    this.ownAnswer = this.article.getByRole("textbox", { name: /own answer/i });
    this.dismiss = this.article.getByRole("button", { name: /^Dismiss/ });
    this.allowOnce = this.article.getByRole("button", { name: "Allow once", exact: true });
    this.allowTogether = this.article.getByRole("button", { name: /^Allow once \d+ ×/ });
    this.alwaysAllow = this.article.getByRole("button", { name: /^Always allow/ });
    this.reject = this.article.getByRole("button", { name: /^Reject/ });
    this.rejectMessage = this.article.getByRole("textbox", { name: /tell the agent/i });
    this.rejectWithMessage = this.article.getByRole("button", { name: /^Reject with this message/ });
    this.rejectAndStop = this.article.getByRole("button", { name: /^Reject (all )?and stop/ });
    this.rescue = this.article.getByRole("button", { name: /^Send it as a message/ });
    this.correct = this.article.getByRole("button", { name: /^Send mine as a correction/ });
    this.keepWaiting = this.article.getByRole("button", { name: /^Keep waiting/ });
    this.copy = this.article.getByRole("button", { name: /^Copy/ });
    this.timeOut = this.article.getByTestId("time-out");
    this.discard = this.article.getByRole("button", { name: /^Discard/ });
    this.undo = this.article.getByRole("button", { name: "Undo" });
    this.answerNow = this.article.getByRole("button", { name: "Answer now" });
    this.sheet = this.article.getByRole("group", { name: /\?$/ });
    this.heading = this.article.getByRole("heading", { level: 2 });
    this.meta = this.article.getByTestId("request-meta");
    this.changed = this.article.getByTestId("request-changed");
    this.showChange = this.article.getByRole("button", { name: "Show the change" });
    this.tabs = this.article.getByRole("tab");
    this.choices = this.article.getByRole("radio").or(this.article.getByRole("checkbox"));
  }

  /**
   * The card of a question, by its text.
   *
   * @param {import("@playwright/test").Locator} place
   * @param {string | RegExp} question
   */
  static ofQuestion(place, question) {
    return new Card(place.getByRole("article", { name: question }).first(), question);
  }

  /**
   * The card of a permission, by a text that it shows: a command or a path.
   *
   * @param {import("@playwright/test").Locator} place
   * @param {string} shown
   */
  static ofPermission(place, shown) {
    return new Card(place.getByRole("article").filter({ hasText: shown }).first(), shown);
  }

  /** @param {string} label */
  option(label) {
    const named = { name: label, exact: true };
    return this.article.getByRole("radio", named).or(this.article.getByRole("checkbox", named)).first();
  }

  /** @param {string | RegExp} label */
  tab(label) {
    return this.article.getByRole("tab", { name: label });
  }

  /** Waits until it is there, and opens it when it is folded. */
  async open() {
    await expect(this.article).toBeVisible();
    const control = this.article.getByRole("radio").or(this.article.getByRole("checkbox")).or(this.alwaysAllow).first();
    await expect(async () => {
      if (!(await control.isVisible())) await this.title.click({ timeout: 1000 });
      await expect(control).toBeVisible({ timeout: 1000 });
    }).toPass({ timeout: 30_000 });
    await this.untilReady();
  }

  /** Waits until it can be answered: right after something has moved nothing can. */
  async untilReady() {
    await expect(this.article.locator("[aria-disabled=true]")).toHaveCount(0);
  }

  /**
   * Opens it, chooses and sends.
   *
   * @param {...string} labels
   */
  async answer(...labels) {
    await this.open();
    for (const label of labels) await this.option(label).check();
    await this.press(this.send);
  }

  /**
   * Presses a button until it has taken effect: right after something has moved nothing can be answered.
   *
   * @param {import("@playwright/test").Locator} button
   */
  async press(button) {
    await expect(async () => {
      if (await button.isVisible()) await button.click({ timeout: 1000 });
      await expect(button).toBeHidden({ timeout: 1000 });
    }).toPass({ timeout: 30_000 });
  }

  /**
   * Presses keys where the focus is, at once, as soon as it can be answered: nothing can move in between.
   *
   * @param {...KeyboardEventInit} keys
   */
  async pressKeys(...keys) {
    const pressed = () =>
      this.article.evaluate((article, keys) => {
        if (article.querySelector("[aria-disabled=true]")) return false;
        for (const key of keys) (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...key }));
        return true;
      }, keys);
    await expect.poll(pressed).toBe(true);
  }

  /**
   * Opens it, writes an answer and sends.
   *
   * @param {string} text
   */
  async write(text) {
    await this.open();
    await this.ownAnswer.fill(text);
    await this.press(this.send);
  }
}
