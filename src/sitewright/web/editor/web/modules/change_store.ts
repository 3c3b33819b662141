/**
 * Keeps changes that the service has not confirmed yet in IndexedDB, so that a reload, a crash or an expired session
 * loses nothing. Changes are sent from memory: they are saved even where the browser has no IndexedDB (some private
 * windows), has no space left, or closed the database. They do not survive a reload then.
 */
import type { Change } from "./model";

export interface Entry {
  /** The order of all changes of this browser. */
  order: number;
  site: number;
  /** Sent with each attempt: the service makes a change with the same id only once. */
  id: string;
  /** The tab. */
  session: string;
  action: "change" | "undo" | "redo" | "details";
  change: Change | null;
  /** Business details to save. */
  details?: Record<string, string>;
  merge: boolean;
  /** It was typed: it waits for a pause. */
  typed?: boolean;
  /** It was typed into the page, which shows it already. */
  isShown?: boolean;
  /** What the change overwrites, for optimistic concurrency: an item and the version of it that was seen. */
  item: string | null;
  etag: string | null;
  at: number;
}

const NAME = "sitewright-editor";
const STORE = "changes";

export class ChangeStore {
  /** Ids of waiting changes whose latest version could not be written. */
  private readonly unstored = new Set<string>();

  private constructor(private readonly database: IDBDatabase | null) {}

  static async open(): Promise<ChangeStore> {
    try {
      return new ChangeStore(await openDatabase());
    } catch {
      return new ChangeStore(null);
    }
  }

  /** Whether changes survive a reload. */
  get isDurable(): boolean {
    return this.database !== null && this.unstored.size === 0;
  }

  async list(site: number): Promise<Entry[]> {
    if (this.database === null) return [];
    try {
      return await readFrom(this.database, site);
    } catch {
      return [];
    }
  }

  /** Remove and write entries in one transaction: a confirmed change and the etags of those that follow it. */
  async write(removed: readonly Entry[], written: readonly Entry[]): Promise<void> {
    if (this.database === null) return;
    const isStored = await writeInto(this.database, removed, written).then(() => true, () => false);
    for (const { id } of removed) this.unstored.delete(id);
    for (const { id } of written) isStored ? this.unstored.delete(id) : this.unstored.add(id);
  }
}

async function readFrom(database: IDBDatabase, site: number): Promise<Entry[]> {
  const index = database.transaction(STORE).objectStore(STORE).index("site");
  const entries = await finished<Entry[]>(index.getAll(site));
  return entries.sort((one, other) => one.order - other.order);
}

async function writeInto(database: IDBDatabase, removed: readonly Entry[], written: readonly Entry[]): Promise<void> {
  const transaction = database.transaction(STORE, "readwrite");
  const store = transaction.objectStore(STORE);
  for (const entry of removed) store.delete(entry.id);
  for (const entry of written) store.put(entry);
  await new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = transaction.onerror = () => reject(transaction.error ?? new Error("not stored"));
  });
}

function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open(NAME, 1);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore(STORE, { keyPath: "id" }).createIndex("site", "site");
  };
  return finished(opening);
}

function finished<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("not stored"));
  });
}
