// @ts-check
/** How often something is tried: often on a quiet machine, and on a busy one not for ever. */

/** No try begins later than this after the first one, unless there are too few to say anything. */
const SPAN_MS = 75_000;

/**
 * Counts the tries from 1 on.
 *
 * @param {{ most: number, least: number }} count
 * @param {() => number} now Milliseconds.
 */
export function* tries({ most, least }, now = Date.now) {
  const begun = now();
  for (let number = 1; number <= most && (number <= least || now() - begun < SPAN_MS); number += 1) yield number;
}
