import { type KeyRange, NamespaceGone, ReadModelsUnavailable, type ReadView, type StoredDocument } from '#projections/shared/read-store.js';
import type { Condition } from './condition.js';
import type { Databases, Slot } from './databases.js';
import { countRange, type Documents, getDocument, getRange } from './documents.js';
import type { Layer } from './layer.js';

/** Where to read. `layer`: what was changed and is not on disk yet. */
export type Found = Readonly<{ slot: Slot; layer: Layer | undefined }>;

/**
 * Reads of one projection. `find` is called in the same turn of the event loop as the read that follows, and so in the same snapshot: a
 * switch can come before or after a read, never in between. It returns `undefined` if nothing is served.
 */
export class LmdbView implements ReadView {
  constructor(
    private readonly databases: Databases,
    private readonly projection: string,
    private readonly condition: Condition,
    private readonly find: () => Found | undefined,
  ) {}

  get(collection: string, key: string): Promise<Buffer | null> {
    return this.read((documents) => getDocument(documents, collection, key), null);
  }

  async getMany(collection: string, keys: readonly string[]): Promise<readonly (Buffer | null)[]> {
    const found = await this.read((documents) => keys.map((key) => getDocument(documents, collection, key)), undefined);
    return found ?? keys.map(() => null);
  }

  range(collection: string, range: KeyRange): Promise<readonly StoredDocument[]> {
    return this.read((documents) => getRange(documents, collection, range), []);
  }

  async ranges(collection: string, ranges: readonly KeyRange[]): Promise<readonly (readonly StoredDocument[])[]> {
    const found = await this.read((documents) => ranges.map((range) => getRange(documents, collection, range)), undefined);
    return found ?? ranges.map(() => []);
  }

  count(collection: string, range: KeyRange): Promise<number> {
    return this.read((documents) => countRange(documents, collection, range), 0);
  }

  /**
   * @throws NamespaceGone, ReadModelsUnavailable `find` throws it
   * @throws ReadStoreUnavailable
   */
  async read<Result, Nothing>(read: (documents: Documents) => Result, nothing: Nothing): Promise<Result | Nothing> {
    let found: Found | undefined;
    try {
      for (;;) {
        found = this.find();
        if (!found) return nothing;
        this.condition.checkBuild(this.projection, found.slot);
        const db = this.databases.opened(this.projection, found.slot);
        if (db) return read({ db, layer: found.layer });
        await this.databases.open(this.projection);
      }
    } catch (error) {
      if (error instanceof NamespaceGone || error instanceof ReadModelsUnavailable) throw error;
      throw this.condition.explain(error, found && { projection: this.projection, slot: found.slot });
    }
  }
}
