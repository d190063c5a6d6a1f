import type { Provider } from '@nestjs/common';
import { queriesProvider } from '#api/shared/queries-provider.js';
import { MetricListQueries } from '#projections/accounting/metrics/list-queries.js';
import { MetricQueries } from '#projections/accounting/metrics/queries.js';
import { metricHandlers } from './commands.js';
import { MetricLists } from './metric-lists.js';
import { PermittedScopes } from './permitted-scopes.js';
import { RecordedMetrics } from './recorded-metrics.js';

export const metricProviders: readonly Provider[] = [
  queriesProvider(MetricQueries),
  queriesProvider(MetricListQueries),
  PermittedScopes,
  MetricLists,
  RecordedMetrics,
  ...metricHandlers,
];
