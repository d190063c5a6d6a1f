import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/provides.js';
import { MetricListQueries } from '#projections/status/metric-list/queries.js';
import * as metricListCommands from './commands.js';
import { MetricListController } from './metric-list.controller.js';
import { MetricListAdminController } from './metric-list-admin.controller.js';

export const metricListFeature: Feature = {
  controllers: [MetricListAdminController, MetricListController],
  providers: [queriesProvider(MetricListQueries), ...handlersOf(metricListCommands)],
};
