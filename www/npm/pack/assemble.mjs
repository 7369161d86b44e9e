// @ts-check
/**
 * Puts everything but the compiled TypeScript into the folder of the package: manifest, WebAssembly as a module, types, servers,
 * the dashboard.
 *
 *     node assemble.mjs DIST VERSION
 */
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [dist, version] = process.argv.slice(2);
if (!dist || !version) {
  console.error("usage: node assemble.mjs DIST VERSION");
  process.exit(1);
}
const source = fileURLToPath(new URL("../", import.meta.url));
const repository = join(source, "../..");
const target = join(dist, "npm");

writeManifest();
inline(join(target, "wasm/switchboard_bg.wasm"), join(target, "wasm/inlined"));
cpSync(join(repository, "web/src/js/types.d.ts"), join(target, "wasm/types.d.ts"));
copyServers();
copyDashboard();
for (const name of ["LICENSE-APACHE", "CHANGELOG.md"]) cpSync(join(repository, name), join(target, name));
cpSync(join(source, "README.md"), join(target, "README.md"));

function writeManifest() {
  const { devDependencies, ...manifest } = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  writeFileSync(join(target, "package.json"), `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
}

/**
 * Writes a WebAssembly file as a module, for programs that have no way to load files.
 *
 * @param {string} wasm
 * @param {string} module
 */
function inline(wasm, module) {
  const text = readFileSync(wasm).toString("base64");
  const comment = "/** Returns the WebAssembly of this package. */";
  writeFileSync(
    `${module}.js`,
    `${comment}
export function wasm() {
  const text = "${text}";
  if (typeof Buffer === "function") return Buffer.from(text, "base64");
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
`,
  );
  writeFileSync(`${module}.d.ts`, `${comment}\nexport function wasm(): Uint8Array<ArrayBuffer>;\n`);
}

function copyServers() {
  rmSync(join(target, "serve"), { recursive: true, force: true });
  for (const name of readdirSync(join(source, "serve"))) {
    if (!name.endsWith(".test.mjs")) cpSync(join(source, "serve", name), join(target, "serve", name));
  }
}

/** Only as brotli where that is smaller: the server unpacks it for whoever cannot. */
function copyDashboard() {
  const folder = join(target, "dashboard");
  rmSync(folder, { recursive: true, force: true });
  for (const name of existsSync(dist) ? readdirSync(dist) : []) {
    const isPacked = existsSync(join(dist, `${name}.br`));
    if (name !== "npm" && !isPacked && !name.endsWith(".gz")) cpSync(join(dist, name), join(folder, name));
  }
}
