import type { Provider, Type } from '@nestjs/common';
import { queriesProvider } from '#api/shared/queries-provider.js';
import { MetricDataQueries } from '#projections/status/metric-data/queries.js';
import { metricDataHandlers } from './commands.js';
import { IssuesController } from './issues.controller.js';
import { LatestController } from './latest.controller.js';
import { MetricDataController } from './metric-data.controller.js';
import { MetricResultController } from './metric-result.controller.js';
import { MetricStatusesController } from './metric-statuses.controller.js';
import { MetricTimelines } from './metric-timelines.js';

export const metricDataControllers: readonly Type[] = [
  MetricDataController,
  MetricResultController,
  MetricStatusesController,
  LatestController,
  IssuesController,
];
export const metricDataProviders: readonly Provider[] = [queriesProvider(MetricDataQueries), MetricTimelines, ...metricDataHandlers];
