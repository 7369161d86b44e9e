// @ts-check
import { build } from "esbuild";
import { readFile } from "node:fs/promises";
import { compile } from "svelte/compiler";

/** @type {import("esbuild").Plugin} */
const components = {
  name: "components",
  setup(build) {
    build.onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { js, warnings } = compile(await readFile(path, "utf8"), { filename: path, css: "injected" });
      return { contents: js.code, warnings: warnings.map(({ message }) => ({ text: message })) };
    });
  },
};

/** @param {string} out */
export default async function (out) {
  await build({
    entryPoints: { main: new URL("./page.js", import.meta.url).pathname },
    outdir: out,
    bundle: true,
    format: "esm",
    minify: true,
    conditions: ["svelte"],
    plugins: [components],
    logLevel: "warning",
  });
}
