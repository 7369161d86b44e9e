// @ts-check
/**
 * Measures the dashboard beside OpenCode's own page, on one real server: prints a table and writes target/measure.json.
 *
 * It asserts nothing. What runs beside it on the machine is in its figures; the load of the machine is in the file.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { measureAsked } from "./asked.mjs";
import { firstLoadSize } from "./dist-size.mjs";
import { measureFirstLoad } from "./first-load.mjs";
import { openLab } from "./lab.mjs";
import { importLongSession } from "./long-session.mjs";
import { measureOpening } from "./opening.mjs";
import { median, percentile } from "./statistics.mjs";
import { official, ours } from "./subjects.mjs";
import { layOut, milliseconds, size } from "./table.mjs";
import { measureTraffic, STREAM_SCRIPT } from "./traffic.mjs";

const DIST = fileURLToPath(new URL("../../../dist", import.meta.url));
const TARGET = fileURLToPath(new URL("../../../target", import.meta.url));
const LOADS = 5;

/**
 * @template T
 * @typedef {{ ours: T, official: T }} Both
 */

/**
 * @typedef {object} Figures In milliseconds and bytes.
 * @property {string} at
 * @property {string} openCode
 * @property {number[]} machineLoad
 * @property {number} dist
 * @property {Both<Awaited<ReturnType<typeof measureFirstLoad>>[]>} [firstLoad]
 * @property {Both<Awaited<ReturnType<typeof measureAsked>>>} [asked]
 * @property {Both<Awaited<ReturnType<typeof measureOpening>>[]>} [opening]
 * @property {Both<Awaited<ReturnType<typeof measureTraffic>>>} [traffic]
 */

if (!existsSync(join(DIST, "index.html"))) {
  console.error("there is no dashboard in dist/; build it first with: cargo xtask build");
  process.exit(1);
}
const lab = await openLab(DIST, [STREAM_SCRIPT]);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => lab.close().finally(() => process.exit(1)));
/** @type {Figures} */
const figures = { at: new Date().toISOString(), openCode: lab.server.version, machineLoad: loadavg(), dist: firstLoadSize(DIST) };
try {
  await measure();
  console.log(`\n${layOut(rowsOf(figures))}`);
} finally {
  mkdirSync(TARGET, { recursive: true });
  writeFileSync(join(TARGET, "measure.json"), `${JSON.stringify(figures, null, 2)}\n`);
  await lab.close();
}

async function measure() {
  const subjects = { ours: ours(lab.siteUrl), official: official() };
  console.log("First load.");
  figures.firstLoad = await alternate(subjects, (subject) => measureFirstLoad(lab, subject));
  console.log("Asked, then visible: some five minutes.");
  figures.asked = await each(subjects, (subject) => measureAsked(lab, subject));
  console.log("A session of a thousand messages for each.");
  const sessions = await each(subjects, () => importLongSession(lab));
  figures.opening = await alternate(subjects, (subject) => measureOpening(lab, subject, sessions[subject.name]));
  console.log("Bytes per minute: five minutes.");
  figures.traffic = await each(subjects, (subject) => measureTraffic(lab, subject, sessions[subject.name]));
}

/**
 * @template T
 * @param {Both<import("./subjects.mjs").Subject>} subjects
 * @param {(subject: import("./subjects.mjs").Subject) => Promise<T>} figure
 */
async function each(subjects, figure) {
  return { ours: await figure(subjects.ours), official: await figure(subjects.official) };
}

/**
 * Measures both in turn, so that a busy moment of the machine does not fall on one alone.
 *
 * @template T
 * @param {Both<import("./subjects.mjs").Subject>} subjects
 * @param {(subject: import("./subjects.mjs").Subject) => Promise<T>} figure
 */
async function alternate(subjects, figure) {
  /** @type {Both<T[]>} */
  const found = { ours: [], official: [] };
  for (let load = 0; load < LOADS; load += 1) {
    const { ours, official } = await each(subjects, figure);
    found.ours.push(ours);
    found.official.push(official);
  }
  return found;
}

/**
 * @param {Figures} figures
 * @returns {import("./table.mjs").Row[]}
 */
function rowsOf({ dist, firstLoad, asked, opening, traffic }) {
  /**
   * @template T
   * @param {string} figure
   * @param {Both<T> | undefined} both
   * @param {(one: T) => string} write
   * @param {string} [target]
   */
  const row = (figure, both, write, target = "") => ({ figure, ours: both ? write(both.ours) : "", official: both ? write(both.official) : "", target });
  return [
    row("asked → visible, events flowing, median of 20", asked, ({ flowing }) => milliseconds(median(flowing)), "official UI: 45 ms"),
    row("asked → visible, events flowing, p95", asked, ({ flowing }) => milliseconds(percentile(flowing, 0.95))),
    row("asked → visible, events stalled, median of 10 (official: one)", asked, ({ stalled }) => milliseconds(median(stalled))),
    row("bytes a minute, 1,000 messages open, idle", traffic, ({ idle }) => size(idle.events + idle.rest)),
    row("bytes a minute, 1,000 messages open, busy", traffic, ({ busy }) => size(busy.events + busy.rest), "flat polling: 22 MB"),
    row("  of these the event stream", traffic, ({ busy }) => size(busy.events)),
    { figure: "first load, brotli files", ours: size(dist), official: "", target: "≤ 300 KB" },
    row("first load, as sent", firstLoad, (loads) => size(median(loads.map(({ bytes }) => bytes)) ?? 0)),
    row("first contentful paint, cold, median of 5", firstLoad, (loads) => milliseconds(median(loads.map(({ paint }) => paint))), "≤ half"),
    row("navigation → last of 1,000 messages, cold, median of 5", opening, (times) => milliseconds(median(times.map(({ lastMessage }) => lastMessage))), "≤ 1 s"),
    row("JS heap then", opening, (times) => size(median(times.map(({ heap }) => heap)) ?? 0)),
    row("wasm memory then", opening, (times) => size(median(times.map(({ wasm }) => wasm)) ?? 0)),
  ];
}
