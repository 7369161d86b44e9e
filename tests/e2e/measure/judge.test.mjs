// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { fillRows, judge } from "./judge.mjs";
import { ROWS } from "./rows.mjs";
import { markdown, milliseconds, wholeNumber } from "./table.mjs";

/** @type {import("./judge.mjs").RowDefinition} */
const PAINT = { figure: "first contentful paint", part: "load", read: ({ paint }) => paint, write: milliseconds, ratioMax: 0.5, target: "≤ 0.25" };
/** @type {import("./judge.mjs").RowDefinition} */
const REQUESTS = { figure: "idle, requests", part: "idle", read: ({ requests }) => requests, write: wholeNumber, max: 20, target: "≤ 10" };

/**
 * What is said of the figures of both pages.
 *
 * @param {import("./judge.mjs").RowDefinition} definition
 * @param {number} ours
 * @param {number} [official]
 */
function told(definition, ours, official) {
  const inPart = (/** @type {number} */ value) => ({ paint: value, requests: value });
  const found = { ours: inPart(ours), ...(official === undefined ? {} : { official: inPart(official) }) };
  return judge(fillRows([definition], { [definition.part]: { found } }));
}

test("a share of the official page's figure that exceeds its limit is told with row, figure and limit", () => {
  assert.deepEqual(told(PAINT, 500, 1000), []);
  assert.deepEqual(told(PAINT, 0, 0), []);
  assert.deepEqual(told(PAINT, 510, 1000), ["first contentful paint: 510 ms is 0.51 of the official page's 1.00 s, and may be 0.5 of it"]);
});

test("a count that exceeds its limit is told with row, figure and limit, whatever the official page has", () => {
  assert.deepEqual(told(REQUESTS, 20), []);
  assert.deepEqual(told(REQUESTS, 21, 500), ["idle, requests: 21, and may be 20"]);
});

test("what did not come in time fails on our page, and is no excuse for the official one's absence", () => {
  assert.deepEqual(told(PAINT, 500, Infinity), []);
  assert.deepEqual(told(PAINT, Infinity, 1000), ["first contentful paint: not in time is ∞ of the official page's 1.00 s, and may be 0.5 of it"]);
  assert.equal(told(PAINT, Infinity, Infinity).length, 1);
  assert.deepEqual(told(PAINT, 500), ["first contentful paint: the official page has no figure to compare with"]);
  assert.deepEqual(told(PAINT, NaN, 1000), ["first contentful paint: our page has no figure"]);
});

test("a part that was not measured fails, and its row says why", () => {
  const rows = fillRows([PAINT], { load: { failed: "the page crashed" } });
  assert.deepEqual(judge(rows), ["first contentful paint: not measured: the page crashed"]);
  assert.match(markdown(rows), /first contentful paint *\| not measured: the page crashed \|/);
  assert.deepEqual(judge(fillRows([PAINT], {})), ["first contentful paint: not measured: its part did not run"]);
});

test("the table has the share, the limit and the target of each row", () => {
  const rows = fillRows([PAINT, REQUESTS], { load: { found: { ours: { paint: 400 }, official: { paint: 1000 } } }, idle: { found: { ours: { requests: 9 } } } });
  assert.equal(
    markdown(rows),
    [
      "|                        | Switchboard | official UI | share | fails above | target |",
      "|------------------------|------------:|------------:|------:|------------:|-------:|",
      "| first contentful paint |      400 ms |      1.00 s |  0.40 |         0.5 | ≤ 0.25 |",
      "| idle, requests         |           9 |           – |       |          20 |   ≤ 10 |",
      "",
    ].join("\n"),
  );
});

test("each row has a limit, and no limit is a time", () => {
  for (const { figure, write, max, ratioMax } of ROWS) {
    assert.ok(max !== undefined || ratioMax !== undefined, figure);
    if (write === milliseconds) assert.equal(max, undefined, figure);
  }
});
