import type { AccountingEvents } from '#domain/accounting/index.js';
import type { Anchor, LeavesChained } from '#domain/integrity/integrity-events.js';
import type { SigningKeyEvent } from '#domain/integrity/signing-keys.js';
import type { MessagingEvents } from '#domain/messaging/index.js';
import type { AccessKeyEvent } from '#domain/operations/access-keys.js';
import type { AuditEvent } from '#domain/operations/audit-events.js';
import type { BackupEvent } from '#domain/operations/backup-events.js';
import type { CertificateEvent } from '#domain/operations/certificates.js';
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
import type { StatusEvents } from '#domain/status/index.js';
import type { StatusNotice, StatusNoticeAttributes } from '#domain/status/notifications/status-notice.js';
import type { TopologyEndpoint, TopologyGroup, TopologyServiceType } from '#domain/status/topology/topology.js';
import type { ImportBegun } from '#infra/edges/copies/import-marker.js';

type Dated<Name extends string, R extends NamedRecord> =
  | Readonly<{ type: `${Name}SnapshotDated`; data: SnapshotDated<R> }>
  | Readonly<{ type: `${Name}Deleted`; data: RecordDeleted }>;

type Listed<Name extends string, Item extends object> =
  | Readonly<{ type: `${Name}Listed`; data: DayListed<Item> }>
  | Readonly<{ type: `${Name}Deleted`; data: DayDeleted }>;

type Nothing = Readonly<Record<string, never>>;

/** Events beside those of the services; in no catalogue are those of `keys` and `integrity.import`, which only their writers read. */
export type OtherEvents = {
  'ops.keys': AccessKeyEvent;
  'ops.certificates': CertificateEvent;
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
};

/** Events of the kinds of records and lists of the status service. */
export type RecordEvents = {
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
export type { AccountingEvents, MessagingEvents, StatusEvents, StatusNotice, StatusNoticeAttributes };

/** Every event by the category of its stream. */
type EventTypes = OtherEvents & MessagingEvents & AccountingEvents & StatusEvents & RecordEvents;

/** `category.Type` of every event. */
export type EventName = { [Category in keyof EventTypes]: `${Category}.${EventTypes[Category]['type']}` }[keyof EventTypes];
