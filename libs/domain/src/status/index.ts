import type { CataloguesOf, EventCatalogue } from '#domain/shared/catalogue.js';
import { aggregationProfiles } from '#domain/status/dated-records/aggregation-profiles.js';
import { catalogueOfDated, categoryOfDated } from '#domain/status/dated-records/dated-records.js';
import { metricProfiles } from '#domain/status/dated-records/metric-profiles.js';
import { operationsProfiles } from '#domain/status/dated-records/operations-profiles.js';
import { thresholdsProfiles } from '#domain/status/dated-records/thresholds-profiles.js';
import { weights } from '#domain/status/dated-records/weights.js';
import { DAY_LIST_CALLS_CATEGORY, type DayListSubmitted, dayListCallEvents } from '#domain/status/day-lists/day-list-calls.js';
import { catalogueOfDayList, categoryOfDayList } from '#domain/status/day-lists/day-lists.js';
import { downtimes } from '#domain/status/downtimes/downtimes.js';
import { FEEDS_CATEGORY, type FeedEvent, feedEvents } from '#domain/status/feeds/feeds.js';
import { HEALTH_CATEGORY, type HealthEvent, healthEvents } from '#domain/status/health/health.js';
import { METRIC_CALLS_CATEGORY, type MetricDataSubmitted, metricCallEvents } from '#domain/status/metric-data/earlier-releases.js';
import { METRIC_DATA_CATEGORY, type MetricResultsRecorded, metricDataEvents } from '#domain/status/metric-data/metric-data.js';
import { METRIC_LIST_CATEGORY, type MetricListEvent, metricListEvents } from '#domain/status/metric-list/metric-list.js';
import { METRIC_BATCHES_CATEGORY, type MetricBatchEvent, metricBatchEvents } from '#domain/status/metric-source/metric-batches.js';
import { METRIC_SOURCES_CATEGORY, type MetricSourceEvent, metricSourceEvents } from '#domain/status/metric-source/metric-source.js';
import {
  NOTIFICATION_SETTINGS_CATEGORY,
  type NotificationSettingsEvent,
  notificationSettingsEvents,
} from '#domain/status/notifications/notification-settings.js';
import {
  PUBLISHED_NOTICES_CATEGORY,
  publishedNoticesEvents,
  type StatusNoticesPublished,
} from '#domain/status/notifications/published-notices.js';
import { type StatusChangesFound, statusChangeEvents } from '#domain/status/notifications/status-changes.js';
import { RECOMPUTATIONS_CATEGORY, type RecomputationEvent, recomputationEvents } from '#domain/status/recomputations/recomputations.js';
import { REPORTS_CATEGORY, type ReportEvent, reportEvents } from '#domain/status/reports/reports.js';
import { TENANTS_CATEGORY, type TenantEvent, tenantEvents } from '#domain/status/tenants/tenants.js';
import { topologyEndpoints, topologyGroups, topologyServiceTypes } from '#domain/status/topology/topology.js';
import { ANNOUNCED_STATUSES_CATEGORY } from './notifications/announced-statuses.js';

export const datedResources = [operationsProfiles, metricProfiles, aggregationProfiles, thresholdsProfiles, weights] as const;

export const dayLists = [topologyEndpoints, topologyGroups, topologyServiceTypes, downtimes] as const;

/** The events of the status service by stream category, except those of dated records and day lists. */
export type StatusEvents = {
  [TENANTS_CATEGORY]: TenantEvent;
  [FEEDS_CATEGORY]: FeedEvent;
  [METRIC_LIST_CATEGORY]: MetricListEvent;
  [HEALTH_CATEGORY]: HealthEvent;
  [METRIC_DATA_CATEGORY]: MetricResultsRecorded;
  [METRIC_CALLS_CATEGORY]: MetricDataSubmitted;
  [METRIC_SOURCES_CATEGORY]: MetricSourceEvent;
  [METRIC_BATCHES_CATEGORY]: MetricBatchEvent;
  [NOTIFICATION_SETTINGS_CATEGORY]: NotificationSettingsEvent;
  [ANNOUNCED_STATUSES_CATEGORY]: StatusChangesFound;
  [PUBLISHED_NOTICES_CATEGORY]: StatusNoticesPublished;
  [REPORTS_CATEGORY]: ReportEvent;
  [RECOMPUTATIONS_CATEGORY]: RecomputationEvent;
  [DAY_LIST_CALLS_CATEGORY]: DayListSubmitted;
};

/** All event types of the status service, by stream category. */
export const statusCatalogues: CataloguesOf<StatusEvents> & Readonly<Record<string, EventCatalogue>> = {
  [TENANTS_CATEGORY]: tenantEvents,
  [FEEDS_CATEGORY]: feedEvents,
  [METRIC_LIST_CATEGORY]: metricListEvents,
  [HEALTH_CATEGORY]: healthEvents,
  [METRIC_DATA_CATEGORY]: metricDataEvents,
  [METRIC_CALLS_CATEGORY]: metricCallEvents,
  [METRIC_SOURCES_CATEGORY]: metricSourceEvents,
  [METRIC_BATCHES_CATEGORY]: metricBatchEvents,
  [NOTIFICATION_SETTINGS_CATEGORY]: notificationSettingsEvents,
  [ANNOUNCED_STATUSES_CATEGORY]: statusChangeEvents,
  [PUBLISHED_NOTICES_CATEGORY]: publishedNoticesEvents,
  [REPORTS_CATEGORY]: reportEvents,
  [RECOMPUTATIONS_CATEGORY]: recomputationEvents,
  [DAY_LIST_CALLS_CATEGORY]: dayListCallEvents,
  ...Object.fromEntries(datedResources.map((resource) => [categoryOfDated(resource), catalogueOfDated(resource)])),
  ...Object.fromEntries(dayLists.map((list) => [categoryOfDayList(list), catalogueOfDayList(list)])),
};
