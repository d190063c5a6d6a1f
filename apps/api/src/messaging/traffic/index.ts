import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/provides.js';
import { ResourceCounts } from '#projections/messaging/resources/queries.js';
import { OffsetQueries, TrafficQueries, TrafficRecordQueries } from '#projections/messaging/traffic/queries.js';
import { trafficHandlers } from './commands.js';
import { MetricsController } from './metrics.controller.js';
import { TrafficRecorder } from './traffic-recorder.js';
import { UsageController } from './usage.controller.js';
import { UsageReport } from './usage-report.js';

export const trafficFeature: Feature = {
  controllers: [MetricsController, UsageController],
  providers: [
    queriesProvider(OffsetQueries),
    queriesProvider(TrafficQueries),
    queriesProvider(TrafficRecordQueries),
    queriesProvider(ResourceCounts),
    UsageReport,
    ...trafficHandlers,
    TrafficRecorder,
  ],
};
