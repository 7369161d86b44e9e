// @ts-check
/** The agent and the model that take a message, at the prompt box and where a session is started. */
import { expect } from "@playwright/test";

/** The two lists. */
export class PromptChoice {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.row = page.getByTestId("prompt-choice");
    this.agent = page.getByRole("combobox", { name: "Agent", exact: true });
    this.model = page.getByRole("combobox", { name: "Model", exact: true });
    this.tryAgain = this.row.getByRole("button", { name: "Try again" });
  }

  /**
   * Waits until the lists are there and these are chosen, by the words that they show.
   *
   * @param {string | RegExp} agent
   * @param {string | RegExp} model
   */
  async expectChosen(agent, model) {
    await expect(this.agent.locator("option:checked")).toHaveText(agent);
    await expect(this.model.locator("option:checked")).toHaveText(model);
  }

  /**
   * @param {string} agent
   * @param {string} model
   */
  async choose(agent, model) {
    await this.agent.selectOption({ label: agent });
    await this.model.selectOption({ label: model });
  }
}
