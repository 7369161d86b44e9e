/** What uses the parts for Node. */
import { spawn } from "node:child_process";
import { FileStorage, watchProcess } from "opencode-switchboard/node";

/** Watches a process with a ledger open. */
export async function watched(): Promise<string> {
  await using storage = await FileStorage.open("ledger");
  await storage.keepDraft("server", "key", "text");
  return (await watchProcess(spawn("ls"), { timeout: "1s" })).text;
}
