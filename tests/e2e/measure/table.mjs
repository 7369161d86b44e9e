// @ts-check
/** The table that is printed at the end. */

/**
 * @typedef {object} Row
 * @property {string} figure
 * @property {string} ours
 * @property {string} official
 * @property {string} target
 */

/** @type {Row} */
const HEAD = { figure: "", ours: "Switchboard", official: "official UI", target: "target" };

/**
 * Lays rows out in columns.
 *
 * @param {Row[]} rows
 */
export function layOut(rows) {
  const columns = /** @type {(keyof Row)[]} */ (Object.keys(HEAD));
  const widths = columns.map((column) => Math.max(...[HEAD, ...rows].map((row) => row[column].length)));
  const lines = [HEAD, ...rows].map((row) => columns.map((column, at) => (at === 0 ? row[column].padEnd(widths[at]) : row[column].padStart(widths[at]))).join("  "));
  return `${lines.join("\n")}\n`;
}

/** @param {number | null} value */
export function milliseconds(value) {
  if (value === null) return "not in 60 s";
  return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;
}

/** @param {number} bytes */
export function size(bytes) {
  return bytes < 1e6 ? `${Math.round(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
