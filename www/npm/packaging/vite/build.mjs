// @ts-check
import { build } from "vite";

/** @param {string} out */
export default async function (out) {
  const lib = { entry: new URL("../app/page.js", import.meta.url).pathname, formats: /** @type {["es"]} */ (["es"]), fileName: () => "main.js" };
  await build({ logLevel: "error", configFile: false, build: { lib, outDir: out, emptyOutDir: false } });
}
