// @ts-check
/**
 * Puts everything but the compiled TypeScript into the folder of the package: manifest, WebAssembly as a module, types, servers,
 * the dashboard.
 *
 *     node assemble.mjs DIST VERSION
 */
import { build } from "esbuild";
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { textOf } from "./text.mjs";

const [dist, version] = process.argv.slice(2);
if (!dist || !version) {
  console.error("usage: node assemble.mjs DIST VERSION");
  process.exit(1);
}
const source = fileURLToPath(new URL("../", import.meta.url));
const repository = join(source, "../..");
const target = join(dist, "npm");

/** What only the repository uses. */
const OURS = ["compress.mjs", "real-server.mjs"];

writeManifest();
inline(join(target, "wasm"));
cpSync(join(repository, "web/js/src/types.d.ts"), join(target, "wasm/types.d.ts"));
declareWasm(join(target, "wasm"));
await bundleYaml(join(target, "vendor"));
copyServers();
copyDashboard();
for (const name of ["LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"]) cpSync(join(repository, name), join(target, name));
cpSync(join(source, "README.md"), join(target, "README.md"));

function writeManifest() {
  const { devDependencies, ...manifest } = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  writeFileSync(join(target, "package.json"), `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
}

/**
 * Writes the WebAssembly of a folder as a module, for programs that have no way to load files.
 *
 * @param {string} folder
 */
function inline(folder) {
  const bytes = readFileSync(join(folder, "switchboard_bg.wasm"));
  const { text, order } = textOf(bytes);
  const comment = "/** Returns the WebAssembly of this package. */";
  writeFileSync(
    join(folder, "inlined.js"),
    `import { bytesOf } from "./bytes.js";

${comment}
export function wasm() {
  return bytesOf("${text}", [${order}], ${bytes.length});
}
`,
  );
  writeFileSync(join(folder, "inlined.d.ts"), `${comment}\nexport function wasm(): Uint8Array<ArrayBuffer>;\n`);
  cpSync(join(source, "pack/bytes.mjs"), join(folder, "bytes.js"));
}

/**
 * Says what an import of the WebAssembly is, in place of the functions that it exports: nobody calls those.
 *
 * @param {string} folder
 */
function declareWasm(folder) {
  const comment = "/** What a bundler makes of the WebAssembly: the slim entry takes it. */";
  const declaration = 'declare const source: import("../lib/slim.js").WasmSource;\nexport default source;\n';
  writeFileSync(join(folder, "switchboard_bg.wasm.d.ts"), `${comment}\n${declaration}`);
}

/**
 * Puts what is used of `yaml` into one file: a page that loads the package from a content delivery network has no way to find
 * a package by its name.
 *
 * @param {string} folder
 */
async function bundleYaml(folder) {
  const outfile = join(folder, "yaml.js");
  const entry = 'export { LineCounter, isMap, isScalar, isSeq, parseAllDocuments, visit } from "yaml";\n';
  const stdin = { contents: entry, resolveDir: source };
  await build({ stdin, outfile, bundle: true, format: "esm", platform: "browser", target: "es2022", minify: true, logLevel: "warning" });
  writeFileSync(join(folder, "yaml.d.ts"), entry);
  cpSync(join(source, "node_modules/yaml/LICENSE"), join(folder, "yaml.LICENSE"));
}

function copyServers() {
  rmSync(join(target, "serve"), { recursive: true, force: true });
  for (const name of readdirSync(join(source, "serve"))) {
    if (!name.endsWith(".test.mjs") && !OURS.includes(name)) cpSync(join(source, "serve", name), join(target, "serve", name));
  }
}

/** Only as brotli where that is smaller: the server unpacks it for whoever cannot. */
function copyDashboard() {
  const folder = join(target, "dashboard");
  rmSync(folder, { recursive: true, force: true });
  const files = existsSync(dist) ? readdirSync(dist, { withFileTypes: true }).filter((entry) => entry.isFile()) : [];
  for (const { name } of files) {
    const isPacked = existsSync(join(dist, `${name}.br`));
    if (!isPacked && !name.endsWith(".gz")) cpSync(join(dist, name), join(folder, name));
  }
}
