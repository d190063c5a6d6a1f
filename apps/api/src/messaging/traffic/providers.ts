import type { Provider } from '@nestjs/common';
import { READ_STORE } from '#api/shared/tokens.js';
import { OffsetQueries, TrafficQueries, TrafficRecordQueries } from '#projections/messaging/traffic/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { DiscardTopicLogHandler, RecordTrafficHandler } from './commands.js';
import { TrafficRecorder } from './traffic-recorder.js';

const queries = [OffsetQueries, TrafficQueries, TrafficRecordQueries].map((Queries) => ({
  provide: Queries,
  useFactory: (store: ReadStore) => new Queries(store),
  inject: [READ_STORE],
}));

/** What counting messages and showing the counts works with. */
export const trafficProviders: readonly Provider[] = [...queries, RecordTrafficHandler, DiscardTopicLogHandler, TrafficRecorder];
