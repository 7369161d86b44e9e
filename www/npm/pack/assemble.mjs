// @ts-check
/**
 * Puts everything but the compiled TypeScript into the folder of the package: manifest, WebAssembly as a module, types, servers,
 * the dashboard.
 *
 *     node assemble.mjs DIST VERSION [--repository URL] [--homepage URL]
 */
import { build, transform } from "esbuild";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { textOf } from "./text.mjs";

const text = /** @type {const} */ ({ type: "string" });
const { values: links, positionals } = parseArgs({ options: { repository: text, homepage: text }, allowPositionals: true });
const [dist, version] = positionals;
if (!dist || !version) {
  console.error("usage: node assemble.mjs DIST VERSION [--repository URL] [--homepage URL]");
  process.exit(1);
}
const source = fileURLToPath(new URL("../", import.meta.url));
const repository = join(source, "../..");
const target = join(dist, "npm");

/** What only the repository uses. */
const OURS = ["compress.mjs", "real-server.mjs"];

writeManifest();
inline(join(target, "wasm"));
await writeEntries();
await minify(join(target, "wasm/switchboard.js"));
cpSync(join(repository, "web/js/src/types.d.ts"), join(target, "wasm/types.d.ts"));
declareWasm(join(target, "wasm"));
await bundleYaml(join(target, "vendor"));
copyServers();
copyDashboard();
for (const name of ["LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"]) cpSync(join(repository, name), join(target, name));
cpSync(join(source, "README.md"), join(target, "README.md"));

function writeManifest() {
  const { devDependencies, ...manifest } = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  const { repository: url, homepage } = links;
  const repository = url && { type: "git", url: `git+${url}.git` };
  const scripts = { prepublishOnly: "node prepublish.mjs" };
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, "package.json"), `${JSON.stringify({ ...manifest, version, repository, homepage, scripts }, null, 2)}\n`);
  cpSync(join(source, "pack/prepublish.mjs"), join(target, "prepublish.mjs"));
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

export { wasm as wasmNow };
`,
  );
  const declarations = [
    comment,
    "export function wasm(): BufferSource | WebAssembly.Module | Promise<BufferSource>;",
    "/** The same before it returns. */",
    "export function wasmNow(): BufferSource | WebAssembly.Module;",
  ];
  writeFileSync(join(folder, "inlined.d.ts"), `${declarations.join("\n")}\n`);
  for (const name of ["bytes", "file", "module"]) cpSync(join(source, `pack/${name}.mjs`), join(folder, `${name}.js`));
}

/** Writes the main entry once more for each place that has a better way to the WebAssembly than the text in `inlined.js`. */
async function writeEntries() {
  const entry = readFileSync(join(source, "src/index.ts"), "utf8");
  mkdirSync(join(target, "lib"), { recursive: true });
  for (const [name, way] of [["node", "file"], ["workerd", "module"]]) {
    const { code } = await transform(entry.replace("../wasm/inlined.js", `../wasm/${way}.js`), { loader: "ts", target: "es2022" });
    writeFileSync(join(target, `lib/index.${name}.js`), code);
  }
}

/**
 * Makes the JavaScript that `wasm-bindgen` has written smaller.
 *
 * @param {string} path
 */
async function minify(path) {
  const { code } = await transform(readFileSync(path, "utf8"), { minify: true, target: "es2022" });
  writeFileSync(path, code);
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
