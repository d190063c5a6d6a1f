import type { Projection } from '#projections/shared/projection.js';
import { datedRecordsProjection } from '#projections/status/dated-records/projection.js';
import { dayListsProjection } from '#projections/status/day-lists/projection.js';
import { feedsProjection } from '#projections/status/feeds/projection.js';
import { healthProjection } from '#projections/status/health/projection.js';

import { metricListProjection } from '#projections/status/metric-list/projection.js';
import { resultsProjection } from '#projections/status/metric-results/projection.js';
import { metricSourcesProjection } from '#projections/status/metric-source/projection.js';
import { notificationsProjection } from '#projections/status/notifications/projection.js';
import { recomputationsProjection } from '#projections/status/recomputations/projection.js';
import { reportsProjection } from '#projections/status/reports/projection.js';
import { tenantsProjection } from '#projections/status/tenants/projection.js';

export const statusProjections: readonly Projection[] = [
  tenantsProjection,
  datedRecordsProjection,
  dayListsProjection,
  feedsProjection,
  metricListProjection,
  healthProjection,
  metricSourcesProjection,
  notificationsProjection,
  resultsProjection,
  reportsProjection,
  recomputationsProjection,
];
