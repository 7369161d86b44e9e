// @ts-check
/** Keeps npm from publishing a package that does not say where it comes from. npm runs it in the folder of the package. */
import { readFileSync } from "node:fs";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const missing = ["repository", "homepage"].filter((name) => !manifest[name]);
if (missing.length > 0) {
  const names = missing.join(" and ");
  console.error(`Not published: it has no ${names}. Set ${names} under [workspace.package] in Cargo.toml, and run \`cargo xtask build\`.`);
  process.exit(1);
}
