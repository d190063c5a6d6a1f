import { commandTo } from '#api/shared/commands/command-of.js';
import { toStreams } from '#api/shared/commands/handlers.js';
import { METRIC_LIST_STREAM, metricList } from '#domain/status/metric-list/metric-list.js';

const toMetricList = toStreams(metricList, () => METRIC_LIST_STREAM);

/** Replaces the metric list that all tenants share. */
export class ReplaceMetricList extends commandTo(toMetricList, 'ReplaceMetricList') {}
