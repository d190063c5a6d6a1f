import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/provides.js';
import { MetricListQueries } from '#projections/accounting/metrics/list-queries.js';
import { MetricQueries } from '#projections/accounting/metrics/queries.js';
import * as metricCommands from './commands.js';
import { MetricLists } from './metric-lists.js';
import { MetricsController } from './metrics.controller.js';
import { ProjectMetricsController } from './project-metrics.controller.js';
import { RecordedMetrics } from './recorded-metrics.js';

export const metricsFeature: Feature = {
  controllers: [MetricsController, ProjectMetricsController],
  providers: [
    queriesProvider(MetricQueries),
    queriesProvider(MetricListQueries),
    MetricLists,
    RecordedMetrics,
    metricCommands.RecordMetricHandler,
    metricCommands.ReviseMetricHandler,
    ...handlersOf(metricCommands),
  ],
};
