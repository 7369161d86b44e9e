// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf } from "./bytes.mjs";
import { textOf } from "./text.mjs";

test("every byte comes back from the text", () => {
  for (const bytes of [
    Uint8Array.from({ length: 1024 }, (_, at) => (at * at) >> 2),
    Uint8Array.from({ length: 256 }, (_, at) => at),
    Uint8Array.from([255]),
    Uint8Array.from([]),
  ]) {
    const { text, order } = textOf(bytes);
    assert.deepEqual(bytesOf(text, order, bytes.length), bytes);
  }
});

test("the text needs no escape in a string or a page", () => {
  const { text } = textOf(Uint8Array.from({ length: 256 }, (_, at) => at));
  assert.doesNotMatch(text, /[^ -~]|["'`$\\<]/);
});
