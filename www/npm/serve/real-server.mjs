// @ts-check
/**
 * A real OpenCode with the scripted model for tests in other languages: one JSON line per answer, commands on stdin.
 *
 * The first line tells where everything is. Then `kill`, `restart` and `stop` are obeyed, in order, and each is answered
 * with `{"done": "<command>", "pid": <number or null>}` or `{"error": "..."}`. It ends when stdin closes.
 */
import { createInterface } from "node:readline";
import { startModel } from "./model.mjs";
import { startOpenCode } from "./opencode.mjs";

const model = await startModel();
const server = await startOpenCode({ modelUrl: model.url });
let isRunning = true;

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
  stop: async () => {
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

say({
  url: server.url,
  username: server.username,
  password: server.password,
  directory: server.directory,
  model: model.url,
  version: server.version,
  pid: server.pid(),
});

for await (const line of createInterface({ input: process.stdin })) {
  const name = line.trim();
  if (!name) continue;
  try {
    if (!Object.hasOwn(commands, name)) throw new Error(`unknown command ${name}; known: kill, restart, stop`);
    await commands[/** @type {keyof typeof commands} */ (name)]();
    say({ done: name, pid: isRunning ? server.pid() : null });
    if (name === "stop") break;
  } catch (error) {
    say({ error: error instanceof Error ? error.message : String(error) });
  }
}
await commands.stop();
process.exit(0);
