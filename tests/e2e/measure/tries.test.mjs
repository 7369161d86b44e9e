// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { tries } from "./tries.mjs";

test("there are as many tries as asked for, and on a slow machine fewer, but never too few", () => {
  const count = (/** @type {number} */ seconds) => {
    let now = 0;
    let tried = 0;
    for (const number of tries({ most: 10, least: 3 }, () => now)) {
      now += 1000 * seconds;
      tried = number;
    }
    return tried;
  };
  assert.equal(count(1), 10);
  assert.equal(count(10), 8);
  assert.equal(count(100), 3);
});
