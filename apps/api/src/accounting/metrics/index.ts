import type { Provider } from '@nestjs/common';
import { READ_STORE } from '#api/shared/tokens.js';
import { MetricListQueries } from '#projections/accounting/metrics/list-queries.js';
import { MetricQueries } from '#projections/accounting/metrics/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { metricHandlers } from './commands.js';
import { MetricLists } from './metric-lists.js';
import { PermittedScopes } from './permitted-scopes.js';

export const metricProviders: readonly Provider[] = [
  { provide: MetricQueries, useFactory: (store: ReadStore) => new MetricQueries(store), inject: [READ_STORE] },
  { provide: MetricListQueries, useFactory: (store: ReadStore) => new MetricListQueries(store), inject: [READ_STORE] },
  PermittedScopes,
  MetricLists,
  ...metricHandlers,
];
