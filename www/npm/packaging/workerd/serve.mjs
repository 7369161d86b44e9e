// @ts-check
/** Builds the worker as Cloudflare's own tool does (its conditions, each WebAssembly a module), and serves it. */
import { build } from "esbuild";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("./", import.meta.url));
const workerd = fileURLToPath(new URL("../node_modules/.bin/workerd", import.meta.url));

/** @type {(out: string) => import("esbuild").Plugin} */
const modules = (out) => ({
  name: "WebAssembly as modules",
  setup(build) {
    build.onResolve({ filter: /\.wasm$/ }, ({ path, resolveDir }) => {
      cpSync(join(resolveDir, path), join(out, "switchboard_bg.wasm"));
      return { path: "switchboard_bg.wasm", external: true };
    });
  },
});

/**
 * @param {string} out
 * @returns {Promise<{ url: string, stop: () => Promise<unknown> }>}
 */
export async function startWorker(out) {
  const conditions = ["workerd", "worker", "browser"];
  const plugins = [modules(out)];
  await build({ entryPoints: [join(here, "worker.js")], outdir: out, bundle: true, format: "esm", conditions, plugins, logLevel: "warning" });
  cpSync(join(here, "worker.capnp"), join(out, "worker.capnp"));
  const program = spawn(workerd, ["serve", "--control-fd=3", join(out, "worker.capnp")], { stdio: ["ignore", "inherit", "inherit", "pipe"] });
  const ended = once(program, "close");
  const control = createInterface({ input: /** @type {import("node:stream").Readable} */ (program.stdio[3]) });
  const [line] = await Promise.race([once(control, "line"), ended.then(() => Promise.reject(new Error("workerd ended")))]);
  return {
    url: `http://127.0.0.1:${JSON.parse(line).port}/`,
    stop() {
      program.kill("SIGTERM");
      return ended;
    },
  };
}
