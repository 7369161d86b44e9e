/** Runs the output detector over a process. */
import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { StringDecoder } from "node:string_decoder";
import { known } from "./arguments.js";
import { DETECTOR, type CompletionDetector, type DetectorOptions, type Output } from "./detector.js";
import { DELAY_MAX } from "./duration.js";
import { IncompleteError, InvalidArgumentError } from "./errors.js";
import type { ReadVerdict, VerdictOptions } from "./reviews.js";

/** What a process has written, and how it ended. */
export interface Watched extends Output {
  /**
   * What it ended with: its exit code, or 128 and the number of the signal that ended it, which is 143 where it was ended because
   * its output was complete.
   */
  exit: number;
  /** What it wrote to its standard error. */
  stderr: string;
  /** The verdict in its output, or where that stops making sense. */
  verdict: ReadVerdict;
}

/** When the output of a process is complete. */
export interface WatchOptions extends DetectorOptions {
  /** Ends the process and the wait, with its reason. */
  signal?: AbortSignal | undefined;
}

/** What reads outputs and verdicts. @internal */
export interface Readers {
  detector(options: DetectorOptions): CompletionDetector;
  verdict(text: string, options: VerdictOptions): Promise<ReadVerdict>;
}

/** How many milliseconds a process has to end after SIGTERM, before it is killed. */
const GRACE = 2_000;

/** How many milliseconds its pipes have to run dry once it has ended. */
const DRAIN = 100;

/** See `watchProcess` of the entry for Node. @internal */
export async function watch(child: ChildProcess, options: WatchOptions, readers: Readers): Promise<Watched> {
  checkChild(child);
  const errors = new StringDecoder("utf8");
  let stderr = "";
  child.stderr?.on("data", (piece: Buffer | string) => (stderr += errors.write(Buffer.from(piece))));
  const signal = options?.signal;
  const begin = () => {
    const { signal: _, ...rules } = known(options, "watchProcess", { ...DETECTOR, signal: true });
    return readers.detector(rules);
  };
  const detector = await detected(child, begin, signal);
  await stop(child, signal);
  signal?.throwIfAborted();
  const output = finished(detector, stderr);
  const exit = output.exit ?? codeOf(child.exitCode, child.signalCode) ?? 0;
  return { ...output, exit, stderr, verdict: await readers.verdict(output.text, { format: options.format }) };
}

function checkChild(child: ChildProcess): void {
  const { on, kill, stdout }: Partial<ChildProcess> = Object(child);
  if (typeof on !== "function" || typeof kill !== "function" || stdout === undefined) {
    throw new InvalidArgumentError("watchProcess: the first argument must be a ChildProcess");
  }
}

/** Watches the output until it is over. Whatever is wrong, the process is ended. */
async function detected(
  child: ChildProcess,
  begin: () => CompletionDetector,
  signal: AbortSignal | undefined,
): Promise<CompletionDetector> {
  try {
    signal?.throwIfAborted();
    const detector = begin();
    await untilOver(child, detector, signal);
    return detector;
  } catch (error) {
    void stop(child);
    throw error;
  }
}

function finished(detector: CompletionDetector, stderr: string): Output {
  try {
    return detector.finish();
  } catch (error) {
    if (!(error instanceof IncompleteError)) throw error;
    throw new IncompleteError(error.message, error.text, error, stderr);
  }
}

/** Its pipes may outlive a process: whoever inherited them holds them open. So its end counts, and a short while to read the rest. */
function untilOver(child: ChildProcess, detector: CompletionDetector, signal: AbortSignal | undefined): Promise<void> {
  if (!child.stdout) throw new InvalidArgumentError("watchProcess: the standard output of the process must be a pipe");
  const { stdout } = child;
  const texts = new StringDecoder("utf8");
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = (settle: () => void) => {
      clearTimeout(timer);
      stdout.off("data", onData);
      child.off("exit", onExit);
      child.off("close", onClose);
      child.off("error", onError);
      signal?.removeEventListener("abort", onAbort);
      stdout.resume();
      settle();
    };
    const look = (isOver: boolean) => {
      if (isOver) return end(resolve);
      clearTimeout(timer);
      timer = setTimeout(() => look(detector.tick()), Math.min(detector.due ?? 0, DELAY_MAX));
    };
    const onData = (piece: Buffer | string) => {
      const text = texts.write(Buffer.from(piece));
      if (isRunning(child)) look(detector.push(text));
      else detector.push(text);
    };
    const onClose = () => {
      detector.push(texts.end());
      detector.end(codeOf(child.exitCode, child.signalCode));
      end(resolve);
    };
    const onExit = () => {
      clearTimeout(timer);
      timer = setTimeout(onClose, DRAIN);
    };
    const onError = (error: Error) => end(() => reject(error));
    const onAbort = () => end(() => reject(signal?.reason));
    stdout.on("data", onData);
    child.once("exit", onExit);
    child.once("close", onClose);
    child.once("error", onError);
    signal?.addEventListener("abort", onAbort, { once: true });
    if (hasEnded(child)) onExit();
    else look(false);
  });
}

/** Ends a process, and lets go of its pipes. The signal cuts the graces short. */
async function stop(child: ChildProcess, signal?: AbortSignal): Promise<void> {
  child.on("error", () => {});
  if (isRunning(child)) {
    child.kill("SIGTERM");
    await comes(child, "exit", GRACE, signal);
  }
  if (isRunning(child)) {
    child.kill("SIGKILL");
    await comes(child, "exit", GRACE);
  }
  const pipes = [child.stdout, child.stderr];
  if (pipes.some((pipe) => pipe?.closed === false)) await comes(child, "close", DRAIN, signal);
  for (const pipe of pipes) pipe?.destroy();
}

function comes(child: ChildProcess, event: "exit" | "close", grace: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      child.off(event, end);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, grace);
    if (signal?.aborted) return end();
    child.once(event, end);
    signal?.addEventListener("abort", end, { once: true });
  });
}

/** The code of a process, as shells tell it. */
function codeOf(code: number | null, signal: NodeJS.Signals | null): number | undefined {
  return code ?? (signal ? 128 + constants.signals[signal] : undefined);
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && !hasEnded(child);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
