import { type AnyDated, categoryOfDated } from '#domain/status/dated-records/dated-records.js';
import { type AnyDayList, categoryOfDayList } from '#domain/status/day-lists/day-lists.js';
import { FEEDS_CATEGORY } from '#domain/status/feeds/feeds.js';
import { HEALTH_CATEGORY } from '#domain/status/health/health.js';
import { datedResources, dayLists } from '#domain/status/index.js';
import { METRIC_CALLS_CATEGORY, METRIC_DATA_CATEGORY } from '#domain/status/metric-data/metric-data.js';
import { METRIC_LIST_CATEGORY } from '#domain/status/metric-list/metric-list.js';
import { METRIC_BATCHES_CATEGORY } from '#domain/status/metric-source/metric-batches.js';
import { METRIC_SOURCES_CATEGORY } from '#domain/status/metric-source/metric-source.js';
import { NOTIFICATION_SETTINGS_CATEGORY } from '#domain/status/notifications/notification-settings.js';
import { PUBLISHED_NOTICES_CATEGORY } from '#domain/status/notifications/published-notices.js';
import { TOLD_STATUSES_CATEGORY } from '#domain/status/notifications/told-statuses.js';
import { RECOMPUTATIONS_CATEGORY } from '#domain/status/recomputations/recomputations.js';
import { REPORTS_CATEGORY } from '#domain/status/reports/reports.js';
import { TENANTS_CATEGORY } from '#domain/status/tenants/tenants.js';
import { ended, type Mapping, none, type ResourceChange, type ResourceReference, streamId, text } from './resource-change.js';

const tenantReference = (id: string): ResourceReference => ({ service: 'status', kind: 'tenant', id });

const ofTenant = (kind: string, id: string, tenantId: string): ResourceChange => ({
  service: 'status',
  kind,
  id,
  owners: [tenantReference(tenantId)],
});

/** Records of a tenant whose stream is that of the tenant. */
const inTenantStream =
  (kind: string): Mapping =>
  (event) => [ofTenant(kind, text(event.data, 'id'), streamId(event))];

const tenant: Mapping = ({ data }) => [tenantReference(text(data, 'tenantId'))];
const user: Mapping = ({ data }) => [ofTenant('user', text(data, 'userId'), text(data, 'tenantId'))];
/** A change of a user is the tenant's latest one too. */
const inTenant =
  (changes: Mapping): Mapping =>
  (event) => [...changes(event), { ...tenantReference(text(event.data, 'tenantId')), beside: true }];
const report = inTenantStream('report');
/** Of the report that is that of the node from now on, and of the one that was. */
const nodeReport: Mapping = (event) =>
  ['id', 'formerId']
    .filter((member) => event.data[member] !== undefined)
    .map((member) => ofTenant('report', text(event.data, member), streamId(event)));
const recomputation: Mapping = ({ data }) => [ofTenant('recomputation', text(data, 'id'), text(data, 'tenantId'))];

/** The kind of one dated record as operations contract 2 names it; the service names collections of them: `metric_profiles`. */
export const kindOfDated = ({ kind }: Pick<AnyDated, 'kind'>): string => kind.replace(/_profiles$/, '_profile');

const dated = (resource: AnyDated): Readonly<Record<string, Mapping>> => {
  const changes = inTenantStream(kindOfDated(resource));
  return { [resource.events.dated]: changes, [resource.events.deleted]: ended(changes) };
};

const listOfDay =
  (kind: string): Mapping =>
  ({ data }) => {
    const scope = text(data, 'tenantId');
    return [{ ...ofTenant(kind, text(data, 'date'), scope), scope }];
  };

/** A list is there with the last of its parts. */
const dayList = ({ kind, events }: AnyDayList): Readonly<Record<string, Mapping>> => {
  const changes = listOfDay(kind);
  return {
    [events.listed]: (event) => (Number(event.data.part) === Number(event.data.parts) - 1 ? changes(event) : []),
    [events.deleted]: ended(changes),
  };
};

/** Users are records of their own; `info.updated` of their tenant follows each change of theirs. */
export const statusResources: Readonly<Record<string, Readonly<Record<string, Mapping>>>> = {
  [TENANTS_CATEGORY]: {
    TenantRegistered: tenant,
    TenantRevised: tenant,
    TenantDeleted: ended(tenant),
    TenantUserAdded: inTenant(user),
    TenantUserRevised: inTenant(user),
    TenantUserRemoved: inTenant(ended(user)),
    TenantUserKeyRenewed: inTenant(user),
    TenantEngineStatusReported: none,
    TenantInfoRevised: tenant,
    TenantDatabasesReplaced: tenant,
    TenantTopologyReplaced: tenant,
    TenantReadinessReported: none,
    TenantSetAsNode: tenant,
    TenantUnsetAsNode: tenant,
  },
  [FEEDS_CATEGORY]: { FeedReplaced: none },
  [METRIC_LIST_CATEGORY]: { MetricListReplaced: none },
  [HEALTH_CATEGORY]: { ConsistencyChecked: none, ConsistencyAcknowledged: none },
  [METRIC_DATA_CATEGORY]: { MetricResultsRecorded: none },
  [METRIC_CALLS_CATEGORY]: { MetricDataSubmitted: none },
  [METRIC_SOURCES_CATEGORY]: { MetricSourceConnected: none, MetricSourceDisconnected: none },
  [METRIC_BATCHES_CATEGORY]: {
    MetricMessagesTaken: none,
    MetricMessagesIngested: none,
    MetricRetryRequested: none,
    MetricRetryFinished: none,
  },
  [NOTIFICATION_SETTINGS_CATEGORY]: { StatusNotificationsTurnedOn: none, StatusNotificationsTurnedOff: none },
  [TOLD_STATUSES_CATEGORY]: { StatusesNotified: none, StatusChangesFound: none },
  [PUBLISHED_NOTICES_CATEGORY]: { StatusNoticesPublished: none },
  [REPORTS_CATEGORY]: {
    ReportCreated: report,
    ReportRevised: report,
    ReportDeleted: ended(report),
    ReportMadePublic: report,
    ReportMadePrivate: report,
    NodeReportChosen: nodeReport,
  },
  [RECOMPUTATIONS_CATEGORY]: {
    RecomputationRequested: recomputation,
    RecomputationRevised: recomputation,
    RecomputationStatusChanged: recomputation,
    RecomputationDeleted: ended(recomputation),
  },
  ...Object.fromEntries(datedResources.map((resource) => [categoryOfDated(resource), dated(resource)])),
  ...Object.fromEntries(dayLists.map((list) => [categoryOfDayList(list), dayList(list)])),
};
