// @ts-check
/** The page beside the timeline: what checks and reviews a session. */

export class ChecksPage {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.page = page;
    this.keepGoing = page.getByRole("button", { name: "Keep going until it passes…" });
    this.askReviewers = page.getByRole("button", { name: "Ask reviewers…" });
    this.form = page.getByRole("form", { name: /^(Keep going until it passes|Ask reviewers)$/ });
    this.command = page.getByRole("textbox", { name: "Check command" });
    this.rounds = page.getByRole("list", { name: "Rounds" });
    this.section = page.getByRole("region", { name: "Checks" });
    this.reviewers = page.getByRole("region", { name: "Reviewers" });
    this.verdicts = page.getByRole("table", { name: "Verdicts" });
    this.end = this.section.locator(".loop-end");
    this.trend = this.section.locator(".loop-trend");
    this.unkept = page.getByRole("status").filter({ hasText: "Not kept on this device" });
    this.stopAfterRound = page.getByRole("button", { name: "Stop after this round" });
    this.stopNow = page.getByRole("button", { name: "Stop now" });
    this.goOn = page.getByRole("button", { name: "Go on" });
  }

  /** @param {number} number */
  round(number) {
    return this.section.getByRole("article", { name: `Round ${number}` });
  }

  /** @param {string} name */
  verdict(name) {
    return this.verdicts.getByRole("row", { name: new RegExp(`^${name}`) });
  }

  /**
   * Starts a check.
   *
   * @param {string} command
   * @param {{ rounds?: number, timeout?: number, message?: string, tokens?: number, later?: boolean }} [more] With `later` it begins after
   *   the agent's next reply.
   */
  async check(command, { rounds, timeout, message, tokens, later = false } = {}) {
    await this.keepGoing.click();
    await this.command.fill(command);
    if (rounds) await this.form.getByRole("textbox", { name: /^At most/ }).fill(String(rounds));
    if (timeout) await this.form.getByRole("textbox", { name: /^Time-out of the check/ }).fill(String(timeout));
    if (tokens) {
      await this.form.getByText("Limits of all replies together").click();
      await this.form.getByRole("textbox", { name: "Tokens" }).fill(String(tokens));
    }
    if (message) {
      await this.form.getByText("What is sent back", { exact: true }).click();
      await this.form.getByRole("textbox", { name: "Message to the agent" }).fill(message);
    }
    await this.form.getByRole("radio", { name: later ? /^After/ : /^Now/ }).check();
    await this.form.getByRole("button", { name: "Start" }).click();
  }

  /**
   * Asks reviewers; in a loop with a check, the agent is sent what they find. Waits until the form shows that this file has changed.
   *
   * @param {{ name: string, prompt: string, timeout?: number, model?: string }[]} reviewers
   * @param {string} material
   * @param {{ check?: string, changed?: string }} [loop]
   */
  async review(reviewers, material, { check, changed } = {}) {
    await this.askReviewers.click();
    await this.form.getByText("Reviewers as a JSON file", { exact: true }).click();
    await this.form.getByRole("textbox", { name: "Reviewers as JSON" }).fill(JSON.stringify(reviewers, null, 2));
    await this.form.getByRole("textbox", { name: "At once" }).fill("9");
    await this.form.getByRole("textbox", { name: "What to review" }).fill(material);
    if (changed) await this.form.getByRole("status").filter({ hasText: `So far: ${changed}.` }).waitFor();
    if (check) {
      await this.form.getByRole("checkbox", { name: "Send what they find to the agent" }).check();
      await this.form.getByRole("checkbox", { name: "Let a check pass first" }).check();
      await this.command.fill(check);
    }
    await this.form.getByRole("radio", { name: /^Now/ }).check();
    await this.form.getByRole("button", { name: "Start" }).click();
  }
}
