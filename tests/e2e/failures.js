// @ts-check
/**
 * Repeats at the end of a run what has failed and why: the end of a log is what people see. So what the pages have shown comes
 * first, and the reasons, in a few lines each, last. It also lists the failures for `cargo xtask test`, which repeats them.
 */
import { basename } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { recordEnd, recordFailure } from "../failures/record.mjs";

const LINES = 8;
const COLUMNS = 400;
const SHOWN_COLUMNS = 600;

/** The name under which a test keeps the texts of its tabs, a line each. */
export const SHOWN = "shown";

/** @implements {import("@playwright/test/reporter").Reporter} */
export default class Failures {
  /** @type {string[]} */
  #failures = [];
  /** @type {string[]} */
  #shown = [];
  #ran = 0;
  #failuresMax = Infinity;

  /** @param {import("@playwright/test/reporter").FullConfig} config */
  onBegin({ maxFailures }) {
    if (maxFailures > 0) this.#failuresMax = maxFailures;
  }

  /**
   * @param {import("@playwright/test/reporter").TestCase} test
   * @param {import("@playwright/test/reporter").TestResult} result
   */
  onTestEnd(test, result) {
    if (result.status !== "skipped") this.#ran += 1;
    if (result.status === test.expectedStatus) return;
    const lines = result.errors.flatMap(({ message = "", location }) => {
      const told = stripVTControlCharacters(message).split("\n").filter((line) => line.trim() !== "");
      return [...(location ? [`line ${location.line}`] : []), ...told];
    });
    const shown = result.attachments.filter(({ name }) => name === SHOWN).flatMap(({ body }) => String(body).split("\n"));
    const told = (/** @type {string[]} */ lines, /** @type {number} */ columns) => lines.map((line) => `  ${line.slice(0, columns)}`);
    if (shown.length > 0) this.#shown.push([`on the page of: ${test.title}`, ...told(shown, SHOWN_COLUMNS)].join("\n"));
    this.#failures.push([`${result.status}: ${test.title}`, ...told(lines.slice(0, LINES), COLUMNS)].join("\n"));
    const { file, line } = test.location;
    recordFailure({ file, test: `${basename(file)}:${line}`, error: `${test.title}: ${lines.slice(0, LINES).join(" ")}` });
  }

  /** @param {import("@playwright/test/reporter").FullResult} result */
  onEnd({ status }) {
    // A run that was broken off has no end.
    if (status !== "interrupted" && status !== "timedout" && this.#failures.length < this.#failuresMax) recordEnd(this.#ran);
    if (this.#failures.length > 0) console.log(`\n${[...this.#shown, ...this.#failures].join("\n")}`);
  }
}
