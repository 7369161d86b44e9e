// @ts-check
import nodeResolve from "@rollup/plugin-node-resolve";
import { rollup } from "rollup";

/** @param {string} out */
export default async function (out) {
  const input = new URL("../app/page.js", import.meta.url).pathname;
  const bundle = await rollup({ input, plugins: [nodeResolve({ browser: true })] });
  await bundle.write({ dir: out, entryFileNames: "main.js", format: "es" });
  await bundle.close();
}
