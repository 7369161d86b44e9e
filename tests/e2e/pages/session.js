// @ts-check
/** One session: its timeline with its requests in place, and the prompt box. */
import { Card } from "./card.js";
import { Doctor } from "./doctor.js";
import { Find } from "./find.js";
import { PromptChoice } from "./prompt-choice.js";
import { Policy } from "./settings.js";

/** The page of a session. */
export class SessionPage {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.timeline = page.getByRole("log");
    this.state = page.getByTestId("session-state");
    this.prompt = page.getByTestId("prompt-box").getByRole("textbox");
    this.sendPrompt = page.getByTestId("prompt-box").getByRole("button", { name: /^(Send|Queue)/ });
    this.choice = new PromptChoice(page);
    this.doctor = new Doctor(page);
    this.policy = new Policy(page.getByRole("group", { name: "This session" }));
    this.said = this.timeline.locator('[data-role="assistant"]');
    this.firstMessage = this.timeline.getByTestId("message").first();
    this.pill = page.getByTestId("beyond");
    this.newBelow = page.getByTestId("new-below");
    this.find = new Find(page);
    /** Beside the session. */
    this.panel = page.getByRole("complementary", { name: "Session" });
    /** What the doctor has looked at. */
    this.checked = this.panel.getByTestId("checked");
    this.stop = page.getByRole("button", { name: /^Stop/ });
  }

  /** The element that scrolls. */
  get pane() {
    return this.timeline.locator("..");
  }

  /**
   * Scrolls by each of these distances, in px, and returns how far what was under the eye then moved by itself, where it did.
   *
   * @param {number[]} steps
   * @returns {Promise<(number | "gone")[]>}
   */
  movedWhileScrolling(steps) {
    return this.pane.evaluate(async (pane, steps) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const top = () => pane.getBoundingClientRect().top;
      const first = () => [...pane.querySelectorAll("[data-message-id]")].find((row) => row.getBoundingClientRect().bottom > top());
      /** @type {(number | "gone")[]} */
      const moves = [];
      for (const step of steps) {
        pane.scrollTop += step;
        await frame();
        await frame();
        const row = first();
        const before = row?.getBoundingClientRect().top ?? 0;
        for (let count = 0; count < 4; count += 1) await frame();
        moves.push(row?.isConnected ? Math.round(row.getBoundingClientRect().top - before) : "gone");
      }
      return moves.filter((distance) => distance !== 0);
    }, steps);
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
