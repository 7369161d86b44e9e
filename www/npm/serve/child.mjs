// @ts-check
/**
 * Runs a program that never outlives this one, not even when this one is killed.
 *
 * On Unix a small shell process in the group of the program waits on a pipe that we hold open. However we end, the
 * pipe closes, and it kills the group.
 */
import { spawn } from "node:child_process";

const STOP_GRACE_MS = 3000;
const OUTPUT_CHARACTERS_KEPT = 4000;

/** Runs `"$@"` in the place of the shell; descriptor 3 is the pipe. */
const LEASH = '{ cat <&3 >/dev/null; kill -KILL 0; } 2>/dev/null & exec "$@" 3<&-';

/** @type {Set<() => void>} */
const running = new Set();

/**
 * @typedef {object} Child
 * @property {number | undefined} pid
 * @property {Promise<void>} ended Resolves when the program has ended.
 * @property {() => boolean} isRunning
 * @property {() => string} output The last lines it printed.
 * @property {() => Promise<void>} stop Asks it to end, and kills it when it does not.
 * @property {() => Promise<void>} kill Kills the whole process group at once.
 */

/**
 * Starts a program with a process group of its own.
 *
 * @param {string} program
 * @param {string[]} parameters
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} options
 * @returns {Child}
 */
export function startChild(program, parameters, { cwd, env }) {
  const isUnix = process.platform !== "win32";
  const child = isUnix
    ? spawn("/bin/sh", ["-c", LEASH, "sh", program, ...parameters], { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe", "pipe"] })
    : spawn(program, parameters, { cwd, env, stdio: ["ignore", "pipe", "pipe"], windowsHide: true });

  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (data) => (output = (output + data).slice(-OUTPUT_CHARACTERS_KEPT)));
  }
  let isRunning = true;
  const killNow = () => signalGroup(child, "SIGKILL", isUnix);
  running.add(killNow);
  const ended = new Promise((resolve) => {
    const end = () => {
      isRunning = false;
      running.delete(killNow);
      resolve(undefined);
    };
    child.once("error", (error) => {
      output += error.message;
      end();
    });
    child.once("exit", () => {
      killNow();
      end();
    });
  });

  return {
    pid: child.pid,
    ended,
    isRunning: () => isRunning,
    output: () => output.trim(),
    async stop() {
      if (!isRunning) return;
      signalGroup(child, "SIGTERM", isUnix);
      const timer = setTimeout(killNow, STOP_GRACE_MS);
      await ended;
      clearTimeout(timer);
    },
    async kill() {
      if (!isRunning) return;
      killNow();
      await ended;
    },
  };
}

process.on("exit", () => {
  for (const killNow of running) killNow();
});

/**
 * @param {import("node:child_process").ChildProcess} child
 * @param {NodeJS.Signals} signal
 * @param {boolean} isUnix
 */
function signalGroup(child, signal, isUnix) {
  try {
    if (isUnix && child.pid) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // It has already ended.
  }
}
