import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { provides, queriesProvider } from '#api/shared/provides.js';
import { CLOCK, CONFIGURATION } from '#api/shared/tokens.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import { MetricDataQueries } from '#projections/status/metric-data/queries.js';
import * as metricDataCommands from './commands.js';
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
    ...handlersOf(metricDataCommands),
    provides(
      TenantQuota,
      [CONFIGURATION, CLOCK, Telemetry],
      ({ tenantQuota }, now, telemetry) =>
        new TenantQuota(tenantQuota, { word: 'results', now, onRefused: () => telemetry.quotaRefusals.inc() }),
    ),
  ],
};
