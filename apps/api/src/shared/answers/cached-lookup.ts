import type { ReadStore } from '#projections/shared/read-store.js';
import { CachedQuery } from './cached-query.js';

/** A {@link CachedQuery} of one document by its key in the store. */
export class CachedLookup<Document extends NonNullable<unknown>> extends CachedQuery<Document> {
  /** `absent`: stands for every document that is not there. Default: nothing does. */
  constructor(store: ReadStore, projection: string, collection: string, absent?: Document) {
    super(store, [projection], async (key) => {
      const bytes = await store.view(projection).get(collection, key);
      return bytes === null ? absent : (JSON.parse(bytes.toString('utf8')) as Document);
    });
  }
}
