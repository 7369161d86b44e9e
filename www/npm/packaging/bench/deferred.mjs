// @ts-check
/**
 * The work of one turn with 10,000 tool calls, half of which never end: DeferredTracker beside plain promises and beside `effect`.
 *
 * Memory that the WebAssembly has grown in an earlier turn is used again, and does not count.
 *
 *     node --expose-gc bench/deferred.mjs
 */
import { Deferred, Effect } from "effect";
import { DeferredTracker } from "opencode-switchboard";

const CALLS = 10_000;
const GRACE_MS = 250;
const TURNS = 5;

const keys = Array.from({ length: CALLS }, (_, at) => `msg_${at}/call_${at}`);
const settled = keys.filter((_, at) => at % 2 === 0);

const subjects = {
  DeferredTracker: async () => {
    const tracker = new DeferredTracker();
    tracker.register(keys);
    tracker.settleMany(settled, settled);
    return tracker.settleAll(GRACE_MS);
  },
  "plain promises": async () => {
    /** @type {Map<string, (value: string) => void>} */
    const open = new Map();
    const promises = keys.map((key) => new Promise((resolve) => open.set(key, resolve)));
    for (const key of settled) open.get(key)?.(key);
    const grace = () => new Promise((resolve) => setTimeout(resolve, GRACE_MS));
    return Promise.all(promises.map((promise) => Promise.race([promise, grace()])));
  },
  effect: () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const deferreds = yield* Effect.forEach(keys, () => Deferred.make());
        for (const [at, deferred] of deferreds.entries()) if (at % 2 === 0) yield* Deferred.succeed(deferred, keys[at]);
        const ended = (/** @type {Deferred.Deferred<unknown>} */ deferred) => Effect.timeoutOption(Deferred.await(deferred), GRACE_MS);
        return yield* Effect.forEach(deferreds, ended, { concurrency: "unbounded" });
      }),
    ),
};

for (const [name, turn] of Object.entries(subjects)) {
  await turn();
  const spans = [];
  let memory = 0;
  for (let at = 0; at < TURNS; at += 1) {
    globalThis.gc?.();
    const before = process.memoryUsage();
    const begun = performance.now();
    const ending = turn();
    await new Promise((resolve) => setTimeout(resolve, GRACE_MS / 2));
    const during = process.memoryUsage();
    await ending;
    spans.push(performance.now() - begun - GRACE_MS);
    memory = Math.max(memory, during.heapUsed + during.external - before.heapUsed - before.external);
  }
  spans.sort((one, other) => one - other);
  console.log(`${name.padEnd(16)} ${spans[Math.floor(TURNS / 2)]?.toFixed(1)} ms beyond the grace, ${(memory / 2 ** 20).toFixed(1)} MiB`);
}
