import { isChained } from '#domain/integrity/chained.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { EmbeddedLogStats } from '#infra/stores/event-store/embedded/storage/statistics.js';

const hasStatistics = (store: object): store is { stats(): Promise<EmbeddedLogStats> } =>
  'stats' in store && typeof store.stats === 'function';

/** Total bytes of the JSON data of chained events in the log; `null` if the store does not count them. */
export const chainedBytes = async (store: EventStore): Promise<number | null> => {
  if (!hasStatistics(store)) return null;
  const { categories } = await store.stats();
  return categories.filter(({ category }) => isChained(`${category}-`)).reduce((sum, { bytes }) => sum + bytes, 0);
};
