import { decimal } from '#domain/accounting/decimal.js';
import { wireInstant } from '#domain/accounting/metrics/instants.js';
import type { Metric } from '#domain/accounting/metrics/metric-events.js';
import { type Exact, exactText } from '#domain/shared/json/exact-json.js';
import type { Static } from '#domain/shared/shape.js';
import type { LISTED_METRIC, METRIC } from '#projections/accounting/components.js';
import type { MetricDocument } from '#projections/accounting/metrics/queries.js';
import { doubleNumber } from '#projections/accounting/wire.js';

/** The short form of a metric (accounting contract 3.0). */
export const shortForm = ({ metricId, definitionId, periodStart, periodEnd, value, groupId, userId }: Metric): string =>
  exactText({
    metric_id: metricId,
    metric_definition_id: definitionId,
    time_period_start: wireInstant(periodStart),
    time_period_end: wireInstant(periodEnd),
    value: doubleNumber(decimal(value)),
    group_id: groupId ?? undefined,
    user_id: userId ?? undefined,
  } satisfies Exact<Static<typeof METRIC>>);

/** The list form of a metric (accounting contract 3.0); `definition` is the JSON text of its metric definition. */
export const listForm = (metric: MetricDocument, definition: string): string => {
  const members = exactText({
    id: metric.metricId,
    time_period_start: wireInstant(metric.periodStart),
    time_period_end: wireInstant(metric.periodEnd),
    value: doubleNumber(decimal(metric.value)),
    project: metric.projectAcronym,
    provider: metric.providerId,
    installation_id: metric.installationId,
    project_id: metric.projectId,
    resource: metric.resource ?? undefined,
    group_id: metric.groupId ?? undefined,
    user_id: metric.userId ?? undefined,
  } satisfies Exact<Omit<Static<typeof LISTED_METRIC>, 'metric_definition'>>);
  return `${members.slice(0, -1)},"metric_definition":${definition}}`;
};
