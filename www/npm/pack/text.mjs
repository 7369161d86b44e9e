// @ts-check
/** Writes bytes as a text that `bytes.mjs` reads. */
import { LETTERS, SINGLES } from "./bytes.mjs";

/**
 * @param {Uint8Array} bytes
 * @returns {{ text: string, order: number[] }}
 */
export function textOf(bytes) {
  const counts = new Array(256).fill(0);
  for (const byte of bytes) counts[byte] += 1;
  const order = [...counts.keys()].sort((one, other) => counts[other] - counts[one] || one - other);
  /** @type {string[]} */
  const written = [];
  for (const [rank, byte] of order.entries()) written[byte] = lettersOf(rank);
  return { text: Array.from(bytes, (byte) => written[byte]).join(""), order };
}

/** @param {number} rank */
function lettersOf(rank) {
  if (rank < SINGLES) return LETTERS[rank];
  const beyond = rank - SINGLES;
  return LETTERS[SINGLES + Math.floor(beyond / LETTERS.length)] + LETTERS[beyond % LETTERS.length];
}
