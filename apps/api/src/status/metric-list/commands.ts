import type { Provider } from '@nestjs/common';
import { CommandOf } from '#api/shared/commands/command-of.js';
import { passOn } from '#api/shared/commands/handlers.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { METRIC_LIST_STREAM, type MetricListCommand, type MetricListEvent, metricList } from '#domain/status/metric-list/metric-list.js';

/** Replaces the metric list that all tenants share. */
export class ReplaceMetricList extends CommandOf<MetricListCommand, 'ReplaceMetricList', MetricListEvent> {}

const toMetricList = (context: CommandContext, command: MetricListCommand) => ({
  stream: METRIC_LIST_STREAM,
  decider: metricList,
  context,
  command,
});

export const metricListHandlers: readonly Provider[] = passOn(toMetricList, { ReplaceMetricList });
