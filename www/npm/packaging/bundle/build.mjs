// @ts-check
import { build } from "esbuild";

/** @param {string} outfile @param {"esm" | "cjs"} format */
export default async function (outfile, format) {
  const entryPoints = [new URL("./main.mjs", import.meta.url).pathname];
  // An ES module says where it is by what CommonJS does not have: that is no mistake here.
  const logOverride = { "empty-import-meta": "silent" };
  await build({ entryPoints, outfile, bundle: true, platform: "node", format, logLevel: "warning", logOverride });
}
