// @ts-check
/**
 * Measures the dashboard beside OpenCode's own page, on one real server: prints a table, writes it to target/measure.md
 * and all figures to target/measure.json, and fails when a row exceeds its limit or could not be measured.
 *
 * What else runs on the machine is in the times; its load is in the file.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { measureAsked } from "./asked.mjs";
import { compressedSize, firstLoadSize } from "./dist-size.mjs";
import { LISTED, measureCompressed, measureFirstLoad } from "./first-load.mjs";
import { fillRows, judge } from "./judge.mjs";
import { openLab } from "./lab.mjs";
import { importLongSession } from "./long-session.mjs";
import { measureOpening } from "./opening.mjs";
import { runPart } from "./part.mjs";
import { ROWS } from "./rows.mjs";
import { measureScrolling } from "./scrolling.mjs";
import { measureStreaming, startStreaming } from "./streaming.mjs";
import { official, ours } from "./subjects.mjs";
import { markdown } from "./table.mjs";
import { measureTraffic, measureWaiting } from "./traffic.mjs";
import { tries } from "./tries.mjs";

/**
 * @typedef {import("./subjects.mjs").Subject} Subject
 * @typedef {import("@playwright/test").Browser} Browser
 */

const DIST = fileURLToPath(new URL("../../../dist", import.meta.url));
const TARGET = fileURLToPath(new URL("../../../target", import.meta.url));
const PACKAGE = join(DIST, "npm/wasm");
const TRIES = { most: 5, least: 3 };
const LONG = 1000;
const VERY_LONG = 1500;

if (!existsSync(join(PACKAGE, "inlined.js.br"))) {
  console.error("dist/ is not complete; build it first with: cargo xtask build");
  process.exit(1);
}
const lab = await openLab(DIST);
// Requests wait on a server on which nothing else happens.
const quietLab = await openLab(DIST);
const close = () => Promise.all([lab.close(), quietLab.close()]);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => close().finally(() => process.exit(1)));
const subjects = { ours: ours(lab.siteUrl), official: official() };
const begun = new Date();
/** @type {Record<string, import("./judge.mjs").PartResult>} */
const parts = {};
try {
  await measure();
} finally {
  await close();
}
const rows = fillRows(ROWS, parts);
const table = markdown(rows);
const complaints = judge(rows);
const setting = `OpenCode ${lab.server.version}, ${cpus().length} cores, load ${loadavg()[1].toFixed(1)}, ${begun.toISOString().slice(0, 10)}`;
mkdirSync(TARGET, { recursive: true });
writeFileSync(join(TARGET, "measure.md"), `${table}\n${setting}\n`);
writeFileSync(join(TARGET, "measure.json"), `${JSON.stringify({ setting, parts }, null, 2)}\n`);
console.log(`\n${table}\n${setting}; also in target/measure.md. It took ${Math.round((Date.now() - begun.getTime()) / 1000)} s.`);
if (complaints.length > 0) {
  console.error(`\nThe limits are in tests/e2e/measure/rows.mjs. Missed:\n${complaints.map((complaint) => `  ${complaint}`).join("\n")}`);
  process.exitCode = 1;
}

async function measure() {
  await part("firstLoad", 200, async (browser) => {
    await lab.api.createSession({ title: LISTED });
    return alternate((subject) => measureFirstLoad(lab, browser, subject));
  });
  await part("compressed", 150, async (browser) => ({ ours: firstLoadSize(DIST), official: await measureCompressed(lab, browser, subjects.official) }));
  await part("package", 10, async () => ({ ours: { wasm: compressedSize(join(PACKAGE, "switchboard_bg.wasm")), inlined: compressedSize(join(PACKAGE, "inlined.js")) } }));
  await part("asked", 240, (browser) => each((subject) => measureAsked(lab, browser, subject)));
  await part("sessions", 150, async () => ({ ours: { long: await importLongSession(lab, LONG), veryLong: await importLongSession(lab, VERY_LONG) } }));
  await part("opening", 200, (browser) => alternate((subject) => measureOpening(lab, browser, subject, imported().long)));
  await part("scrolling", 220, (browser) => each((subject) => measureScrolling(lab, browser, subject, imported().veryLong)));
  await Promise.all([
    part("idle", 180, (browser) => measureTraffic(lab, browser, subjects, imported().long, { isReplying: false })),
    part("waiting", 210, (browser) => measureWaiting(quietLab, browser, subjects.ours).then((traffic) => ({ ours: traffic }))),
  ]);
  await part("reply", 190, (browser) => measureTraffic(lab, browser, subjects, imported().long, { isReplying: true }));
  await part("streaming", 200, async (browser) => {
    const sessions = await startStreaming(lab);
    return each((subject) => measureStreaming(lab, browser, subject, sessions));
  });
}

/**
 * @param {string} name
 * @param {number} seconds The most that it may take.
 * @param {(browser: Browser) => Promise<import("./judge.mjs").Both<any>>} task
 */
async function part(name, seconds, task) {
  parts[name] = await runPart(name, 1000 * seconds, task);
  if (name !== "waiting") await calmDown(lab).catch(() => {});
}

/** What a part has left running or waiting must not be in the figures of the next. @param {import("./lab.mjs").Lab} lab */
async function calmDown({ api }) {
  for (const id of Object.keys(await api.status())) await api.abort({ id });
  if ((await api.questions()).length > 0) await api.call("POST", "/instance/dispose");
}

/** @returns {{ long: import("../api.js").Session, veryLong: import("../api.js").Session }} */
function imported() {
  const { sessions } = parts;
  if ("failed" in sessions) throw new Error("there is no long session for it");
  return sessions.found.ours;
}

/**
 * @template T
 * @param {(subject: Subject) => Promise<T>} figure
 */
async function each(figure) {
  return { ours: await figure(subjects.ours), official: await figure(subjects.official) };
}

/**
 * Measures both in turn, so that a busy moment of the machine does not fall on one alone.
 *
 * @template T
 * @param {(subject: Subject) => Promise<T>} figure
 */
async function alternate(figure) {
  /** @type {{ ours: T[], official: T[] }} */
  const found = { ours: [], official: [] };
  for (const _ of tries(TRIES)) {
    const { ours, official } = await each(figure);
    found.ours.push(ours);
    found.official.push(official);
  }
  return found;
}
