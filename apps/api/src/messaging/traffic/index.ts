import { LoggedOffsets } from '#api/messaging/messages/logged-offsets.js';
import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/provides.js';
import { DECODE, EVENT_STORE, READ_STORE, READS_ONLY } from '#api/shared/tokens.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import type { DecodeEvents } from '#infra/stores/event-codec/readable-events.js';
import { ResourceCounts } from '#projections/messaging/resources/queries.js';
import { COUNTERS, OffsetQueries, TrafficQueries, TrafficRecordQueries } from '#projections/messaging/traffic/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import * as trafficCommands from './commands.js';
import { MetricsController } from './metrics.controller.js';
import { TrafficRecorder } from './traffic-recorder.js';
import { UsageController } from './usage.controller.js';
import { UsageReport } from './usage-report.js';

export const trafficFeature: Feature = {
  controllers: [MetricsController, UsageController],
  providers: [
    {
      provide: OffsetQueries,
      useFactory: (store: ReadStore, events: EventStore, decode: DecodeEvents, readModels: ReadModels, readsOnly: boolean) =>
        readsOnly ? new OffsetQueries(store) : new LoggedOffsets(store, { events, decode, gate: readModels.readGate(COUNTERS) }),
      inject: [READ_STORE, EVENT_STORE, DECODE, ReadModels, READS_ONLY],
    },
    queriesProvider(TrafficQueries),
    queriesProvider(TrafficRecordQueries),
    queriesProvider(ResourceCounts),
    UsageReport,
    ...handlersOf(trafficCommands),
    TrafficRecorder,
  ],
};
