/** Says when the output of a process or a stream is complete, while it arrives. */
import type { CompletionDetector as EngineDetector } from "../wasm/switchboard.js";
import { known, text, type Known } from "./arguments.js";
import { DELAY_MAX, span, type Duration } from "./duration.js";
import { engine } from "./engine.js";
import { IncompleteError, InvalidArgumentError, checked, guarded } from "./errors.js";
import { defined } from "./options.js";

/** What decides when an output is complete. */
export interface CompletionRules {
  /** How long an output may take. Defaults to 180 s: a safety net, not a wait. */
  timeout?: Duration | undefined;
  /** Between two looks. Defaults to 1 s. */
  interval?: Duration | undefined;
  /** Characters that an output has at least before a marker counts. Defaults to 100. */
  minLength?: number | undefined;
  /** The name of the field that every complete output has. Defaults to `v`. */
  requiredField?: string | undefined;
  /** What a complete output ends with. */
  markers?: CompletionMarkers | undefined;
}

/** The lines that end an output. */
export interface CompletionMarkers {
  yaml?: string[] | undefined;
  json?: string[] | undefined;
}

const MARKERS: Known<CompletionMarkers> = { yaml: true, json: true };

/** What an output is written in, and when it is complete. */
export interface DetectorOptions extends CompletionRules {
  /** Defaults to `yaml`. */
  format?: "yaml" | "json" | undefined;
}

/** @internal */
export const DETECTOR: Known<DetectorOptions> = {
  format: true,
  timeout: true,
  interval: true,
  minLength: true,
  requiredField: true,
  markers: true,
};

/** An output that is complete. */
export interface Output {
  text: string;
  /**
   * Why: `marked` ends with an end marker, has the required field and is long enough; `settled` has the field and has not
   * grown for two intervals; `ended` is not empty, and its process has ended.
   */
  by: "marked" | "settled" | "ended";
  /** What the process ended with, when it has ended and said so. */
  exit: number | null;
}

/**
 * Watches one output. Push what arrives, look again when {@link due} says so, and say when it has ended; or let
 * {@link CompletionDetector.over} do all that.
 */
export class CompletionDetector {
  readonly #detector: EngineDetector;

  /** @throws {@link InvalidArgumentError} */
  constructor(options: DetectorOptions = {}) {
    const { format, minLength, requiredField } = known(options, "CompletionDetector", DETECTOR);
    const spans = { timeout: span(options.timeout, "timeout"), interval: span(options.interval, "interval") };
    const markers = options.markers && defined(known(options.markers, "CompletionDetector: markers", MARKERS));
    const given = defined({ format, minLength, requiredField, markers, ...spans });
    this.#detector = checked(() => new (engine().CompletionDetector)(given));
  }

  /**
   * Reads texts, or bytes of UTF-8, until the output is complete, and then asks for no more of them.
   *
   * @throws {@link InvalidArgumentError}, {@link IncompleteError} with everything that has arrived
   */
  static over(
    pieces: AsyncIterable<Piece> | Iterable<Piece>,
    options: DetectorOptions & { signal?: AbortSignal | undefined } = {},
  ): Promise<Output> {
    return guarded(async () => {
      const { signal, ...rules } = known(options, "over", { ...DETECTOR, signal: true });
      return watch(pieces, new CompletionDetector(rules), signal);
    }, options);
  }

  /** Takes what has arrived. True when the output is over. */
  push(piece: string): boolean {
    return this.#detector.push(text(piece, "push: piece"));
  }

  /** Looks at the time. True when the output is over. */
  tick(): boolean {
    return this.#detector.tick();
  }

  /** The process or stream has ended, with this exit code if it is known. Another code than 0 is a failure. */
  end(exit?: number): void {
    this.#detector.end(exit);
  }

  /** In how many milliseconds to {@link tick} at the latest; none when the output is over. */
  get due(): number | undefined {
    return this.#detector.due();
  }

  /**
   * The output. One that is not over yet is cut off here, as by its time-out.
   *
   * @throws {@link IncompleteError} with everything that has arrived
   */
  finish(): Output {
    const { complete, text, reason, message, exit } = this.#detector.finish() as Finished;
    if (!complete) throw new IncompleteError(message, text, { reason, exit });
    return { text, by: reason, exit };
  }
}

/** What an output arrives in: texts, or bytes of UTF-8 that are cut anywhere. */
export type Piece = string | Uint8Array;

type Finished =
  | { complete: true; text: string; reason: Output["by"]; message: null; exit: number | null }
  | { complete: false; text: string; reason: "timedOut" | "failed" | "empty"; message: string; exit: number | null };

async function watch(
  pieces: AsyncIterable<Piece> | Iterable<Piece>,
  detector: CompletionDetector,
  signal: AbortSignal | undefined,
): Promise<Output> {
  const iterator = iteratorOf(pieces);
  const decoder = new TextDecoder();
  let next = arrival(iterator);
  try {
    for (let isOver = false; !isOver; ) {
      const arrived = await first(next, Math.min(detector.due ?? 0, DELAY_MAX), signal);
      if (arrived === undefined) {
        isOver = detector.tick();
      } else if (arrived.done) {
        detector.push(decoder.decode());
        detector.end();
        isOver = true;
      } else {
        isOver = detector.push(textOf(arrived.value, decoder));
        if (!isOver) next = arrival(iterator);
      }
    }
  } finally {
    // Whoever is waiting for more text may never get it.
    void Promise.resolve(iterator.return?.()).catch(() => {});
  }
  return detector.finish();
}

function iteratorOf(pieces: AsyncIterable<Piece> | Iterable<Piece>): AsyncIterator<Piece> | Iterator<Piece> {
  const given = Object(pieces) as Partial<AsyncIterable<Piece> & Iterable<Piece>>;
  const iterator = given[Symbol.asyncIterator]?.() ?? given[Symbol.iterator]?.();
  if (!iterator) throw new InvalidArgumentError("over: the pieces must be an iterable of strings or bytes");
  return iterator;
}

function textOf(piece: Piece, decoder: TextDecoder): string {
  if (typeof piece === "string") return decoder.decode() + piece;
  if (piece instanceof Uint8Array) return decoder.decode(piece, { stream: true });
  throw new InvalidArgumentError("over: a piece must be a string, or bytes in a Uint8Array");
}

/** The next piece; a failure is kept for whoever awaits it. */
function arrival(iterator: AsyncIterator<Piece> | Iterator<Piece>): Promise<IteratorResult<Piece>> {
  const next = Promise.resolve(iterator.next());
  next.catch(() => {});
  return next;
}

/** What comes first: the work, nothing when the time is up, or the reason of the signal. */
function first<T>(work: Promise<T>, span: number, signal: AbortSignal | undefined): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const onAbort = () => end(() => reject(signal?.reason));
    const timer = setTimeout(() => end(() => resolve(undefined)), span);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      settle();
    };
    if (signal?.aborted) return onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    work.then((value) => end(() => resolve(value)), (error: unknown) => end(() => reject(error)));
  });
}

/**
 * The rules for an agent and a model, from the JSON text of a configuration; spans in it are seconds. What is missing is as in
 * {@link usualConfig}.
 *
 * @throws {@link InvalidArgumentError} that names the field which is not known or has a wrong value
 */
export function rulesOf(config: string, agent?: string, model?: string): CompletionRules {
  const name = (given: string | undefined, what: string) => (given === undefined ? undefined : text(given, `rulesOf: ${what}`));
  const rules = () => engine().rulesOf(text(config, "rulesOf: config"), name(agent, "agent"), name(model, "model"));
  return checked(rules) as CompletionRules;
}

/** The defaults, as the JSON text of a configuration, to be written where settings live on first use. */
export function usualConfig(): string {
  return engine().usualConfig();
}
