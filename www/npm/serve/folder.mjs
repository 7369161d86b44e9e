// @ts-check
/**
 * Makes the folder an OpenCode of ours lives in: a repository to work on, and a home that is not the user's.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {object} Place
 * @property {string} directory The repository the agent works in.
 * @property {NodeJS.ProcessEnv} env The environment that keeps everything else inside the folder.
 */

/**
 * Makes what is missing in the folder and returns where things are. What is there stays, so sessions survive.
 *
 * @param {string} folder
 * @param {string} modelUrl
 * @returns {Place}
 */
export function prepareFolder(folder, modelUrl) {
  const directory = join(folder, "project");
  makeRepository(directory);

  const home = join(folder, "home");
  /** @type {NodeJS.ProcessEnv} */
  const env = { HOME: home, USERPROFILE: home };
  for (const kind of ["DATA", "CONFIG", "STATE", "CACHE"]) {
    const path = join(home, kind.toLowerCase());
    mkdirSync(path, { recursive: true });
    env[`XDG_${kind}_HOME`] = path;
  }
  // Not in the repository: every directory that the server is asked for has the same model.
  const settings = join(home, "config", "opencode");
  mkdirSync(settings, { recursive: true });
  writeFileSync(join(settings, "opencode.json"), JSON.stringify(configuration(modelUrl), null, 2));
  // The catalogue of all models there are, which is read anew for each directory, takes a second of the first run in each.
  env.OPENCODE_MODELS_PATH = join(home, "models.json");
  writeFileSync(env.OPENCODE_MODELS_PATH, "{}");
  return { directory, env };
}

/**
 * Makes an empty repository with a note to edit, unless it is there.
 *
 * @param {string} directory
 */
export function makeRepository(directory) {
  mkdirSync(directory, { recursive: true });
  if (existsSync(join(directory, ".git"))) return;
  try {
    execFileSync("git", ["init", "--quiet"], { cwd: directory, stdio: "pipe" });
  } catch (error) {
    const isMissing = /** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT";
    throw new Error(isMissing ? "git is not installed; install it and try again" : `git init failed in ${directory}: ${error}`);
  }
  writeNotes(directory);
}

/**
 * Makes a repository as {@link makeRepository} left it. The repository itself stays the same one: a server knows the
 * directory by it.
 *
 * @param {string} directory
 */
export function emptyRepository(directory) {
  makeRepository(directory);
  for (const name of readdirSync(directory)) if (name !== ".git") rmSync(join(directory, name), { recursive: true });
  writeNotes(directory);
}

/** @param {string} directory */
function writeNotes(directory) {
  writeFileSync(join(directory, "notes.md"), "# Notes\n\nThe agent of the demo writes here.\n\n- Colours: open\n");
}

/** @param {string} modelUrl */
function configuration(modelUrl) {
  return {
    model: "stub/scripted",
    small_model: "stub/scripted",
    share: "disabled",
    autoupdate: false,
    permission: { bash: "ask", edit: "ask" },
    agent: { general: { permission: { question: "allow" } } },
    provider: {
      stub: {
        npm: "@ai-sdk/openai-compatible",
        name: "Scripted model",
        options: { baseURL: `${modelUrl}/v1`, apiKey: "none" },
        models: { scripted: { name: "Scripted" } },
      },
    },
  };
}
