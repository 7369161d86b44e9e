// @ts-check
/** Makes a picture of a page small: 256 colours are enough for one, and a third of the bytes. */
import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const INDEXED = 3;

/**
 * Returns the picture with a palette: frequent colours first, and none too close to another, so that rare ones have a place.
 *
 * @param {import("@playwright/test").Page} page Decodes the picture, in a blank page of its own.
 * @param {Buffer} png
 * @returns {Promise<Buffer>}
 */
export async function withPalette(page, png) {
  await page.goto("about:blank");
  const { width, height, palette, pixels } = await page.evaluate(reduceColours, png.toString("base64"));
  const indices = Buffer.from(pixels, "base64");
  const rows = Array.from({ length: height }, (_, row) => Buffer.concat([Buffer.from([0]), indices.subarray(row * width, (row + 1) * width)]));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, INDEXED], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette)),
    chunk("IDAT", deflateSync(Buffer.concat(rows), { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/**
 * @param {string} name
 * @param {Buffer} content
 */
function chunk(name, content) {
  const named = Buffer.concat([Buffer.from(name, "latin1"), content]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}

/**
 * Runs in the page.
 *
 * @param {string} base64
 */
async function reduceColours(base64) {
  const COLOURS_MAX = 256;
  const decoded = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))]));
  const { width, height } = decoded;
  const canvas = new OffscreenCanvas(width, height).getContext("2d");
  if (!canvas) throw new Error("this browser has no canvas");
  canvas.drawImage(decoded, 0, 0);
  const { data } = canvas.getImageData(0, 0, width, height);
  const colourAt = (/** @type {number} */ pixel) => (data[4 * pixel] << 16) | (data[4 * pixel + 1] << 8) | data[4 * pixel + 2];

  /** @type {Map<number, number>} */
  const counts = new Map();
  for (let pixel = 0; pixel < width * height; pixel += 1) counts.set(colourAt(pixel), (counts.get(colourAt(pixel)) ?? 0) + 1);
  const byFrequency = [...counts].sort(([, one], [, other]) => other - one).map(([colour]) => colour);

  const channels = (/** @type {number} */ colour) => [colour >> 16, (colour >> 8) & 255, colour & 255];
  const distance = (/** @type {number} */ one, /** @type {number} */ other) => {
    const others = channels(other);
    return channels(one).reduce((sum, channel, at) => sum + (channel - others[at]) ** 2, 0);
  };
  const keepApart = (/** @type {number} */ apart) => {
    /** @type {number[]} */
    const kept = [];
    for (const colour of byFrequency) {
      if (kept.length <= COLOURS_MAX && kept.every((other) => distance(colour, other) > apart ** 2)) kept.push(colour);
    }
    return kept;
  };
  let apart = 0;
  let kept = keepApart(apart);
  while (kept.length > COLOURS_MAX) kept = keepApart((apart += 1));
  const nearest = (/** @type {number} */ colour) => kept.reduce((best, candidate, at) => (distance(colour, candidate) < distance(colour, kept[best]) ? at : best), 0);
  const places = new Map(byFrequency.map((colour) => [colour, nearest(colour)]));

  let pixels = "";
  for (let pixel = 0; pixel < width * height; pixel += 1) pixels += String.fromCharCode(places.get(colourAt(pixel)) ?? 0);
  return { width, height, palette: kept.flatMap(channels), pixels: btoa(pixels) };
}
