// @ts-check
/** What many values come to. */

/**
 * The smallest value that this share of the values does not exceed (nearest rank). One that never came (`null`) is later than all.
 *
 * @param {(number | null)[]} values
 * @param {number} share
 * @returns {number | null}
 */
export function percentile(values, share) {
  const sorted = values.map((value) => value ?? Infinity).sort((one, other) => one - other);
  const found = sorted[Math.ceil(share * sorted.length) - 1];
  return Number.isFinite(found) ? found : null;
}

/** @param {(number | null)[]} values */
export function median(values) {
  return percentile(values, 0.5);
}
