// @ts-check
/**
 * Reads bytes out of a text of plain letters, for programs that have no way to load files.
 *
 * A frequent byte is one letter, a rare one two. Unlike in base64 a byte is the same letters wherever it is, so that what
 * repeats still repeats, and gzip and brotli make of the text almost what they would make of the bytes.
 */

/** What needs no escape in any kind of string, and means nothing to HTML. */
export const LETTERS = " !#%&()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~";

/** The last two letters begin a pair; the others stand for the most frequent bytes. */
export const SINGLES = LETTERS.length - 2;

/**
 * @param {string} text
 * @param {readonly number[]} order All bytes, the most frequent first.
 * @param {number} length How many bytes there are.
 */
export function bytesOf(text, order, length) {
  // Where a letter leads: below 256 to its byte, else to the bytes of its pairs.
  const firsts = new Uint16Array(128);
  const pairs = new Uint8Array(256);
  for (let rank = 0; rank < order.length; rank += 1) {
    const beyond = rank - SINGLES;
    const pair = Math.floor(beyond / LETTERS.length);
    if (beyond < 0) firsts[LETTERS.charCodeAt(rank)] = order[rank];
    else pairs[128 * pair + LETTERS.charCodeAt(beyond % LETTERS.length)] = order[rank];
  }
  for (const pair of [0, 1]) firsts[LETTERS.charCodeAt(SINGLES + pair)] = 256 + 128 * pair;

  const letters = new TextEncoder().encode(text);
  const bytes = new Uint8Array(length);
  let from = 0;
  for (let at = 0; at < length; at += 1) {
    const first = firsts[letters[from++]];
    bytes[at] = first < 256 ? first : pairs[first - 256 + letters[from++]];
  }
  return bytes;
}
