// @ts-check
/** One session: its timeline with its requests in place, and the prompt box. */
import { Card } from "./card.js";
import { Policy } from "./settings.js";

/** The page of a session. */
export class SessionPage {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.timeline = page.getByRole("log");
    this.state = page.getByTestId("session-state");
    this.prompt = page.getByTestId("prompt-box").getByRole("textbox");
    this.sendPrompt = page.getByTestId("prompt-box").getByRole("button", { name: /^(Send|Queue)/ });
    this.policy = new Policy(page.getByRole("group", { name: "This session" }));
    this.said = this.timeline.locator('[data-role="assistant"]');
    this.firstMessage = this.timeline.getByTestId("message").first();
    this.pill = page.getByTestId("beyond");
    this.newBelow = page.getByTestId("new-below");
    this.stop = page.getByRole("button", { name: /^Stop/ });
  }

  /** @param {string | RegExp} question */
  card(question) {
    return Card.ofQuestion(this.timeline, question);
  }

  /** @param {string} shown A command or a path. */
  permission(shown) {
    return Card.ofPermission(this.timeline, shown);
  }

  /** @param {string} text */
  async say(text) {
    await this.prompt.fill(text);
    await this.sendPrompt.click();
  }
}
