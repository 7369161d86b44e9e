// @ts-check
/** Everything that waits for a person. */
import { Card } from "./card.js";

/** The inbox. */
export class Inbox {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.main = page.getByRole("main");
    this.cards = this.main.getByRole("article");
    this.empty = page.getByText("Nobody waits for you");
  }

  /** @param {string | RegExp} question */
  card(question) {
    return Card.ofQuestion(this.main, question);
  }

  /** @param {string} shown A command or a path. */
  permission(shown) {
    return Card.ofPermission(this.main, shown);
  }
}
