// @ts-check
/** Repeats at the end of a run, in a few lines each, what has failed and why: the end of a log is what people see. */
import { stripVTControlCharacters } from "node:util";

const LINES = 8;
const COLUMNS = 160;
const SHOWN_COLUMNS = 600;

/** The name under which a test keeps the texts of its tabs, a line each. */
export const SHOWN = "shown";

/** @implements {import("@playwright/test/reporter").Reporter} */
export default class Failures {
  /** @type {string[]} */
  #failures = [];

  /**
   * @param {import("@playwright/test/reporter").TestCase} test
   * @param {import("@playwright/test/reporter").TestResult} result
   */
  onTestEnd(test, result) {
    if (result.status === test.expectedStatus) return;
    const lines = result.errors.flatMap(({ message = "", location }) => {
      const told = stripVTControlCharacters(message).split("\n").filter((line) => line.trim() !== "");
      return [...(location ? [`line ${location.line}`] : []), ...told];
    });
    const shown = result.attachments.filter(({ name }) => name === SHOWN).flatMap(({ body }) => String(body).split("\n"));
    const told = [...lines.slice(0, LINES).map((line) => line.slice(0, COLUMNS)), ...shown.map((line) => line.slice(0, SHOWN_COLUMNS))];
    this.#failures.push([`${result.status}: ${test.title}`, ...told.map((line) => `  ${line}`)].join("\n"));
  }

  onEnd() {
    if (this.#failures.length > 0) console.log(`\n${this.#failures.join("\n")}`);
  }
}
