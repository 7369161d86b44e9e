// @ts-check
/** A reporter of Node's test runner that lists what has failed. */
import { basename } from "node:path";
import { recordEnd, recordFailure } from "./record.mjs";

/** @param {AsyncIterable<import("node:test/reporters").TestEvent>} events */
export default async function* listFailures(events) {
  let ran = 0;
  for await (const { type, data } of events) {
    if ((type !== "test:pass" && type !== "test:fail") || data.nesting > 0) continue;
    ran += 1;
    if (type === "test:pass" || data.todo !== undefined || data.skip !== undefined) continue;
    const { error } = data.details;
    const cause = error.cause instanceof Error ? error.cause.message : error.cause;
    recordFailure({ file: data.file ?? data.name, test: `${basename(data.file ?? data.name)}:${data.line ?? 1}`, error: `${data.name}: ${cause || error.message}` });
  }
  recordEnd(ran);
  yield "";
}
