/**
 * A ledger as a file: a line that says so, and one line of JSON per change.
 *
 * Changes are appended, several at a time where they come close together. The file is written anew with what still counts when
 * it is opened for the first change, when it has become much longer than that, and after an error.
 */
import { open, readFile, rename, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { InvalidArgumentError } from "./errors.js";
import { isMissing } from "./file-lock.js";
import type { Change, StoredEntry } from "./storage.js";

const HEADER = '{"switchboard":"ledger","format":1}';

/** Milliseconds that a change which is not urgent waits for others. */
const PATIENCE = 200;

/** Bytes of appended changes before the file is written anew. */
const APPENDED_MAX = 1 << 20;

/** Changes that are written together. */
interface Batch {
  lines: string[];
  written: Promise<void>;
  /** Writes them as soon as those before are written. */
  begin(): void;
}

/** The end of a ledger that is written to. */
export class LedgerFile {
  readonly #path: string;
  readonly #everything: () => Iterable<Change>;
  readonly #permit: () => Promise<void>;
  #file: FileHandle | undefined;
  #appended = 0;
  #batch: Batch | undefined;
  #writing: Promise<void> | undefined;

  /** Before each write, `permit` resolves or throws. `everything` is what the file holds when it is written anew. */
  constructor(path: string, everything: () => Iterable<Change>, permit: () => Promise<void>) {
    this.#path = path;
    this.#everything = everything;
    this.#permit = permit;
  }

  /** Resolves when a change will survive a crash. */
  append(change: Change, isUrgent: boolean): Promise<void> {
    const batch = (this.#batch ??= this.#newBatch());
    batch.lines.push(lineOf(change));
    if (isUrgent) batch.begin();
    return batch.written;
  }

  /** Writes what is left. Rejects when the last change could not be written. */
  async close(): Promise<void> {
    this.#batch?.begin();
    try {
      await this.#writing;
    } finally {
      await this.#letGo();
    }
  }

  #newBatch(): Batch {
    const { promise: begun, resolve: begin } = withResolvers();
    const timer = setTimeout(begin, PATIENCE);
    const [lines, before]: [string[], Promise<void> | undefined] = [[], this.#writing];
    const written = (async () => {
      await begun;
      clearTimeout(timer);
      await before?.catch(() => {});
      this.#batch = undefined;
      await this.#write(lines);
    })();
    this.#writing = written;
    return { lines, written, begin };
  }

  async #write(lines: string[]): Promise<void> {
    await this.#permit();
    try {
      if (this.#file && this.#appended < APPENDED_MAX) await this.#append(this.#file, lines.join(""));
      else await this.#rewrite();
    } catch (error) {
      // Part of it may be there: the next change writes everything anew.
      await this.#letGo();
      throw error;
    }
  }

  async #append(file: FileHandle, text: string): Promise<void> {
    await file.appendFile(text);
    await file.datasync();
    this.#appended += text.length;
  }

  async #rewrite(): Promise<void> {
    await this.#letGo();
    const temporary = `${this.#path}.new`;
    const file = await open(temporary, "w", 0o600);
    try {
      // What waits for the next write is in memory already.
      if (this.#batch) this.#batch.lines.length = 0;
      await file.writeFile([`${HEADER}\n`, ...[...this.#everything()].map(lineOf)].join(""));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, this.#path);
    await syncFolder(dirname(this.#path));
    this.#file = await open(this.#path, "a");
    this.#appended = 0;
  }

  async #letGo(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}

/** A new name is durable when its folder is. Windows does that by itself, and opens no folders. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * Reads a ledger; an empty one, and one that is not there, holds nothing. The last line may be cut off by a crash: nobody was
 * told that it was kept.
 *
 * @throws {@link InvalidArgumentError} when the file holds something else
 */
export async function readLedger(path: string): Promise<Change[]> {
  const [header = "", ...lines] = (await textOf(path)).split("\n");
  if (header.trim() === "" && lines.every((line) => line.trim() === "")) return [];
  const changes = lines.map(changeOf);
  if (header === HEADER && changes.slice(0, -1).every((change) => change !== undefined)) {
    return changes.filter((change) => change !== undefined);
  }
  throw new InvalidArgumentError(`${path} is not a Switchboard ledger: move it away, or choose another path`);
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}

function lineOf({ server, part, key, value }: Change): string {
  return `${JSON.stringify([server, part, key, value ?? null])}\n`;
}

function changeOf(line: string): Change | undefined {
  const [server, part, key, value] = parsed(line);
  if (typeof server !== "string" || typeof key !== "string") return undefined;
  if (part === "entries") return isEntry(value) ? { server, part, key, value } : undefined;
  if (part !== "drafts" && part !== "figures" && part !== "links") return undefined;
  return typeof value === "string" || value === null ? { server, part, key, value: value ?? undefined } : undefined;
}

function parsed(line: string): unknown[] {
  try {
    const value: unknown = JSON.parse(line);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is StoredEntry {
  const { id, version, text, finished }: Partial<Record<keyof StoredEntry, unknown>> = Object(value);
  return typeof id === "string" && typeof version === "number" && typeof text === "string" && typeof finished === "boolean";
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
