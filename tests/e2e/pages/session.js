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

  /** How many messages it holds, drawn or not. */
  held() {
    return this.timeline.evaluate((timeline) => {
      const gaps = [...timeline.querySelectorAll(".timeline-gap")].map((gap) => Number.parseInt(gap.textContent ?? "", 10));
      return gaps.reduce((sum, rows) => sum + rows, timeline.querySelectorAll("[data-message-id]").length);
    });
  }

  /**
   * Scrolls by each of these distances, in px, and returns how far what was under the eye then moved by itself, where it did. Where
   * nothing was drawn yet, what comes first is under the eye.
   *
   * @param {number[]} steps
   * @param {number} [growth] The first message that is drawn, above what is in sight, grows by so many px after each of them.
   * @returns {Promise<string[]>}
   */
  movedWhileScrolling(steps, growth = 0) {
    return this.pane.evaluate(async (pane, { steps, growth }) => {
      /** Until a frame is painted: sizes that change with it are followed before that, and after its callbacks. */
      const painted = () =>
        new Promise((resolve) =>
          requestAnimationFrame(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = resolve;
            port2.postMessage(null);
          }),
        );
      const place = (/** @type {Element} */ row) => row.getBoundingClientRect().top;
      const underTheEye = () => {
        const { top, bottom } = pane.getBoundingClientRect();
        return [...pane.querySelectorAll("[data-message-id]")].find((row) => row.getBoundingClientRect().bottom > top && place(row) < bottom);
      };
      /** @type {string[]} */
      const moves = [];
      for (const [at, step] of steps.entries()) {
        pane.scrollTop += step;
        let row = underTheEye();
        let before = row ? place(row) : 0;
        let moved = 0;
        const first = pane.querySelector("[data-message-id]");
        if (growth > 0 && first instanceof HTMLElement && first !== row) first.style.paddingTop = `${growth * (at + 1)}px`;
        for (let frame = 0; frame < 6 && moved === 0; frame += 1) {
          await painted();
          if (!row) {
            row = underTheEye();
            before = row ? place(row) : 0;
          }
          // Positions are scrolled to in whole px, and rows have fractions of them.
          if (row && Math.abs(place(row) - before) > 1) moved = place(row) - before;
        }
        if (!row?.isConnected) moves.push(`step ${at}: ${row ? "gone" : "nothing is drawn"}`);
        else if (moved !== 0) moves.push(`step ${at}: ${moved}`);
      }
      return moves;
    }, { steps, growth });
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
