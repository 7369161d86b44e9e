// @ts-check
/**
 * A real OpenCode with the scripted model for tests in other languages: one JSON line per answer, commands on stdin.
 *
 * The first line tells where everything is. Then `kill`, `restart`, `beside`, `kill beside`, `import <file>` and `stop` are
 * obeyed, in order, and each is answered with `{"done": "<command>", "pid": <number or null>}` or `{"error": "..."}`. `beside`
 * starts another process on the same data, and its answer tells where that is. It ends when stdin closes.
 */
import { createInterface } from "node:readline";
import { startModel } from "./model.mjs";
import { startOpenCode } from "./opencode.mjs";

const model = await startModel();
const server = await startOpenCode({ modelUrl: model.url });
let isRunning = true;
/** @type {import("./opencode.mjs").OpenCode | null} */
let other = null;

/** @param {import("./opencode.mjs").OpenCode} of */
const place = ({ url, username, password, directory }) => ({ url, username, password, directory });

/** @param {unknown} value */
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

const commands = {
  kill: async () => {
    await server.kill();
    isRunning = false;
  },
  restart: async () => {
    await server.restart();
    isRunning = true;
  },
  beside: async () => {
    other ??= await startOpenCode({ modelUrl: model.url, folder: server.folder });
    return place(other);
  },
  "kill beside": async () => {
    await other?.kill();
    other = null;
  },
  /** @param {string} file */
  import: async (file) => {
    await server.run("import", file);
  },
  stop: async () => {
    await other?.stop();
    await server.stop();
    await model.close();
    isRunning = false;
  },
};

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, async () => {
    await commands.stop();
    process.exit(0);
  });
}

say({ ...place(server), model: model.url, version: server.version, pid: server.pid() });

for await (const line of createInterface({ input: process.stdin })) {
  const command = line.trim();
  if (!command) continue;
  const [name, file] = command.startsWith("import ") ? ["import", command.slice("import ".length)] : [command, ""];
  try {
    if (!Object.hasOwn(commands, name)) throw new Error(`unknown command ${name}; known: ${Object.keys(commands).join(", ")}`);
    const told = await commands[/** @type {keyof typeof commands} */ (name)](file);
    say({ done: name, pid: isRunning ? server.pid() : null, ...told });
    if (name === "stop") break;
  } catch (error) {
    say({ error: error instanceof Error ? error.message : String(error) });
  }
}
await commands.stop();
process.exit(0);
