// @ts-check
/** Writes the table of the figures as Markdown that can also be read as it is. */
import { writeShare } from "./judge.mjs";

const HEAD = ["", "Switchboard", "official UI", "share", "fails above", "target"];

/** @param {import("./judge.mjs").Row[]} rows */
export function markdown(rows) {
  const lines = rows.map(cellsOf);
  // A reason may be longer than its column.
  const aligned = [HEAD, ...lines.filter((_, at) => rows[at].failed === undefined)];
  const widths = HEAD.map((_, column) => Math.max(...aligned.map((cells) => cells[column].length)));
  const line = (/** @type {string[]} */ cells) => `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join(" | ")} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`)).join("|")}|`;
  return `${[line(HEAD), rule, ...lines.map(line)].join("\n")}\n`;
}

/**
 * @param {import("./judge.mjs").Row} row
 * @returns {string[]}
 */
function cellsOf({ definition: { figure, write, max, ratioMax, target }, failed, ours, official, share }) {
  const limit = [ratioMax === undefined ? "" : String(ratioMax), max === undefined ? "" : write(max)].filter(Boolean).join(", ");
  if (failed !== undefined) return [figure, `not measured: ${failed.replaceAll("|", "\\|").replaceAll(/\s+/g, " ")}`, "", "", limit, target];
  const cell = (/** @type {number | undefined} */ value) => (value === undefined ? "–" : write(value));
  return [figure, cell(ours), cell(official), writeShare(share), limit, target];
}

/** @param {number} value */
export function milliseconds(value) {
  if (!Number.isFinite(value)) return "not in time";
  return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(2)} s`;
}

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 10_000) return `${(bytes / 1e3).toFixed(1)} KB`;
  return bytes < 1e6 ? `${Math.round(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(2)} MB`;
}

/** @param {number} value */
export function wholeNumber(value) {
  return String(Math.round(value));
}

/** @param {number} share */
export function percent(share) {
  return `${Math.round(100 * share)} %`;
}
