// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { ArgumentError, readArguments } from "./arguments.mjs";

test("what is not said is the default", () => {
  const expected = { dist: "dist", port: 7923, host: "127.0.0.1", server: null, demoFolder: null, help: false };
  assert.deepEqual(readArguments(["--dist", "dist"]), expected);
});

test("without a folder the dashboard of the package is served", () => {
  assert.match(readArguments([]).dist, /npm.dashboard$/);
});

test("a server address is cut to what identifies it", () => {
  assert.equal(readArguments(["--dist", "d", "--server", "http://build-01:4096/"]).server, "http://build-01:4096");
  assert.equal(readArguments(["--dist", "d", "--server", "https://x.example/opencode/"]).server, "https://x.example/opencode");
});

test("another address than this machine's own is taken together with a server that can be reached from there", () => {
  const words = ["--dist", "d", "--host", "[::]", "--server", "http://build-01:4096"];
  assert.equal(readArguments(words).host, "::");
  assert.throws(() => readArguments(words.slice(0, 4)), /name one they can reach with --server/);
});

test("mistakes are named in one sentence", () => {
  for (const words of [
    ["--dist"],
    ["--dist", "d", "extra"],
    ["--dist", "d", "--bogus"],
    ["--dist", "d", "--port", "80x"],
    ["--dist", "d", "--port", "70000"],
    ["--dist", "d", "--host", "0.0.0.0"],
    ["--dist", "d", "--server", "build-01"],
    ["--dist", "d", "--server", "http://me:secret@build-01"],
  ]) {
    assert.throws(() => readArguments(words), (error) => error instanceof ArgumentError && !error.message.includes("\n"), words.join(" "));
  }
});
