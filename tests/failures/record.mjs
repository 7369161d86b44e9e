// @ts-check
/** Lists what has failed in the file that `SWITCHBOARD_FAILURES` names, a JSON object a line, so that `cargo xtask test` can repeat it. */
import { appendFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

const FILE = process.env.SWITCHBOARD_FAILURES;
const ERROR_COLUMNS = 300;

/**
 * @typedef {object} Failure
 * @property {string} file As its runner takes it.
 * @property {string} test Its place, for people.
 * @property {string} error
 */

/** @param {Failure} failure */
export function recordFailure({ file, test, error }) {
  const words = stripVTControlCharacters(error).split(/\s+/).filter(Boolean).join(" ");
  append({ file, test, error: words.slice(0, ERROR_COLUMNS) });
}

/**
 * Says that the run has come to its end, after so many tests.
 *
 * @param {number} ran
 */
export function recordEnd(ran) {
  append({ ran });
}

/** @param {object} line */
function append(line) {
  if (FILE) appendFileSync(FILE, `${JSON.stringify(line)}\n`);
}
