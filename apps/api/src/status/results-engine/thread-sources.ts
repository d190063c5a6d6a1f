import { documentsPath } from '#api/runtime/installation.js';
import type { FollowerContext, FollowerSettings } from '#infra/engine/followers/follower.js';
import type { ResultsSources } from '#infra/engine/results/results-follower.js';
import { SealedDocuments } from '#infra/stores/read-store/sealed/sealed-documents.js';
import { SealedReadStore } from '#infra/stores/read-store/sealed/sealed-read-store.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { readerParts } from './reader-parts.js';

/** Separate handles on the read models, for reading. */
const openDocuments = async ({ redisUrl, redisPrefix, dataDirectory }: FollowerSettings): Promise<ReadStore> => {
  if (redisUrl) {
    const { openRedisReadStore } = await import('#infra/stores/read-store/redis/redis-read-store.js');
    return openRedisReadStore({ url: redisUrl, ...(redisPrefix !== undefined && { keyPrefix: redisPrefix }) });
  }
  const { openDocumentStore } = await import('#infra/stores/document-store/open.js');
  return openDocumentStore({ path: documentsPath(dataDirectory), readOnly: true });
};

/** The read models for a thread: `documents` as stored, to be closed by the caller, and a readable form. @throws if opening fails */
export const openThreadStore = async ({ settings, keys, projections }: FollowerContext) => {
  const documents = await openDocuments(settings);
  return { documents, store: new SealedReadStore(documents, new SealedDocuments(keys, projections)) };
};

/** The read models for the thread that computes results. @throws if they cannot be opened */
export const openThreadSources = async (context: FollowerContext): Promise<ResultsSources> => {
  const { documents, store } = await openThreadStore(context);
  return { store, reader: readerParts(store), close: () => documents.close() };
};
