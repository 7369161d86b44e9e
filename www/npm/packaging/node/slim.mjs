// @ts-check
/** The same with the WebAssembly beside the program. */
import { readFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import init, { connect } from "opencode-switchboard/slim";
import { tell } from "../app/story.js";

await init(await readFile(fileURLToPath(import.meta.resolve("opencode-switchboard/switchboard.wasm"))));
console.log(await tell(connect, { baseUrl: process.env.BASE_URL ?? "", directory: process.env.DIRECTORY ?? "" }));
