// @ts-check
/** Tells the story in a page, and posts how it ended. */
import { connect } from "opencode-switchboard";
import { report } from "./report.js";

report(() => connect);
