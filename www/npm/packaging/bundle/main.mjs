// @ts-check
/** A program that is bundled into one file, which leaves the WebAssembly behind. */
import init, { DeferredTracker } from "opencode-switchboard";

try {
  new DeferredTracker();
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
}
init().then(() => console.log(new DeferredTracker().register("read")));
