// @ts-check
/** What many values come to. */

/**
 * The value below which this share of the values lies. One that never came (`null`) is later than all others.
 *
 * @param {(number | null)[]} values
 * @param {number} share
 * @returns {number | null}
 */
export function percentile(values, share) {
  const sorted = values.map((value) => value ?? Infinity).sort((one, other) => one - other);
  const found = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return Number.isFinite(found) ? found : null;
}

/** @param {(number | null)[]} values */
export function median(values) {
  return percentile(values, 0.5);
}
