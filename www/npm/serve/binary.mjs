// @ts-check
/**
 * Finds the OpenCode executable that npm installed for this machine.
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

const require = createRequire(import.meta.url);

/**
 * @typedef {object} Place Where to look; as it is here unless given.
 * @property {NodeJS.Platform} [platform]
 * @property {string} [arch]
 * @property {string} [path] As in the environment variable `PATH`.
 * @property {NodeJS.Require} [from] What resolves the packages that are installed beside this one.
 */

/**
 * Returns the path of the executable: that of the package `opencode-ai`, which need not have run its install script, or else the
 * one on the `PATH`.
 *
 * On Windows npm puts a script there, `opencode.cmd`, which cannot be started without a shell: the executable of the package that
 * it belongs to is taken.
 *
 * @param {Place} [place]
 * @returns {string}
 */
export function findOpenCode({ platform = process.platform, arch = process.arch, path = process.env.PATH ?? "", from = require } = {}) {
  const executable = platform === "win32" ? "opencode.exe" : "opencode";
  const names = packageNames(platform, arch);
  const installed = (/** @type {NodeJS.Require} */ resolver) =>
    names.flatMap((name) => {
      const folder = packageFolder(name, resolver);
      return folder ? [join(folder, "bin", executable)] : [];
    });
  const folders = path.split(delimiter).filter(Boolean);
  const onPath = folders.map((folder) => join(folder, executable));
  const scripts = platform === "win32" ? folders.filter((folder) => existsSync(join(folder, "opencode.cmd"))) : [];
  // A global installation has its packages in a folder beside its scripts, a local one around them.
  const ofScripts = scripts.flatMap((folder) => [folder, dirname(dirname(folder))].flatMap((root) => installed(createRequire(join(root, "_")))));
  const found = [...installed(from), ...onPath, ...ofScripts].find((candidate) => existsSync(candidate));
  if (!found) throw new Error(`OpenCode is not installed for ${platform} ${arch}; run: npm install opencode-ai`);
  return found;
}

/**
 * The packages that may hold it, the fitting one first: processors without AVX2 need the baseline build.
 *
 * @param {NodeJS.Platform} platform
 * @param {string} arch
 */
function packageNames(platform, arch) {
  const base = `opencode-${platform === "win32" ? "windows" : platform}-${arch}`;
  const builds = arch !== "x64" ? [base] : hasAvx2() ? [base, `${base}-baseline`] : [`${base}-baseline`, base];
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

/**
 * @param {string} name
 * @param {NodeJS.Require} from
 */
function packageFolder(name, from) {
  try {
    const beside = createRequire(from.resolve("opencode-ai/package.json"));
    return dirname(beside.resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}
