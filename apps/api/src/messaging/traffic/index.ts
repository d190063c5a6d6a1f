import type { Provider, Type } from '@nestjs/common';
import { READ_STORE } from '#api/shared/tokens.js';
import { ResourceCounts } from '#projections/messaging/resources/queries.js';
import { OffsetQueries, TrafficQueries, TrafficRecordQueries } from '#projections/messaging/traffic/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { DiscardTopicLogHandler, RecordTrafficHandler } from './commands.js';
import { MetricsController } from './metrics.controller.js';
import { TrafficRecorder } from './traffic-recorder.js';
import { UsageController } from './usage.controller.js';
import { UsageReport } from './usage-report.js';

export const trafficControllers: readonly Type[] = [MetricsController, UsageController];

export const trafficProviders: readonly Provider[] = [
  { provide: OffsetQueries, useFactory: (store: ReadStore) => new OffsetQueries(store), inject: [READ_STORE] },
  { provide: TrafficQueries, useFactory: (store: ReadStore) => new TrafficQueries(store), inject: [READ_STORE] },
  { provide: TrafficRecordQueries, useFactory: (store: ReadStore) => new TrafficRecordQueries(store), inject: [READ_STORE] },
  { provide: ResourceCounts, useFactory: (store: ReadStore) => new ResourceCounts(store), inject: [READ_STORE] },
  UsageReport,
  RecordTrafficHandler,
  DiscardTopicLogHandler,
  TrafficRecorder,
];
