/** Where the ledger is kept: what a store must do, and one in memory. */

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
export interface Storage {
  /** Resolves with the texts of all entries that are not finished, and of all drafts and links. */
  load(server: string): Promise<{ entries: string[]; drafts: string[]; links: string[] }>;
  /**
   * Keeps an entry, if the version it holds is `expected` (`undefined`: if it holds none). Resolves with nothing once the
   * entry will survive a crash, or with the text of the entry that it holds when that has another version.
   */
  commit(server: string, entry: StoredEntry, expected: number | undefined): Promise<string | undefined>;
  /** Keeps a draft, in place of an older one with the same key. */
  keepDraft(server: string, key: string, text: string): Promise<void>;
  /** Forgets a draft. Nothing happens when there is none. */
  dropDraft(server: string, key: string): Promise<void>;
  /** Resolves with the texts of all figures that are kept. */
  loadFigures(server: string): Promise<string[]>;
  /** Keeps a figure, in place of an older one with the same key. */
  keepFigure(server: string, key: string, text: string): Promise<void>;
  /** Remembers which session another one was made for. */
  keepLink(server: string, key: string, text: string): Promise<void>;
  /**
   * Gives the sole right to send an entry. Resolves with a function that gives it back, or with `null` while somebody else
   * has it. It never waits for them.
   */
  claim(server: string, id: string): Promise<(() => void) | null>;
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

/**
 * A store in memory: what was not delivered goes on with the next connection of this process, and is lost with it.
 *
 * The newest 1,000 finished entries of a server are remembered, so that nothing is sent twice.
 */
export class MemoryStorage implements Storage {
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
    // In the order in which they were last changed.
    delete entries[entry.id];
    entries[entry.id] = entry;
    const finished = Object.values(entries).filter((kept) => kept.finished);
    for (const { id } of finished.slice(0, -FINISHED_MAX)) delete entries[id];
    await this.changed();
    return undefined;
  }

  async keepDraft(server: string, key: string, text: string): Promise<void> {
    this.shelf(server).drafts[key] = text;
    await this.changed();
  }

  async dropDraft(server: string, key: string): Promise<void> {
    delete this.shelf(server).drafts[key];
    await this.changed();
  }

  async loadFigures(server: string): Promise<string[]> {
    return Object.values(this.shelf(server).figures);
  }

  async keepFigure(server: string, key: string, text: string): Promise<void> {
    const { figures } = this.shelf(server);
    keepNewest(figures, key, text);
    await this.changed();
  }

  async keepLink(server: string, key: string, text: string): Promise<void> {
    const { links } = this.shelf(server);
    keepNewest(links, key, text);
    await this.changed();
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
    if (!shelf) this.#shelves.set(server, (shelf = emptyShelf()));
    return shelf;
  }

  /** Everything that is kept, by server. */
  protected shelves(): ReadonlyMap<string, Shelf> {
    return this.#shelves;
  }

  /** Puts a shelf in place. */
  protected place(server: string, shelf: Shelf): void {
    this.#shelves.set(server, shelf);
  }

  /** Resolves when what has changed will survive what this store survives. */
  protected async changed(): Promise<void> {}
}

function emptyShelf(): Shelf {
  return { entries: {}, drafts: {}, figures: {}, links: {} };
}

function keepNewest(kept: Record<string, string>, key: string, text: string): void {
  kept[key] = text;
  for (const old of Object.keys(kept).slice(0, -FINISHED_MAX)) delete kept[old];
}

function fail(reason: string): never {
  throw new Error(reason);
}
