import { CachedQuery } from '#api/shared/answers/cached-query.js';
import { ACCESS_KEYS, type AccessKeyDocument, AccessKeyQueries } from '#projections/operations/access-keys/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Valid keys by their hash, for the authentication of every service. */
export const cachedAccessKeys = (store: ReadStore): CachedQuery<AccessKeyDocument> => {
  const queries = new AccessKeyQueries(store);
  return new CachedQuery(store, [ACCESS_KEYS], (hash) => queries.byHash(hash));
};
