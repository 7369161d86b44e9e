/** Keeps the ledger in a file, for programs that run under Node. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { open, readFile, rename } from "node:fs/promises";
import { StorageLockedError } from "./errors.js";
import { MemoryStorage, type Shelf } from "./storage.js";

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
    this.#unlock = () => rmSync(`${path}.lock`, { force: true });
    process.once("exit", this.#unlock);
  }

  /**
   * Opens the file, or makes it with the first thing that is kept.
   *
   * @throws {@link StorageLockedError} when another process has it, and what the file system throws
   */
  static async open(path: string): Promise<FileStorage> {
    lock(path);
    const storage = new FileStorage(path);
    try {
      const shelves = JSON.parse(await readFile(path, "utf8")) as Record<string, Shelf>;
      for (const [server, shelf] of Object.entries(shelves)) storage.place(server, shelf);
    } catch (error) {
      if (!isMissing(error)) {
        await storage.close();
        throw error;
      }
    }
    return storage;
  }

  /** Gives the file back, once everything is in it; twice is fine. Close the board first. */
  async close(): Promise<void> {
    await this.#next;
    await this.#writing;
    process.off("exit", this.#unlock);
    this.#unlock();
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

function lock(path: string): void {
  const name = `${path}.lock`;
  try {
    writeFileSync(name, String(process.pid), { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const holder = Number(readFileSync(name, "utf8"));
    if (isAlive(holder)) throw new StorageLockedError(`${path} is in use by process ${holder}: close it there, or choose another file`);
    rmSync(name, { force: true });
    lock(path);
  }
}

function isAlive(holder: number): boolean {
  if (!Number.isInteger(holder) || holder <= 0) return false;
  try {
    return process.kill(holder, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}
