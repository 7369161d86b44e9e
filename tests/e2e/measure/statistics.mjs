// @ts-check
/** What many values come to. */

/**
 * The smallest value that half of the values do not exceed (nearest rank). One that never came is `Infinity`.
 *
 * @param {number[]} values
 */
export function median(values) {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length / 2) - 1];
}
