// @ts-check
/**
 * Writes a WebAssembly file as a module, for programs that have no way to load files.
 *
 *     node inline.mjs switchboard_bg.wasm inlined.js
 */
import { readFileSync, writeFileSync } from "node:fs";

const [source, target] = process.argv.slice(2);
if (!source || !target) {
  console.error("usage: node inline.mjs FILE.wasm FILE.js");
  process.exit(1);
}
const text = readFileSync(source).toString("base64");
writeFileSync(
  target,
  `/** Returns the WebAssembly of this package. */
export function wasm() {
  const text = "${text}";
  if (typeof Buffer === "function") return Buffer.from(text, "base64");
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
`,
);
writeFileSync(target.replace(/\.js$/, ".d.ts"), "/** Returns the WebAssembly of this package. */\nexport function wasm(): Uint8Array<ArrayBuffer>;\n");
