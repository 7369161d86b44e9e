// @ts-check
/**
 * What it costs to cross from JavaScript into WebAssembly and back, and to do something there.
 *
 *     node bench/crossing.mjs
 */
import { DeferredTracker, Rendezvous } from "opencode-switchboard";

const CALLS = 10_000;
const RUNS = 15;

const keys = Array.from({ length: CALLS }, (_, at) => `msg_${at}/call_${at}`);

/** @type {Record<string, () => (() => unknown)>} Each prepares, and returns what is measured. */
const subjects = {
  "nothing but the crossing (open)": () => {
    const tracker = new DeferredTracker();
    return () => keys.forEach(() => tracker.open);
  },
  "register, one by one": () => {
    const tracker = new DeferredTracker();
    return () => keys.forEach((key) => tracker.register(key));
  },
  "register, all at once": () => {
    const tracker = new DeferredTracker();
    return () => tracker.register(keys);
  },
  "settle, one by one": () => {
    const tracker = new DeferredTracker();
    tracker.register(keys);
    return () => keys.forEach((key) => tracker.settle(key, key));
  },
  "settleMany": () => {
    const tracker = new DeferredTracker();
    tracker.register(keys);
    return () => tracker.settleMany(keys, keys);
  },
  "ask and answer, one by one": () => {
    const desk = new Rendezvous();
    return () =>
      keys.forEach((key) => {
        void desk.ask(key, key, { timeout: "never" });
        desk.answer(key, key);
      });
  },
};

for (const [name, prepare] of Object.entries(subjects)) {
  const spans = [];
  for (let run = 0; run < RUNS; run += 1) {
    const work = prepare();
    const begun = performance.now();
    work();
    spans.push(performance.now() - begun);
    await new Promise((resolve) => setImmediate(resolve));
  }
  spans.sort((one, other) => one - other);
  const median = spans[RUNS >> 1] ?? 0;
  console.log(`${name.padEnd(32)} ${((median / CALLS) * 1_000).toFixed(2)} µs each`);
}
