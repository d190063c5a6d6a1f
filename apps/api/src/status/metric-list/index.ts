import type { Provider, Type } from '@nestjs/common';
import { queriesProvider } from '#api/shared/queries-provider.js';
import { MetricListQueries } from '#projections/status/metric-list/queries.js';
import { metricListHandlers } from './commands.js';
import { MetricListController } from './metric-list.controller.js';
import { MetricListAdminController } from './metric-list-admin.controller.js';

export const metricListControllers: readonly Type[] = [MetricListAdminController, MetricListController];
export const metricListProviders: readonly Provider[] = [queriesProvider(MetricListQueries), ...metricListHandlers];
