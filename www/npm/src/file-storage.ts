/// <reference lib="esnext.disposable" preserve="true" />
/** Keeps the ledger in a file, for programs that run under Node. */
import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { text } from "./arguments.js";
import { DisposedError } from "./errors.js";
import { FileLock, codeOf, isMissing } from "./file-lock.js";
import { LedgerFile, readLedger } from "./ledger-file.js";
import { MemoryStorage, type Change } from "./storage.js";

/**
 * A ledger in a file: what was not delivered goes on with the next program that opens it. One process has it at a time, by
 * whatever path it is opened, and also where containers or machines share its folder: a lock beside it (`.lock`) says so.
 *
 * A program that ends without {@link close} leaves its lock. The next program on the same machine sees at once that its owner is
 * gone; one in another container or on another machine waits 15 s for a sign of life.
 *
 * Answers and prompts are on the disk when they are called kept; drafts and figures up to 200 ms later.
 */
export class FileStorage extends MemoryStorage implements AsyncDisposable {
  readonly #path: string;
  readonly #lock: FileLock;
  readonly #file: LedgerFile;
  #closing: Promise<void> | undefined;

  private constructor(path: string, lock: FileLock) {
    super();
    this.#path = path;
    this.#lock = lock;
    this.#file = new LedgerFile(path, () => this.changes(), () => lock.check());
  }

  /**
   * Opens the file, or makes it with the first thing that is kept.
   *
   * @throws {@link StorageLockedError} when another process has it, {@link InvalidArgumentError} when it holds something else, which
   * is left as it is, and what the file system throws
   */
  static async open(path: string): Promise<FileStorage> {
    const place = await placeOf(resolve(text(path, "FileStorage.open: path")));
    const lock = await FileLock.take(place);
    try {
      const storage = new FileStorage(place, lock);
      for (const change of await readLedger(place)) storage.apply(change);
      return storage;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  override load(server: string): ReturnType<MemoryStorage["load"]> {
    return this.#closing ? this.#refuse() : super.load(server);
  }

  /**
   * Gives the file back, once everything is in it; twice is fine. Close the board first: what it wants to keep afterwards is
   * refused. Rejects when something is not in the file.
   */
  close(): Promise<void> {
    this.#closing ??= this.#file.close().finally(() => this.#lock.release());
    return this.#closing;
  }

  /** Closes it, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  protected override changed(change: Change): Promise<void> {
    if (this.#closing) return this.#refuse();
    return this.#file.append(change, change.part === "entries" || change.part === "links");
  }

  async #refuse(): Promise<never> {
    throw new DisposedError(`the ledger ${this.#path} is closed`);
  }
}

/** The path of the file itself: through symbolic links, also those to a file that is not there yet. */
async function placeOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const target = await readlink(path).catch((error: unknown) => {
    if (isMissing(error) || codeOf(error) === "EINVAL") return undefined;
    throw error;
  });
  if (target !== undefined) return placeOf(resolve(dirname(path), target));
  return join(await realpath(dirname(path)), basename(path));
}
