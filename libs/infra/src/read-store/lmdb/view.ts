import { type KeyRange, NamespaceGone, type ReadView, type StoredDocument } from '#projections/shared/read-store.js';
import type { DocumentDatabase } from './databases.js';
import { countRange, getDocument, getRange } from './documents.js';
import { unavailable } from './writer.js';

/**
 * Reads of one projection. `resolve` finds the database in the same event turn as the read that follows, and so in the same snapshot: a
 * switch can come before or after a read, never between. It gives nothing where nothing is served.
 */
export class LmdbView implements ReadView {
  constructor(private readonly resolve: () => DocumentDatabase | undefined) {}

  async get(collection: string, key: string): Promise<Buffer | null> {
    return this.#read((db) => getDocument(db, collection, key), null);
  }

  async getMany(collection: string, keys: readonly string[]): Promise<readonly (Buffer | null)[]> {
    const found = this.#read((db) => keys.map((key) => getDocument(db, collection, key)), undefined);
    return found ?? keys.map(() => null);
  }

  async range(collection: string, range: KeyRange): Promise<readonly StoredDocument[]> {
    return this.#read((db) => getRange(db, collection, range), []);
  }

  async ranges(collection: string, ranges: readonly KeyRange[]): Promise<readonly (readonly StoredDocument[])[]> {
    const found = this.#read((db) => ranges.map((range) => getRange(db, collection, range)), undefined);
    return found ?? ranges.map(() => []);
  }

  async count(collection: string, range: KeyRange): Promise<number> {
    return this.#read((db) => countRange(db, collection, range), 0);
  }

  #read<Found, Nothing>(read: (db: DocumentDatabase) => Found, nothing: Nothing): Found | Nothing {
    try {
      const db = this.resolve();
      return db ? read(db) : nothing;
    } catch (error) {
      throw error instanceof NamespaceGone ? error : unavailable(error);
    }
  }
}
