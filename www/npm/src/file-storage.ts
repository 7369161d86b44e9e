/** Keeps the ledger in a file, for programs that run under Node. */
import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open, readFile, rename } from "node:fs/promises";
import { resolve } from "node:path";
import { InvalidArgumentError, StorageLockedError } from "./errors.js";
import { MemoryStorage, type Shelf } from "./storage.js";

/** What file systems say that know no hard links. */
const LINKLESS: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

/** The ledgers that this process has open, as absolute paths. */
const opened = new Set<string>();

/**
 * A ledger in a file: what was not delivered goes on with the next program that opens it. One process has it at a time.
 *
 * Dropping a program without {@link close} leaves a lock that the next one recognises as dead.
 */
export class FileStorage extends MemoryStorage implements AsyncDisposable {
  readonly #path: string;
  #writing: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  readonly #unlock: () => void;

  private constructor(path: string) {
    super();
    this.#path = path;
    this.#unlock = () => unlock(path);
    process.once("exit", this.#unlock);
  }

  /**
   * Opens the file, or makes it with the first thing that is kept.
   *
   * @throws {@link StorageLockedError} when another process has it, {@link InvalidArgumentError} when it holds something else, which
   * is left as it is, and what the file system throws
   */
  static async open(path: string): Promise<FileStorage> {
    const place = resolve(path);
    lock(place);
    const storage = new FileStorage(place);
    try {
      const shelves = shelvesIn(await readFile(place, "utf8"), place);
      for (const [server, shelf] of Object.entries(shelves)) storage.place(server, shelf);
    } catch (error) {
      if (!isMissing(error)) {
        await storage.close();
        throw error;
      }
    }
    return storage;
  }

  /** Gives the file back, once everything is in it; twice is fine. Close the board first. Rejects when something is not in it. */
  async close(): Promise<void> {
    try {
      await this.#next;
      await this.#writing;
    } finally {
      process.off("exit", this.#unlock);
      this.#unlock();
    }
  }

  /** Closes it, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** One write at a time; what changes meanwhile goes with the next. */
  protected override changed(): Promise<void> {
    this.#next ??= (async () => {
      await this.#writing?.catch(() => {});
      this.#next = undefined;
      this.#writing = this.#write();
      await this.#writing;
    })();
    return this.#next;
  }

  async #write(): Promise<void> {
    const temporary = `${this.#path}.new`;
    const file = await open(temporary, "w", 0o600);
    try {
      await file.writeFile(JSON.stringify(Object.fromEntries(this.shelves())));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, this.#path);
  }
}

/** What a ledger holds; an empty one is as good as none. */
function shelvesIn(text: string, path: string): Record<string, Shelf> {
  if (text.trim() === "") return {};
  const shelves = parsed(text);
  if (isObject(shelves) && Object.values(shelves).every(isShelf)) return shelves as Record<string, Shelf>;
  throw new InvalidArgumentError(`${path} is no ledger: move it away, or choose another file`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isShelf(shelf: unknown): boolean {
  return isObject(shelf) && ["entries", "drafts", "figures", "links"].every((name) => isObject(shelf[name]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function lock(path: string): void {
  take(`${path}.lock`, path);
  opened.add(path);
}

function unlock(path: string): void {
  if (opened.delete(path)) rmSync(`${path}.lock`, { force: true });
}

/** Takes a lock. One that is dead is taken away by whoever has the lock of that lock, so that nobody takes away a new one. */
function take(name: string, path: string): void {
  while (!isMade(name)) {
    const held = contentOf(name);
    if (held === undefined) continue;
    const [holder = ""] = held.split(" ");
    if (isAlive(held, path)) throw new StorageLockedError(`${path} is in use by process ${holder}: close it there, or choose another file`);
    take(`${name}.lock`, path);
    try {
      if (contentOf(name) === held) rmSync(name, { force: true });
    } finally {
      rmSync(`${name}.lock`, { force: true });
    }
  }
}

/** Makes a lock with its content at once. False when there is one. */
function isMade(name: string): boolean {
  const content = [process.pid, bornOf(process.pid)].join(" ").trim();
  const temporary = `${name}.${randomUUID()}`;
  writeFileSync(temporary, content, { flag: "wx" });
  try {
    linkSync(temporary, name);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    if (!LINKLESS.has(codeOf(error))) throw error;
    return isWritten(name, content);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function isWritten(name: string, content: string): boolean {
  try {
    writeFileSync(name, content, { flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function contentOf(name: string): string | undefined {
  try {
    return readFileSync(name, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Whether the process that made a lock is still there. The number of one that is gone may be another's by now. */
function isAlive(held: string, path: string): boolean {
  const [number, ...born] = held.split(" ");
  const holder = Number(number);
  if (!Number.isInteger(holder) || holder <= 0) return false;
  const [then, now] = [born.join(" "), bornOf(holder)];
  // Another thread of this process may have it.
  if (holder === process.pid) return opened.has(path) || (now !== "" && then === now);
  if (then !== "" && now !== "" && then !== now) return false;
  try {
    return process.kill(holder, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** When a process was started, in clock ticks, and since which start of the machine; empty where that cannot be known. */
function bornOf(holder: number): string {
  try {
    const stat = readFileSync(`/proc/${holder}/stat`, "utf8");
    // The name of the program, in parentheses, may hold anything. What follows begins with the third field.
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[22 - 3];
    return `${ticks} ${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}`;
  } catch {
    return "";
  }
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT";
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
