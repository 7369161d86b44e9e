// @ts-check
/** Repeats at the end of a run, in a few lines each, what has failed and why: the end of a log is what people see. */
import { stripVTControlCharacters } from "node:util";

const LINES = 8;
const COLUMNS = 160;

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
    this.#failures.push([`${result.status}: ${test.title}`, ...lines.slice(0, LINES).map((line) => `  ${line.slice(0, COLUMNS)}`)].join("\n"));
  }

  onEnd() {
    if (this.#failures.length > 0) console.log(`\n${this.#failures.join("\n")}`);
  }
}
