import type { AccessEvent } from '#domain/accounting/access/access-events.js';
import type { CapacityEvent } from '#domain/accounting/capacities/capacity-events.js';
import type { CatalogueEvent, ExternalIdEvent, ProjectEvent } from '#domain/accounting/catalogue/catalogue-events.js';
import type { DefinitionEvent } from '#domain/accounting/definitions/definition-events.js';
import type { MetricCallEvent, MetricEvent } from '#domain/accounting/metrics/metric-events.js';
import type { Anchor, LeavesChained } from '#domain/integrity/integrity-events.js';
import type { SigningKeyEvent } from '#domain/integrity/signing-keys.js';
import type { AccountEvent } from '#domain/messaging/accounts/account-events.js';
import type { CursorEvent } from '#domain/messaging/cursors/cursor-events.js';
import type { MessagePublished } from '#domain/messaging/messages/message-events.js';
import type { ResourceEvent } from '#domain/messaging/resources/resources.js';
import type { TrafficEvent } from '#domain/messaging/traffic/traffic.js';
import type { AccessKeyEvent } from '#domain/operations/access-keys.js';
import type { AuditEvent } from '#domain/operations/audit-events.js';
import type { BackupEvent } from '#domain/operations/backup-events.js';
import type { SubjectErased } from '#domain/operations/erasures.js';
import type { InstallationFounded } from '#domain/operations/log-events.js';
import type { ProjectionOperation } from '#domain/operations/projection-operations.js';
import type { EventMetadata } from '#domain/shared/events.js';
import type { AggregationProfile } from '#domain/status/dated-records/aggregation-profiles.js';
import type { NamedRecord, RecordDeleted, SnapshotDated } from '#domain/status/dated-records/dated-records.js';
import type { MetricProfile } from '#domain/status/dated-records/metric-profiles.js';
import type { OperationsProfile } from '#domain/status/dated-records/operations-profiles.js';
import type { ThresholdsProfile } from '#domain/status/dated-records/thresholds-profiles.js';
import type { Weights } from '#domain/status/dated-records/weights.js';
import type { DayDeleted, DayListed } from '#domain/status/day-lists/day-lists.js';
import type { Downtime } from '#domain/status/downtimes/downtimes.js';
import type { FeedEvent } from '#domain/status/feeds/feeds.js';
import type { HealthEvent } from '#domain/status/health/health.js';
import type { MetricDataSubmitted, MetricResultsRecorded } from '#domain/status/metric-data/metric-data.js';
import type { MetricListEvent } from '#domain/status/metric-list/metric-list.js';
import type { MetricBatchEvent } from '#domain/status/metric-source/metric-batches.js';
import type { MetricSourceEvent } from '#domain/status/metric-source/metric-source.js';
import type { NotificationSettingsEvent } from '#domain/status/notifications/notification-settings.js';
import type { StatusNoticesPublished } from '#domain/status/notifications/published-notices.js';
import type { StatusChangesFound } from '#domain/status/notifications/status-changes.js';
import type { StatusNotice, StatusNoticeAttributes } from '#domain/status/notifications/status-notice.js';
import type { StatusesNotified } from '#domain/status/notifications/told-statuses.js';
import type { RecomputationEvent } from '#domain/status/recomputations/recomputations.js';
import type { ReportEvent } from '#domain/status/reports/reports.js';
import type { TenantEvent } from '#domain/status/tenants/tenants.js';
import type { TopologyEndpoint, TopologyGroup, TopologyServiceType } from '#domain/status/topology/topology.js';
import type { ImportBegun } from '#infra/edges/copies/import-marker.js';

type Dated<Name extends string, R extends NamedRecord> =
  | Readonly<{ type: `${Name}SnapshotDated`; data: SnapshotDated<R> }>
  | Readonly<{ type: `${Name}Deleted`; data: RecordDeleted }>;

type Listed<Name extends string, Item extends object> =
  | Readonly<{ type: `${Name}Listed`; data: DayListed<Item> }>
  | Readonly<{ type: `${Name}Deleted`; data: DayDeleted }>;

type Nothing = Readonly<Record<string, never>>;

/**
 * Every event by the category of its stream: what the schemas of docs/events are made of. A test compares it with the catalogues; in none of them are
 * the events of `keys` and `integrity.import`, which only their writers read.
 */
export type EventTypes = {
  'ops.keys': AccessKeyEvent;
  'ops.backups': BackupEvent;
  'ops.audit': AuditEvent;
  'ops.erasures': SubjectErased;
  'ops.log': Readonly<{ type: 'InstallationFounded'; data: InstallationFounded }> | Readonly<{ type: 'LogOpened'; data: Nothing }>;
  'ops.projections': ProjectionOperation;
  'integrity.leaves': Readonly<{ type: 'LeavesChained'; data: LeavesChained }>;
  'integrity.anchors': Readonly<{ type: 'AnchorSigned'; data: Anchor }>;
  'integrity.keys': SigningKeyEvent;
  'integrity.import':
    | Readonly<{ type: 'ImportBegun'; data: ImportBegun }>
    | Readonly<{ type: 'ImportEnded'; data: Pick<ImportBegun, 'size' | 'root'> }>;
  'keys.master': Readonly<{ type: 'MasterKeyChosen'; data: Readonly<{ fingerprint: string }> }>;
  'keys.subject':
    | Readonly<{ type: 'SubjectKeyCreated'; data: Readonly<{ subject: string; wrapped: string }> }>
    | Readonly<{ type: 'SubjectKeyDestroyed'; data: Readonly<{ subject: string }> }>;
  'messaging.accounts': AccountEvent;
  'messaging.resources': ResourceEvent;
  'messaging.messages': MessagePublished;
  'messaging.cursor': CursorEvent;
  'messaging.traffic': TrafficEvent;
  'accounting.access': AccessEvent;
  'accounting.catalogue': CatalogueEvent;
  'accounting.project': ProjectEvent;
  'accounting.external_id': ExternalIdEvent;
  'accounting.definitions': DefinitionEvent;
  'accounting.capacities': CapacityEvent;
  'accounting.metric': MetricEvent;
  'accounting.metric_call': MetricCallEvent;
  'status.tenants': TenantEvent;
  'status.feeds': FeedEvent;
  'status.metrics': MetricListEvent;
  'status.health': HealthEvent;
  'status.metric_data': MetricResultsRecorded;
  'status.metric_calls': MetricDataSubmitted;
  'status.metric_sources': MetricSourceEvent;
  'status.metric_batches': MetricBatchEvent;
  'status.notification_settings': NotificationSettingsEvent;
  'status.told': StatusesNotified | StatusChangesFound;
  'status.published_notices': StatusNoticesPublished;
  'status.reports': ReportEvent;
  'status.recomputation': RecomputationEvent;
  'status.operations_profiles': Dated<'OperationsProfile', OperationsProfile>;
  'status.metric_profiles': Dated<'MetricProfile', MetricProfile>;
  'status.aggregation_profiles': Dated<'AggregationProfile', AggregationProfile>;
  'status.thresholds_profiles': Dated<'ThresholdsProfile', ThresholdsProfile>;
  'status.weights': Dated<'Weights', Weights>;
  'status.topology_endpoints': Listed<'TopologyEndpoints', TopologyEndpoint>;
  'status.topology_groups': Listed<'TopologyGroups', TopologyGroup>;
  'status.topology_service_types': Listed<'TopologyServiceTypes', TopologyServiceType>;
  'status.downtimes': Listed<'Downtimes', Downtime>;
};

export type Metadata = EventMetadata;
export type { StatusNotice, StatusNoticeAttributes };
