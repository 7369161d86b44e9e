// @ts-check
/**
 * Finds the OpenCode executable that npm installed for this machine.
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

const require = createRequire(import.meta.url);

/**
 * Returns the path of the executable: that of the package `opencode-ai`, which need not have run its install script, or else the
 * one on the `PATH`.
 *
 * @returns {string}
 */
export function findOpenCode() {
  const executable = process.platform === "win32" ? "opencode.exe" : "opencode";
  const candidates = packageNames().flatMap((name) => {
    const folder = packageFolder(name);
    return folder ? [join(folder, "bin", executable)] : [];
  });
  const onPath = (process.env.PATH ?? "").split(delimiter).filter(Boolean).map((folder) => join(folder, executable));
  const found = [...candidates, ...onPath].find((path) => existsSync(path));
  if (!found) throw new Error(`OpenCode is not installed for ${process.platform} ${process.arch}; run: npm install opencode-ai`);
  return found;
}

/** The packages that may hold it, the fitting one first: processors without AVX2 need the baseline build. */
function packageNames() {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const base = `opencode-${platform}-${process.arch}`;
  const builds = process.arch !== "x64" ? [base] : hasAvx2() ? [base, `${base}-baseline`] : [`${base}-baseline`, base];
  const withMusl = builds.map((name) => `${name}-musl`);
  if (platform !== "linux") return builds;
  return existsSync("/etc/alpine-release") ? [...withMusl, ...builds] : [...builds, ...withMusl];
}

/** Returns true as well where nothing tells: most processors have it. */
function hasAvx2() {
  try {
    return /\bavx2\b/i.test(readFileSync("/proc/cpuinfo", "utf8"));
  } catch {
    return true;
  }
}

/** @param {string} name */
function packageFolder(name) {
  try {
    const beside = createRequire(require.resolve("opencode-ai/package.json"));
    return dirname(beside.resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}
