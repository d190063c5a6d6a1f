import type { Provider } from '@nestjs/common';
import { CommandOf } from '#api/shared/commands/command-of.js';
import { passOn, toStreams } from '#api/shared/commands/handlers.js';
import { METRIC_LIST_STREAM, type MetricListCommand, type MetricListEvent, metricList } from '#domain/status/metric-list/metric-list.js';

/** Replaces the metric list that all tenants share. */
export class ReplaceMetricList extends CommandOf<MetricListCommand, 'ReplaceMetricList', MetricListEvent> {}

const toMetricList = toStreams(metricList, () => METRIC_LIST_STREAM);

export const metricListHandlers: readonly Provider[] = passOn(toMetricList, { ReplaceMetricList });
