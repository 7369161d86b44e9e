// @ts-check
/**
 * The rows of the table with their limits. A limit is the target where that is reached, and else a little above what is
 * reached: lower it with what was reached.
 */
import { median } from "./statistics.mjs";
import { SESSIONS } from "./streaming.mjs";
import { milliseconds, percent, size, wholeNumber } from "./table.mjs";
import { WAITING } from "./traffic.mjs";

/** @typedef {import("./judge.mjs").RowDefinition} RowDefinition */

/**
 * The median of one figure of several tries.
 *
 * @param {string} name
 */
const medianOf = (name) => (/** @type {any[]} */ tries) => median(tries.map((one) => one[name]));

/** @type {RowDefinition[]} */
export const ROWS = [
  { figure: "first load, brotli", part: "compressed", read: (bytes) => bytes, write: size, max: 460_000, target: "≤ 300 KB" },
  { figure: "first load, on the wire", part: "firstLoad", read: medianOf("wire"), write: size, ratioMax: 0.26, target: "" },
  { figure: "first load, first contentful paint", part: "firstLoad", read: medianOf("paint"), write: milliseconds, ratioMax: 0.4, target: "share ≤ 0.25" },
  { figure: "first load, sessions listed", part: "firstLoad", read: medianOf("list"), write: milliseconds, ratioMax: 1, target: "share ≤ 0.4" },
  { figure: "1,000 messages, last one visible", part: "opening", read: medianOf("lastMessage"), write: milliseconds, ratioMax: 0.25, target: "share ≤ 0.2" },
  { figure: "1,000 messages, JavaScript heap", part: "opening", read: medianOf("heap"), write: size, ratioMax: 0.2, target: "share ≤ 0.2" },
  { figure: "1,000 messages, heap and WebAssembly memory", part: "opening", read: (tries) => median(tries.map(({ heap, wasm }) => heap + wasm)), write: size, ratioMax: 0.2, target: "" },
  { figure: "1,000 messages, elements", part: "opening", read: medianOf("elements"), write: wholeNumber, ratioMax: 0.3, target: "share ≤ 0.2" },
  { figure: "asked → visible in the open session, median", part: "asked", read: median, write: milliseconds, ratioMax: 1.5, target: "≤ 45 ms" },
  { figure: "asked → visible in the open session, latest", part: "asked", read: (taken) => Math.max(...taken), write: milliseconds, ratioMax: 1.5, target: "≤ 100 ms" },
  { figure: "1,500 messages, opened", part: "scrolling", read: ({ opened }) => opened, write: milliseconds, ratioMax: 0.3, target: "≤ 0.7 s" },
  { figure: "1,500 messages, long tasks while opened", part: "scrolling", read: ({ longTasks }) => longTasks, write: wholeNumber, ratioMax: 0.5, target: "0" },
  { figure: "1,500 messages, longest of them", part: "scrolling", read: ({ longest }) => longest, write: milliseconds, ratioMax: 0.4, target: "≤ 50 ms" },
  { figure: "1,500 messages, scrolled to the first with the wheel", part: "scrolling", read: ({ reached }) => reached, write: milliseconds, ratioMax: 0.35, target: "≤ 10 s" },
  { figure: "1,500 messages, most elements on the way", part: "scrolling", read: ({ elements }) => elements, write: wholeNumber, max: 1500, target: "≤ 1500" },
  { figure: `${SESSIONS} sessions stream, main thread busy`, part: "streaming", read: ({ busy }) => busy, write: percent, ratioMax: 0.8, target: "≤ 15 %" },
  { figure: `${SESSIONS} sessions stream, long tasks in 20 s`, part: "streaming", read: ({ longTasks }) => longTasks, write: wholeNumber, ratioMax: 1, target: "0" },
  { figure: `${SESSIONS} sessions stream, longest of them`, part: "streaming", read: ({ longest }) => longest, write: milliseconds, ratioMax: 1, target: "≤ 50 ms" },
  { figure: "idle for a minute, bytes", part: "idle", read: ({ bytes }) => bytes, write: size, max: 7_500, target: "≤ 5.0 KB" },
  { figure: "idle for a minute, requests", part: "idle", read: ({ requests }) => requests, write: wholeNumber, max: 20, target: "≤ 20" },
  { figure: `${WAITING} requests wait for a minute, bytes`, part: "waiting", read: ({ bytes }) => bytes, write: size, max: 42_000, target: "≤ 20 KB" },
  { figure: `${WAITING} requests wait for a minute, requests to the server`, part: "waiting", read: ({ requests }) => requests, write: wholeNumber, max: 52, target: "≤ 40" },
  { figure: "a reply streams for a minute, bytes", part: "reply", read: ({ bytes }) => bytes, write: size, ratioMax: 1.3, target: "≤ 180 KB" },
  { figure: "a reply streams for a minute, requests", part: "reply", read: ({ requests }) => requests, write: wholeNumber, max: 60, target: "≤ 60" },
  { figure: "package, WebAssembly, brotli", part: "package", read: ({ wasm }) => wasm, write: size, max: 289_000, target: "≤ 130 KB" },
  { figure: "package, inlined entry, brotli", part: "package", read: ({ inlined }) => inlined, write: size, max: 296_000, target: "≤ 180 KB" },
];
