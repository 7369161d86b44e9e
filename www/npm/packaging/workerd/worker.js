// @ts-check
/** Tells the story in a Cloudflare Worker. */
import { connect } from "opencode-switchboard";
import { tell } from "../app/story.js";

export default {
  /** @param {Request} request Says where. */
  async fetch(request) {
    return new Response(await tell(connect, await request.json()));
  },
};
