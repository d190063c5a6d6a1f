import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/queries-provider.js';
import { CLOCK, CONFIGURATION } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { MetricDataQueries } from '#projections/status/metric-data/queries.js';
import { metricDataHandlers } from './commands.js';
import { IssuesController } from './issues.controller.js';
import { LatestController } from './latest.controller.js';
import { MetricDataController } from './metric-data.controller.js';
import { MetricResultController } from './metric-result.controller.js';
import { MetricStatusesController } from './metric-statuses.controller.js';
import { MetricTimelines } from './metric-timelines.js';
import { TenantQuota } from './tenant-quota.js';

export const metricDataFeature: Feature = {
  controllers: [MetricDataController, MetricResultController, MetricStatusesController, LatestController, IssuesController],
  providers: [
    queriesProvider(MetricDataQueries),
    MetricTimelines,
    ...metricDataHandlers,
    {
      provide: TenantQuota,
      useFactory: ({ tenantQuota }: Configuration, now: Clock, telemetry: Telemetry) =>
        new TenantQuota(tenantQuota, { word: 'results', now, onRefused: () => telemetry.quotaRefusals.inc() }),
      inject: [CONFIGURATION, CLOCK, Telemetry],
    },
  ],
};
