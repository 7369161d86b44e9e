// @ts-check
import { tell } from "./story.js";

/** @typedef {typeof import("opencode-switchboard").connect} Connect */

/** Tells the story in a page, and posts how it ended. @param {() => Promise<Connect> | Connect} load */
export function report(load) {
  return post(async (place) => tell(await load(), place));
}

/** Does something in a page with the server of the test, and posts what comes of it. @param {(place: { baseUrl: string, directory: string }) => Promise<string>} story */
export async function post(story) {
  const outcome = await (async () => story(await (await fetch("/place.json")).json()))().catch((error) => `failed: ${error.stack}`);
  await fetch("/outcome", { method: "POST", body: outcome });
}
