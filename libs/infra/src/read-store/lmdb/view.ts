import { type KeyRange, NamespaceGone, ReadModelsUnavailable, type ReadView, type StoredDocument } from '#projections/shared/read-store.js';
import type { Condition } from './condition.js';
import type { Databases, DocumentDatabase, Slot } from './databases.js';
import { countRange, getDocument, getRange } from './documents.js';

/**
 * Reads of one projection. `findSlot` is called in the same turn of the event loop as the read that follows, and so in the same snapshot: a
 * switch can come before or after a read, never in between. It returns `undefined` if nothing is served.
 */
export class LmdbView implements ReadView {
  constructor(
    private readonly databases: Databases,
    private readonly projection: string,
    private readonly condition: Condition,
    private readonly findSlot: () => Slot | undefined,
  ) {}

  get(collection: string, key: string): Promise<Buffer | null> {
    return this.read((db) => getDocument(db, collection, key), null);
  }

  async getMany(collection: string, keys: readonly string[]): Promise<readonly (Buffer | null)[]> {
    const found = await this.read((db) => keys.map((key) => getDocument(db, collection, key)), undefined);
    return found ?? keys.map(() => null);
  }

  range(collection: string, range: KeyRange): Promise<readonly StoredDocument[]> {
    return this.read((db) => getRange(db, collection, range), []);
  }

  async ranges(collection: string, ranges: readonly KeyRange[]): Promise<readonly (readonly StoredDocument[])[]> {
    const found = await this.read((db) => ranges.map((range) => getRange(db, collection, range)), undefined);
    return found ?? ranges.map(() => []);
  }

  count(collection: string, range: KeyRange): Promise<number> {
    return this.read((db) => countRange(db, collection, range), 0);
  }

  /**
   * @throws NamespaceGone, ReadModelsUnavailable `findSlot` throws it
   * @throws ReadStoreUnavailable
   */
  async read<Found, Nothing>(read: (db: DocumentDatabase) => Found, nothing: Nothing): Promise<Found | Nothing> {
    let slot: Slot | undefined;
    try {
      for (;;) {
        slot = this.findSlot();
        if (!slot) return nothing;
        this.condition.checkBuild(this.projection, slot);
        const db = this.databases.opened(this.projection, slot);
        if (db) return read(db);
        await this.databases.open(this.projection);
      }
    } catch (error) {
      if (error instanceof NamespaceGone || error instanceof ReadModelsUnavailable) throw error;
      throw this.condition.explain(error, slot && { projection: this.projection, slot });
    }
  }
}
