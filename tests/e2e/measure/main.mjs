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

if (!existsSync(join(DIST, "index.html"))) {
  console.error("there is no dashboard in dist/; build it first with: cargo xtask build");
  process.exit(1);
}
const lab = await openLab(DIST, [STREAM_SCRIPT]);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => lab.close().finally(() => process.exit(1)));
try {
  const figures = await measure();
  mkdirSync(TARGET, { recursive: true });
  writeFileSync(join(TARGET, "measure.json"), `${JSON.stringify(figures, null, 2)}\n`);
  console.log(`\n${layOut(rowsOf(figures))}`);
} finally {
  await lab.close();
}

/** @typedef {Awaited<ReturnType<typeof measure>>} Figures */

async function measure() {
  const subjects = { ours: ours(lab.siteUrl), official: official() };
  const loadBefore = loadavg()[0];
  const dist = firstLoadSize(DIST);
  console.log("First load.");
  const firstLoad = await alternate(subjects, (subject) => measureFirstLoad(lab, subject));
  console.log("Asked, then visible: some five minutes.");
  const asked = await each(subjects, (subject) => measureAsked(lab, subject));
  console.log("A session of a thousand messages.");
  const session = await importLongSession(lab);
  const opening = await alternate(subjects, (subject) => measureOpening(lab, subject, session));
  console.log("Bytes per minute: five minutes.");
  const traffic = await each(subjects, (subject) => measureTraffic(lab, subject, session));
  return { at: new Date().toISOString(), openCode: lab.server.version, machineLoad: [loadBefore, loadavg()[0]], dist, firstLoad, asked, opening, traffic };
}

/**
 * @template T
 * @param {Record<"ours" | "official", import("./subjects.mjs").Subject>} subjects
 * @param {(subject: import("./subjects.mjs").Subject) => Promise<T>} figure
 */
async function each(subjects, figure) {
  return { ours: await figure(subjects.ours), official: await figure(subjects.official) };
}

/**
 * Measures both in turn, so that a busy moment of the machine does not fall on one alone.
 *
 * @template T
 * @param {Record<"ours" | "official", import("./subjects.mjs").Subject>} subjects
 * @param {(subject: import("./subjects.mjs").Subject) => Promise<T>} figure
 */
async function alternate(subjects, figure) {
  /** @type {{ ours: T[], official: T[] }} */
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
   * @param {string} figure
   * @param {(name: "ours" | "official") => string} value
   * @param {string} [target]
   */
  const row = (figure, value, target = "") => ({ figure, ours: value("ours"), official: value("official"), target });
  return [
    row("asked → visible, events flowing, median of 20", (name) => milliseconds(median(asked[name].flowing)), "official UI: 45 ms"),
    row("asked → visible, events flowing, p95", (name) => milliseconds(percentile(asked[name].flowing, 0.95))),
    row("asked → visible, events stalled, median of 10 (official: one)", (name) => milliseconds(median(asked[name].stalled))),
    row("bytes a minute, 1,000 messages open, idle", (name) => size(total(traffic[name].idle))),
    row("bytes a minute, 1,000 messages open, busy", (name) => size(total(traffic[name].busy))),
    row("  of these the event stream", (name) => size(traffic[name].busy.events)),
    { figure: "first load, brotli files", ours: size(dist), official: "", target: "≤ 300 KB" },
    row("first load, as sent", (name) => size(median(firstLoad[name].map(({ bytes }) => bytes)) ?? 0)),
    row("first contentful paint, cold, median of 5", (name) => milliseconds(median(firstLoad[name].map(({ paint }) => paint))), "≤ half"),
    row("navigation → last of 1,000 messages, cold, median of 5", (name) => milliseconds(median(opening[name].map(({ lastMessage }) => lastMessage))), "≤ 1 s"),
    row("JS heap then", (name) => size(median(opening[name].map(({ heap }) => heap)) ?? 0)),
    row("wasm memory then", (name) => size(median(opening[name].map(({ wasm }) => wasm)) ?? 0)),
  ];
}

/** @param {import("./meter.mjs").Bytes} bytes */
function total({ events, rest }) {
  return events + rest;
}
