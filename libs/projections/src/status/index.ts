import type { Projection } from '../shared/projection.js';
import { datedRecordsProjection } from './dated-records.js';
import { dayListsProjection } from './day-lists.js';
import { feedsProjection } from './feeds.js';
import { metricDataProjection } from './metric-data.js';
import { metricListProjection } from './metric-list.js';
import { recomputationsProjection } from './recomputations.js';
import { reportsProjection } from './reports.js';
import { tenantsProjection } from './tenants.js';

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
