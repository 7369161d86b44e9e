// @ts-check
import { build } from "esbuild";

/** @param {string} out */
export default async function (out) {
  await build({
    entryPoints: { main: new URL("./page.jsx", import.meta.url).pathname },
    outdir: out,
    bundle: true,
    format: "esm",
    minify: true,
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "warning",
  });
}
