// @ts-check
/**
 * Compares what was measured with the limits of each row. A limit is a share of what the official page has in the same
 * run, or a number of bytes, requests or elements: never a time, which says more of the machine than of the page.
 */

/**
 * @template T
 * @typedef {{ ours: T, official?: T }} Both
 *
 * @typedef {{ found: Both<any> } | { failed: string }} PartResult
 *
 * @typedef {object} RowDefinition
 * @property {string} figure What is measured.
 * @property {string} part Which part measures it.
 * @property {(found: any) => number | undefined} read Reads the figure out of what the part found for a page; `Infinity` says that it did not come in time.
 * @property {(value: number) => string} write
 * @property {number} [ratioMax] The largest share of the official page's figure with which the command succeeds.
 * @property {number} [max] The largest figure with which the command succeeds.
 * @property {string} target What the project aims at.
 *
 * @typedef {object} Row A definition, and what was measured.
 * @property {RowDefinition} definition
 * @property {string} [failed] Why nothing was measured.
 * @property {number} [ours]
 * @property {number} [official]
 * @property {number} [share]
 */

/**
 * @param {RowDefinition[]} definitions
 * @param {Record<string, PartResult>} parts
 * @returns {Row[]}
 */
export function fillRows(definitions, parts) {
  return definitions.map((definition) => {
    const part = parts[definition.part] ?? { failed: "its part did not run" };
    if ("failed" in part) return { definition, failed: part.failed };
    const ours = definition.read(part.found.ours);
    const official = part.found.official === undefined ? undefined : definition.read(part.found.official);
    return { definition, ours, official, share: shareOf(ours, official) };
  });
}

/**
 * @param {number | undefined} ours
 * @param {number | undefined} official
 */
function shareOf(ours, official) {
  if (ours === undefined || official === undefined) return undefined;
  return ours === 0 ? 0 : ours / official;
}

/**
 * Returns a sentence for each row that exceeds its limit or could not be measured.
 *
 * @param {Row[]} rows
 * @returns {string[]}
 */
export function judge(rows) {
  return rows.flatMap((row) => {
    const wrong = wrongWith(row);
    return wrong ? [`${row.definition.figure}: ${wrong}`] : [];
  });
}

/**
 * @param {Row} row
 * @returns {string | null}
 */
function wrongWith({ definition: { write, max, ratioMax }, failed, ours, official, share }) {
  if (failed !== undefined) return `not measured: ${failed}`;
  if (ours === undefined || Number.isNaN(ours)) return "our page has no figure";
  if (max !== undefined && ours > max) return `${write(ours)}, and may be ${write(max)}`;
  if (ratioMax === undefined) return null;
  if (official === undefined || Number.isNaN(official)) return "the official page has no figure to compare with";
  if (share !== undefined && share <= ratioMax) return null;
  return `${write(ours)} is ${writeShare(share)} of the official page's ${write(official)}, and may be ${ratioMax} of it`;
}

/** @param {number | undefined} share */
export function writeShare(share) {
  if (share === undefined) return "";
  return Number.isFinite(share) ? share.toFixed(2) : "∞";
}
