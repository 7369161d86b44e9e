// @ts-check
/**
 * The API reference that was built: it tells of everything that the package exports.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import typescript from "../node_modules/typescript/lib/typescript.js";

const built = fileURLToPath(new URL("../../../dist/npm/", import.meta.url));
const reference = fileURLToPath(new URL("../../../dist/reference/", import.meta.url));

for (const [module, declarations] of entries()) {
  test(`the reference tells of every export of ${module}`, () => {
    const path = join(reference, `modules/${module.replaceAll("/", "_")}.html`);
    const page = readFileSync(path, "utf8").replaceAll("<wbr/>", "");
    for (const name of exportsOf(declarations)) {
      const [, address] = new RegExp(`<a href="([^"#]+)(?:#[^"]*)?"[^>]*>(?:<span>)?${name}(?:</span>)?</a>`).exec(page) ?? [];
      assert.ok(address, `${name} is missing`);
      assert.ok(existsSync(join(dirname(path), address)), `${name} has no page`);
    }
  });
}

/** The entries that have types, by the names they are imported by. */
function entries() {
  const { name, exports } = JSON.parse(readFileSync(join(built, "package.json"), "utf8"));
  return Object.entries(exports)
    .filter(([, target]) => target.default?.endsWith(".js"))
    .map(([entry, target]) => /** @type {const} */ ([join(name, entry), join(built, target.types)]));
}

/** @param {string} declarations */
function exportsOf(declarations) {
  const program = typescript.createProgram([declarations], { module: typescript.ModuleKind.NodeNext });
  const source = program.getSourceFile(declarations);
  const checker = program.getTypeChecker();
  const symbol = source && checker.getSymbolAtLocation(source);
  assert.ok(symbol, `${declarations} is no module`);
  return checker.getExportsOfModule(symbol).map(({ name }) => name);
}
