// @ts-check
import { rollup } from "rollup";
import { createRequire } from "node:module";
import { pathToFileURL, fileURLToPath } from "node:url";

/** Rollup resolves no packages by itself. */
const packages = {
  name: "packages",
  /** @param {string} id @param {string | undefined} importer */
  resolveId(id, importer) {
    if (/^[./]/.test(id) || !importer) return null;
    if (id.startsWith("opencode-switchboard")) return fileURLToPath(import.meta.resolve(id));
    return createRequire(pathToFileURL(importer)).resolve(`${id}/browser`);
  },
};

/** @param {string} out */
export default async function (out) {
  const bundle = await rollup({ input: new URL("../app/page.js", import.meta.url).pathname, plugins: [packages] });
  await bundle.write({ dir: out, entryFileNames: "main.js", format: "es" });
  await bundle.close();
}
