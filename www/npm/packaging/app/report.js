// @ts-check
import { tell } from "./story.js";

/**
 * @param {() => Promise<typeof import("opencode-switchboard").connect> | typeof import("opencode-switchboard").connect} load
 */
export async function report(load) {
  const outcome = await (async () => tell(await load(), await (await fetch("/place.json")).json()))().catch((error) => `failed: ${error.stack}`);
  await fetch("/outcome", { method: "POST", body: outcome });
}
