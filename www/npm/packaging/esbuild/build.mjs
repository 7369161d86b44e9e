// @ts-check
import { build } from "esbuild";

/** @param {string} out */
export default async function (out) {
  await build({
    entryPoints: { main: new URL("../app/page.js", import.meta.url).pathname },
    outdir: out,
    bundle: true,
    format: "esm",
    minify: true,
    logLevel: "warning",
  });
}

/** The slim entry. @param {string} out */
export async function slim(out) {
  await build({
    entryPoints: { main: new URL("../app/slim-page.js", import.meta.url).pathname },
    outdir: out,
    bundle: true,
    format: "esm",
    minify: true,
    loader: { ".wasm": "file" },
    logLevel: "warning",
  });
}
