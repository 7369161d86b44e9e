// @ts-check
/** The same with the WebAssembly beside the program. */
import init, { connect } from "opencode-switchboard/slim";
import address from "opencode-switchboard/switchboard.wasm";
import { report } from "./report.js";

report(async () => {
  await init(new URL(address, import.meta.url));
  return connect;
});
