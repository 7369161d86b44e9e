// @ts-check
/** Tells the story in Node, Deno or Bun, and prints how it ended. */
import process from "node:process";
import { connect } from "opencode-switchboard";
import { tell } from "../app/story.js";

console.log(await tell(connect, { baseUrl: process.env.BASE_URL ?? "", directory: process.env.DIRECTORY ?? "" }));
