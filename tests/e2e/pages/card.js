// @ts-check
/** One request on the page, folded or open, in the inbox or in a timeline. */
import { expect } from "@playwright/test";

/** A request card: an `article` named by its question. */
export class Card {
  /**
   * @param {import("@playwright/test").Page | import("@playwright/test").Locator} place
   * @param {string | RegExp} name
   */
  constructor(place, name) {
    this.article = place.getByRole("article", { name }).first();
    this.state = this.article.getByTestId("request-state");
    this.send = this.article.getByRole("button", { name: /^Send/ });
    this.next = this.article.getByRole("button", { name: /^Next/ });
    this.ownAnswer = this.article.getByRole("textbox");
    this.dismiss = this.article.getByRole("button", { name: /^Dismiss/ });
    this.allowOnce = this.article.getByRole("button", { name: /^Allow once/ });
    this.alwaysAllow = this.article.getByRole("button", { name: /^Always allow/ });
    this.reject = this.article.getByRole("button", { name: /^Reject/ });
    this.rescue = this.article.getByRole("button", { name: /^Send it as a message/ });
    this.correct = this.article.getByRole("button", { name: /^Send mine as a correction/ });
    this.copy = this.article.getByRole("button", { name: /^Copy/ });
    this.discard = this.article.getByRole("button", { name: /^Discard/ });
  }

  /** @param {string | RegExp} label */
  option(label) {
    return this.article.getByRole("radio", { name: label }).or(this.article.getByRole("checkbox", { name: label })).first();
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
      if (!(await control.isVisible())) await this.article.getByRole("heading").first().click({ timeout: 1000 });
      await expect(control).toBeVisible({ timeout: 1000 });
    }).toPass({ timeout: 30_000 });
  }

  /**
   * Opens it, chooses and sends.
   *
   * @param {...string} labels
   */
  async answer(...labels) {
    await this.open();
    for (const label of labels) await this.option(label).check();
    await this.send.click();
  }

  /**
   * Opens it, writes an answer and sends.
   *
   * @param {string} text
   */
  async write(text) {
    await this.open();
    await this.ownAnswer.fill(text);
    await this.send.click();
  }
}
