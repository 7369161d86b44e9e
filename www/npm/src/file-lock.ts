/**
 * A lock in a file, for one process at a time, also where several containers or machines share a folder.
 *
 * Who holds it shows signs of life by touching the file. A process that can be looked up from here is asked for directly: its
 * number and the time of its start tell whether it lives. Any other one is watched: it is dead when the file is not touched
 * for some time. Clocks of different machines are never compared.
 */
import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync, rmSync } from "node:fs";
import { link, lstat, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { InvalidArgumentError, StorageLockedError } from "./errors.js";

/** Milliseconds between two touches. */
const BEAT = 2_000;

/** Milliseconds between two looks at a lock that is watched. */
const LOOK = 1_000;

/** How many looks in a row find no touch before a lock is dead: 15 s, so that a program may be busy for some beats. */
const LOOKS_MAX = 15;

/** What file systems say that know no hard links. */
const LINKLESS: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

/** The locks that this thread holds. */
const held = new Set<FileLock>();

/** A lock that is held until it is released. */
export class FileLock {
  readonly #name: string;
  readonly #path: string;
  readonly #content: string;
  readonly #beat: ReturnType<typeof setInterval>;

  private constructor(name: string, path: string, content: string) {
    this.#name = name;
    this.#path = path;
    this.#content = content;
    this.#beat = setInterval(() => void this.#touch(), BEAT).unref();
    if (held.size === 0) process.once("exit", releaseAll);
    held.add(this);
  }

  /**
   * Takes the lock of a file.
   *
   * @throws {@link StorageLockedError} when another process holds it, {@link InvalidArgumentError} when something else has its
   * name, and what the file system throws
   */
  static async take(path: string): Promise<FileLock> {
    const name = `${path}.lock`;
    return new FileLock(name, path, await take(name, path));
  }

  /** Resolves while it is held. @throws {@link StorageLockedError} when another process has taken it for dead */
  async check(): Promise<void> {
    if ((await contentOf(this.#name)) === this.#content) return;
    throw new StorageLockedError(`${this.#path} was taken over by another process, because this one did not run for a while`);
  }

  /** Gives it back; twice is fine. */
  release(): void {
    if (!held.delete(this)) return;
    clearInterval(this.#beat);
    if (held.size === 0) process.off("exit", releaseAll);
    try {
      if (readFileSync(this.#name, "utf8") === this.#content) rmSync(this.#name, { force: true });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  /** Whether this is the lock with that content. */
  has(content: string): boolean {
    return this.#content === content;
  }

  async #touch(): Promise<void> {
    try {
      await this.check();
      await utimes(this.#name, new Date(), new Date());
    } catch {
      // The next write checks it, too, and tells.
    }
  }
}

function releaseAll(): void {
  for (const lock of held) lock.release();
}

/**
 * Takes a lock and returns its content. One that is dead is removed by whoever has the lock of that lock, so that nobody
 * removes a new one.
 */
async function take(name: string, path: string): Promise<string> {
  for (;;) {
    const content = [process.pid, startOf(process.pid) || "-", placeOfProcess(), randomUUID()].join(" ");
    if (await isMade(name, content)) return content;
    const sign = await signOf(name);
    if (sign === undefined) continue;
    const fate = fateOf(sign.content);
    const isDead = fate === "dead" || (fate === "unknown" && (await isSilent(name, sign)));
    if (!isDead) throw inUse(path, sign.content);
    await take(`${name}.lock`, path);
    try {
      if (isSame(await signOf(name), sign)) await rm(name, { force: true });
    } finally {
      await rm(`${name}.lock`, { force: true });
    }
  }
}

function inUse(path: string, content: string): StorageLockedError {
  const [holder = "", , place] = content.split(" ");
  const where = place === placeOfProcess() ? "" : " of another container or machine";
  return new StorageLockedError(`${path} is in use by process ${holder}${where}: close it there, or choose another file`);
}

/** Makes a lock with its content at once. False when there is one. */
async function isMade(name: string, content: string): Promise<boolean> {
  const temporary = `${name}.${randomUUID()}`;
  await writeFile(temporary, content, { flag: "wx", mode: 0o600 });
  try {
    return await isNew(() => link(temporary, name));
  } catch (error) {
    if (!LINKLESS.has(codeOf(error))) throw error;
    return await isNew(() => writeFile(name, content, { flag: "wx", mode: 0o600 }));
  } finally {
    await rm(temporary, { force: true });
  }
}

async function isNew(make: () => Promise<void>): Promise<boolean> {
  try {
    await make();
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** What a lock holds, and when it was touched. */
interface Sign {
  content: string;
  touched: number;
}

/** Looks at a lock; none when there is none. */
async function signOf(name: string): Promise<Sign | undefined> {
  try {
    const stat = await lstat(name);
    if (!stat.isFile()) throw new InvalidArgumentError(`${name} is not a lock file: remove it, or choose another path`);
    return { content: await readFile(name, "utf8"), touched: stat.mtimeMs };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isSame(one: Sign | undefined, other: Sign): boolean {
  return one?.content === other.content && one.touched === other.touched;
}

/** Whether a lock shows no sign of life for a while. */
async function isSilent(name: string, sign: Sign): Promise<boolean> {
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, LOOK));
    if (!isSame(await signOf(name), sign)) return false;
  }
  return true;
}

/** Whether the process that made a lock lives, as far as it can be looked up. Its number may be another's by now. */
function fateOf(content: string): "alive" | "dead" | "unknown" {
  const [number, start, place] = content.split(" ");
  const holder = Number(number);
  if (!Number.isInteger(holder) || holder <= 0 || place !== placeOfProcess()) return "unknown";
  const now = startOf(holder);
  if (start !== "-" && now !== "" && start !== now) return "dead";
  if (holder === process.pid) {
    const isOurs = [...held].some((lock) => lock.has(content));
    // Another thread of this process may hold it.
    return isOurs ? "alive" : "unknown";
  }
  if (start !== "-" && now !== "") return "alive";
  return isRunning(holder) ? "unknown" : "dead";
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** When a process was started, in clock ticks since the start of the machine; empty where that cannot be known. */
function startOf(processId: number): string {
  try {
    const stat = readFileSync(`/proc/${processId}/stat`, "utf8");
    // The name of the program, in parentheses, may hold anything. What follows begins with the third field.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[22 - 3] ?? "";
  } catch {
    return "";
  }
}

/** Where the numbers of processes mean the same as here: this start of this machine, and this container. */
function placeOfProcess(): string {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}/${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return encodeURIComponent(hostname());
  }
}

async function contentOf(name: string): Promise<string | undefined> {
  try {
    return await readFile(name, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** @internal */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT";
}

/** @internal */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
