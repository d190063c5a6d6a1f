import type { EventCatalogue } from '../shared/catalogue.js';
import { aggregationProfiles } from './aggregation-profiles.js';
import { catalogueOfDated, categoryOfDated } from './dated-records.js';
import { catalogueOfDayList, categoryOfDayList } from './day-lists.js';
import { downtimes } from './downtimes.js';
import { FEEDS_CATEGORY, feedEvents } from './feeds.js';
import { METRIC_CALLS_CATEGORY, METRIC_DATA_CATEGORY, metricCallEvents, metricDataEvents } from './metric-data.js';
import { METRIC_LIST_CATEGORY, metricListEvents } from './metric-list.js';
import { metricProfiles } from './metric-profiles.js';
import { operationsProfiles } from './operations-profiles.js';
import { RECOMPUTATIONS_CATEGORY, recomputationEvents } from './recomputations.js';
import { REPORTS_CATEGORY, reportEvents } from './reports.js';
import { TENANTS_CATEGORY, tenantEvents } from './tenants.js';
import { thresholdsProfiles } from './thresholds-profiles.js';
import { topologyEndpoints, topologyGroups, topologyServiceTypes } from './topology.js';
import { weights } from './weights.js';

/** Every kind of dated record. */
export const datedResources = [operationsProfiles, metricProfiles, aggregationProfiles, thresholdsProfiles, weights] as const;

/** Every kind of list that is written as a whole for a day. */
export const dayLists = [topologyEndpoints, topologyGroups, topologyServiceTypes, downtimes] as const;

/** Every event type of the status service, by stream category. */
export const statusCatalogues: Readonly<Record<string, EventCatalogue>> = {
  [TENANTS_CATEGORY]: tenantEvents,
  [FEEDS_CATEGORY]: feedEvents,
  [METRIC_LIST_CATEGORY]: metricListEvents,
  [METRIC_DATA_CATEGORY]: metricDataEvents,
  [METRIC_CALLS_CATEGORY]: metricCallEvents,
  [REPORTS_CATEGORY]: reportEvents,
  [RECOMPUTATIONS_CATEGORY]: recomputationEvents,
  ...Object.fromEntries(datedResources.map((resource) => [categoryOfDated(resource), catalogueOfDated(resource)])),
  ...Object.fromEntries(dayLists.map((list) => [categoryOfDayList(list), catalogueOfDayList(list)])),
};
