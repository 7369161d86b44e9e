/**
 * What needs Node: processes, and a ledger in a file.
 *
 * @module opencode-switchboard/node
 */
import type { ChildProcess } from "node:child_process";
import { guarded } from "./errors.js";
import { CompletionDetector, readVerdict } from "./index.js";
import { watch, type WatchOptions, type Watched } from "./watch-process.js";

export { IncompleteError, InvalidArgumentError, StorageLockedError } from "./errors.js";
export { FileStorage } from "./file-storage.js";
export type { WatchOptions, Watched } from "./watch-process.js";

/**
 * Watches a process (`opencode run …`, `claude -p …`) until its output is complete, and then ends it with SIGTERM, and 2 s later
 * with SIGKILL; also when the signal is aborted, or an option is wrong. Its standard output and standard error are kept apart.
 *
 * @throws {@link InvalidArgumentError}, {@link IncompleteError} with everything that has arrived, when it fails, writes nothing, or takes too long
 */
export function watchProcess(child: ChildProcess, options: WatchOptions = {}): Promise<Watched> {
  const readers = { detector: (rules: WatchOptions) => new CompletionDetector(rules), verdict: readVerdict };
  return guarded(() => watch(child, options, readers), options);
}
