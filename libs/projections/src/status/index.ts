import type { Projection } from '#projections/shared/projection.js';
import { datedRecordsProjection } from '#projections/status/dated-records/projection.js';
import { dayListsProjection } from '#projections/status/day-lists/projection.js';
import { feedsProjection } from '#projections/status/feeds/feeds.js';
import { metricDataProjection } from '#projections/status/metric-data/metric-data.js';
import { metricListProjection } from '#projections/status/metric-list/metric-list.js';
import { recomputationsProjection } from '#projections/status/recomputations/recomputations.js';
import { reportsProjection } from '#projections/status/reports/reports.js';
import { tenantsProjection } from '#projections/status/tenants/tenants.js';

/** Every read model of the status service. */
export const statusProjections: readonly Projection[] = [
  tenantsProjection,
  datedRecordsProjection,
  dayListsProjection,
  feedsProjection,
  metricListProjection,
  metricDataProjection,
  reportsProjection,
  recomputationsProjection,
];
