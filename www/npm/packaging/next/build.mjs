// @ts-check
import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const project = fileURLToPath(new URL("./", import.meta.url));
const next = fileURLToPath(new URL("../node_modules/next/dist/bin/next", import.meta.url));

/** @param {string} out */
export default async function (out) {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: /** @type {const} */ ("production") };
  await promisify(execFile)(process.execPath, [next, "build", project], { env });
  cpSync(`${project}out`, out, { recursive: true });
}
