/** Where the ledger is kept: what a store must do, and one in memory. */
import { InvalidArgumentError } from "./errors.js";

/** An entry of the ledger, as a store sees it. */
export interface StoredEntry {
  /** Its id. */
  readonly id: string;
  /** Counts its changes, from 1. */
  readonly version: number;
  /** The entry itself; to be kept and given back as it is. */
  readonly text: string;
  /** Whether anything more will happen to it. */
  readonly finished: boolean;
}

/**
 * Keeps the ledger of answers and prompts, drafts and figures. One store may serve several servers, told apart by their
 * addresses. A call that rejects is a store that failed: the view says so, and answers go out all the same.
 */
export interface LedgerStorage {
  /** Resolves with the texts of all entries that are not finished, and of all drafts and links. */
  load(server: string): Promise<{ entries: string[]; drafts: string[]; links: string[] }>;
  /**
   * Keeps an entry, if the version it holds is `expected` (`undefined`: if it holds none). Resolves with nothing once the
   * entry will survive a crash, or with the text of the entry that it holds when that has another version.
   */
  commit(server: string, entry: StoredEntry, expected: number | undefined): Promise<string | undefined>;
  /** Keeps a draft, in place of an older one with the same key: the last writer wins. */
  keepDraft(server: string, key: string, text: string): Promise<void>;
  /** Forgets a draft. Nothing happens when there is none. */
  dropDraft(server: string, key: string): Promise<void>;
  /**
   * Resolves with the texts of all figures that are kept. No policy says anything before one of these calls has resolved that
   * was made when its countdown was over: a person may have stopped that in another process, or before a restart. A call that
   * rejects, or takes longer than 30 s, is made again after 10 s.
   */
  loadFigures(server: string): Promise<string[]>;
  /** Keeps a figure, in place of an older one with the same key. */
  keepFigure(server: string, key: string, text: string): Promise<void>;
  /** Remembers which session another one was made for. */
  keepLink(server: string, key: string, text: string): Promise<void>;
  /**
   * Gives the sole right to send an entry. Resolves with a function that gives it back, or with `null` while somebody else
   * has it. It never waits for them.
   *
   * After 2 s without an answer the board sends what was said on it all the same: the server takes each answer and each prompt
   * once. What an earlier board has left stays, its state says so, and the call is made again after 10 s. An answer that
   * comes later still counts.
   */
  claim(server: string, id: string): Promise<(() => void) | null>;
}

const METHODS: Readonly<Record<keyof LedgerStorage, true>> = {
  load: true,
  commit: true,
  keepDraft: true,
  dropDraft: true,
  loadFigures: true,
  keepFigure: true,
  keepLink: true,
  claim: true,
};

/** Returns a store that has all methods of one. @internal @throws {@link InvalidArgumentError} when it has not */
export function checkedStorage(storage: LedgerStorage): LedgerStorage {
  const methods: Partial<Record<string, unknown>> = Object(storage);
  const missing = Object.keys(METHODS).filter((name) => typeof methods[name] !== "function");
  if (missing.length === 0) return storage;
  throw new InvalidArgumentError(`connect: storage must be a LedgerStorage; it has no method ${missing.join(", ")}`);
}

/** How many finished entries, figures and links are kept of a server. */
const FINISHED_MAX = 1_000;

/** What is kept of one server. */
export interface Shelf {
  entries: Record<string, StoredEntry>;
  drafts: Record<string, string>;
  figures: Record<string, string>;
  links: Record<string, string>;
}

/** One thing that was kept, or dropped where it has no value. */
export type Change =
  | { server: string; part: "entries"; key: string; value: StoredEntry }
  | { server: string; part: "drafts" | "figures" | "links"; key: string; value: string | undefined };

/**
 * A store in memory: what was not delivered goes on with the next connection of this process, and is lost with it.
 *
 * The newest 1,000 finished entries of a server are remembered, so that nothing is sent twice.
 */
export class MemoryStorage implements LedgerStorage {
  readonly #shelves = new Map<string, Shelf>();
  readonly #claimed = new Set<string>();

  async load(server: string): Promise<{ entries: string[]; drafts: string[]; links: string[] }> {
    const shelf = this.shelf(server);
    const open = Object.values(shelf.entries).filter((entry) => !entry.finished);
    return { entries: open.map((entry) => entry.text), drafts: Object.values(shelf.drafts), links: Object.values(shelf.links) };
  }

  async commit(server: string, entry: StoredEntry, expected: number | undefined): Promise<string | undefined> {
    const { entries } = this.shelf(server);
    const held = entries[entry.id];
    if (held?.version !== expected) return held?.text ?? fail("what was kept there has been cleared");
    try {
      await this.#change({ server, part: "entries", key: entry.id, value: entry });
    } catch (error) {
      // The next try expects what has survived.
      if (entries[entry.id] === entry) {
        delete entries[entry.id];
        if (held) entries[held.id] = held;
      }
      throw error;
    }
    return undefined;
  }

  async keepDraft(server: string, key: string, text: string): Promise<void> {
    await this.#change({ server, part: "drafts", key, value: text });
  }

  async dropDraft(server: string, key: string): Promise<void> {
    await this.#change({ server, part: "drafts", key, value: undefined });
  }

  async loadFigures(server: string): Promise<string[]> {
    return Object.values(this.shelf(server).figures);
  }

  async keepFigure(server: string, key: string, text: string): Promise<void> {
    await this.#change({ server, part: "figures", key, value: text });
  }

  async keepLink(server: string, key: string, text: string): Promise<void> {
    await this.#change({ server, part: "links", key, value: text });
  }

  async claim(server: string, id: string): Promise<(() => void) | null> {
    const name = `${server} ${id}`;
    if (this.#claimed.has(name)) return null;
    this.#claimed.add(name);
    return () => void this.#claimed.delete(name);
  }

  /** What is kept of a server. */
  protected shelf(server: string): Shelf {
    let shelf = this.#shelves.get(server);
    if (!shelf) this.#shelves.set(server, (shelf = { entries: {}, drafts: {}, figures: {}, links: {} }));
    return shelf;
  }

  /** Everything that is kept. */
  protected *changes(): Iterable<Change> {
    for (const [server, { entries, drafts, figures, links }] of this.#shelves) {
      for (const [key, value] of Object.entries(entries)) yield { server, part: "entries", key, value };
      for (const [part, kept] of Object.entries({ drafts, figures, links } as const)) {
        for (const [key, value] of Object.entries(kept)) yield { server, part: part as "drafts", key, value };
      }
    }
  }

  /** Applies a change, and forgets what is too old. What is kept stands in the order in which it was last changed. */
  protected apply({ server, part, key, value }: Change): void {
    const shelf = this.shelf(server);
    delete shelf[part][key];
    if (value === undefined) return;
    if (part === "entries") {
      shelf.entries[key] = value;
      forgetOldest(shelf.entries, Object.keys(shelf.entries).filter((id) => shelf.entries[id]?.finished));
    } else {
      shelf[part][key] = value;
      if (part !== "drafts") forgetOldest(shelf[part], Object.keys(shelf[part]));
    }
  }

  /** Resolves when a change will survive what this store survives. */
  protected async changed(_change: Change): Promise<void> {}

  #change(change: Change): Promise<void> {
    this.apply(change);
    return this.changed(change);
  }
}

function forgetOldest(kept: Record<string, unknown>, keys: string[]): void {
  for (const key of keys.slice(0, -FINISHED_MAX)) delete kept[key];
}

function fail(reason: string): never {
  throw new Error(reason);
}
