import { readdirSync, readFileSync } from 'node:fs';
import { categoryOf, type RecordedEvent } from '#domain/shared/events.js';

/**
 * Causes of events: `call`, a request or a command of the command line; `itself`, time, the configuration or a start; otherwise an event, by
 * `<category>.<type>`. Every type of docs/events has a line: whoever adds one decides what its reactions carry on.
 */
export type CauseName = string;

type Causes = Readonly<Record<string, string>>;

const CALL = 'call';
const ITSELF = 'itself';
const MESSAGE = 'messaging.messages.MessagePublished';
const RECOMPUTATION = 'status.recomputation';

/** Types by category, and their causes where a call is not the only one. */
const CATEGORIES: Readonly<Record<string, Causes>> = {
  'accounting.access': calls(
    'ClientRegistered EntitlementCreated EntitlementRenamed EntitlementDeleted EntitlementAssigned EntitlementDissociated OidcTenantCreated OidcTenantRevised OidcTenantDeleted SettingChanged',
  ),
  'accounting.catalogue': {
    ...calls(
      'ProjectRegistered ProjectRevised ProjectDeleted ProviderRegistered ProviderRevised ProviderDeleted ProviderClosed ProviderReopened ProviderHeld ProviderReleased',
    ),
    ...calls('ResourceRegistered ResourceDeleted ResourceClosed ResourceReopened ResourceHeld ResourceReleased'),
    CatalogueProviderImported: `${CALL} ${ITSELF}`, // migrated, or read from the list
  },
  'accounting.project': calls(
    'ProviderAssociated ProviderDissociated InstallationCreated InstallationRevised InstallationDeleted InstallationClosed InstallationReopened ReferenceForestalled',
  ),
  'accounting.external_id': calls('ExternalIdClaimed ExternalIdReleased'),
  'accounting.definitions': calls(
    'MetricDefinitionCreated MetricDefinitionRevised MetricDefinitionDeleted MetricDefinitionClosed MetricDefinitionReopened MetricDefinitionHeld MetricDefinitionReleased UnitTypeCreated UnitTypeRevised UnitTypeDeleted MetricTypeCreated MetricTypeRevised MetricTypeDeleted',
  ),
  'accounting.capacities': calls('CapacityRegistered CapacityRevised'),
  'accounting.metric': calls('MetricRecorded MetricRevised MetricRemoved'),
  'accounting.metric_call': calls('MetricSubmitted'),
  'messaging.accounts': calls(
    'ProjectCreated ProjectRevised ProjectDeleted UserCreated UserRevised UserTokenRefreshed UserDeleted MemberAdded MemberRolesReplaced MemberRemoved RegistrationSubmitted RegistrationAccepted RegistrationDeclined RegistrationDeleted',
  ),
  'messaging.resources': {
    ...calls(
      'TopicCreated TopicDeleted TopicSchemaAttached TopicSchemaDetached TopicSettingsReplaced TopicAclReplaced DeadLettersRedriven SchemaCreated SchemaRevised SchemaDeleted',
    ),
    ...calls('SubscriptionCreated AckDeadlineModified PushConfigurationReplaced PushEndpointVerified SubscriptionAclReplaced'),
    SubscriptionDeleted: `${CALL} ${ITSELF}`, // it expires
  },
  // Dead letters follow from their messages, notifications from the changes that were found.
  'messaging.messages': { MessagePublished: `${CALL} ${MESSAGE} status.told.StatusChangesFound` },
  'messaging.cursor': {
    BatchDelivered: `${CALL} ${MESSAGE} ${ITSELF}`,
    BatchAcknowledged: `${CALL} ${MESSAGE}`,
    OffsetModified: `${CALL} ${MESSAGE} ${ITSELF}`,
  },
  'messaging.deliveries': {
    DeliveriesRecorded: `${CALL} ${MESSAGE} ${ITSELF}`, // the whole state, now and then
    DeliveriesSought: `${CALL} ${ITSELF}`,
    DeliveriesSettled: `${CALL} ${MESSAGE} ${ITSELF}`, // pushed, dead-lettered; leases end
  },
  'messaging.traffic': {
    TrafficRecorded: `${CALL} ${ITSELF}`, // migrated, or at the end of an interval
    TopicLogDiscarded: 'messaging.resources.TopicDeleted messaging.accounts.ProjectDeleted',
  },
  'status.tenants': calls(
    'TenantRegistered TenantRevised TenantDeleted TenantUserAdded TenantUserRevised TenantUserRemoved TenantUserKeyRenewed TenantEngineStatusReported TenantInfoRevised TenantDatabasesReplaced TenantTopologyReplaced TenantReadinessReported TenantSetAsNode TenantUnsetAsNode',
  ),
  'status.feeds': calls('FeedReplaced'),
  'status.metrics': calls('MetricListReplaced'),
  'status.health': calls('ConsistencyChecked ConsistencyAcknowledged'),
  'status.metric_data': { MetricResultsRecorded: `${CALL} ${MESSAGE}` },
  'status.metric_calls': calls('MetricDataSubmitted'),
  'status.day_list_calls': calls('DayListSubmitted'),
  'status.metric_sources': { MetricSourceConnected: `${CALL} ${ITSELF}`, MetricSourceDisconnected: CALL },
  'status.metric_batches': {
    MetricMessagesTaken: `${MESSAGE} status.metric_batches.MetricRetryRequested`,
    MetricMessagesIngested: 'status.metric_batches.MetricMessagesTaken',
    MetricRetryRequested: CALL,
    MetricRetryFinished: 'status.metric_batches.MetricRetryRequested',
  },
  'status.notification_settings': calls('StatusNotificationsTurnedOn StatusNotificationsTurnedOff'),
  'status.told': {
    StatusChangesFound: [
      ITSELF, // a day begins, a downtime ends
      'status.metric_data.MetricResultsRecorded',
      ...['Requested', 'Revised', 'StatusChanged', 'Deleted'].map((what) => `${RECOMPUTATION}.Recomputation${what}`),
    ].join(' '),
  },
  'status.published_notices': { StatusNoticesPublished: 'status.told.StatusChangesFound' },
  'status.reports': calls('ReportCreated ReportRevised ReportDeleted ReportMadePublic ReportMadePrivate NodeReportChosen'),
  'status.recomputation': {
    ...calls('RecomputationRequested RecomputationRevised RecomputationDeleted'),
    RecomputationStatusChanged: `${CALL} ${RECOMPUTATION}.RecomputationStatusChanged ${RECOMPUTATION}.RecomputationRevised`,
  },
  'status.operations_profiles': calls('OperationsProfileSnapshotDated OperationsProfileDeleted'),
  'status.metric_profiles': calls('MetricProfileSnapshotDated MetricProfileDeleted'),
  'status.aggregation_profiles': calls('AggregationProfileSnapshotDated AggregationProfileDeleted'),
  'status.thresholds_profiles': calls('ThresholdsProfileSnapshotDated ThresholdsProfileDeleted'),
  'status.weights': calls('WeightsSnapshotDated WeightsDeleted'),
  'status.topology_endpoints': calls('TopologyEndpointsListed TopologyEndpointsDeleted'),
  'status.topology_groups': calls('TopologyGroupsListed TopologyGroupsDeleted'),
  'status.topology_service_types': calls('TopologyServiceTypesListed TopologyServiceTypesDeleted'),
  'status.downtimes': calls('DowntimesListed DowntimesDeleted'),
  'ops.keys': {
    AccessKeyIssued: `${CALL} ${ITSELF}`,
    AccessKeyRevoked: `${CALL} ${ITSELF} integrity.import.ImportBegun`,
    ...calls('AccessKeysListed AccessKeyCallRefused'),
  },
  'ops.certificates': calls('CertificateBound CertificateReleased'),
  'ops.backups': calls('BackupRequested'),
  'ops.audit': calls('PersonalDataRead AsOfRead MessageDataRead'),
  'ops.erasures': calls('SubjectErased'),
  'ops.log': { InstallationFounded: ITSELF, LogOpened: ITSELF },
  'ops.projections': {
    ...calls('ProjectionResumeRequested ProjectionRebuildRequested ProjectionVerificationRequested'),
    ProjectionEventSkipped: `${CALL} ops.projections.ProjectionResumeRequested`, // all that fail alike, left out by the rebuild
  },
  'integrity.leaves': { LeavesChained: ITSELF },
  'integrity.anchors': { AnchorSigned: `${CALL} ${ITSELF}` },
  'integrity.keys': { SigningKeyIntroduced: `${CALL} ${ITSELF}`, SigningKeyRetired: `${CALL} ${ITSELF}` },
  'integrity.import': { ImportBegun: ITSELF, ImportEnded: 'integrity.import.ImportBegun' },
  'keys.master': { MasterKeyChosen: ITSELF },
  'keys.subject': {
    SubjectKeyCreated: ITSELF, // when it is first needed
    SubjectKeyDestroyed: [
      ITSELF, // by a list of erasures
      'ops.erasures.SubjectErased status.tenants.TenantDeleted status.tenants.TenantUserRemoved status.recomputation.RecomputationDeleted',
      'messaging.accounts.UserDeleted messaging.accounts.RegistrationDeleted messaging.accounts.ProjectDeleted',
      'messaging.resources.SubscriptionDeleted accounting.access.OidcTenantDeleted',
      'accounting.catalogue.ProjectDeleted accounting.project.InstallationDeleted',
    ].join(' '),
  },
};

function calls(types: string): Causes {
  return Object.fromEntries(types.split(' ').map((type) => [type, CALL]));
}

/** Possible causes of each type, by `<category>.<type>`. */
export const CAUSES: ReadonlyMap<string, ReadonlySet<CauseName>> = new Map(
  Object.entries(CATEGORIES).flatMap(([category, types]) =>
    Object.entries(types).map(([type, causes]): [string, ReadonlySet<CauseName>] => [`${category}.${type}`, new Set(causes.split(' '))]),
  ),
);

export const CAUSES_BESIDE_EVENTS: readonly CauseName[] = [CALL, ITSELF];

/** Names of all event types of docs/events. */
export const documentedTypes = (): readonly string[] =>
  readdirSync('docs/events').flatMap((file) => {
    const { $defs = {} } = JSON.parse(readFileSync(`docs/events/${file}`, 'utf8')) as { $defs?: Readonly<Record<string, object>> };
    return Object.entries($defs).flatMap(([name, schema]) => ('x-category' in schema ? [name] : []));
  });

/** System actors that act for a caller. */
const isCaller = ({ kind, id }: RecordedEvent['metadata']['actor']): boolean =>
  kind !== 'system' || id.startsWith('cli:') || id === 'from-ams' || id === 'migrate';

const nameOf = ({ stream, type }: RecordedEvent): string => `${categoryOf(stream)}.${type}`;

/** Compares the causes of the events of a log, in log order, with {@link CAUSES}. */
export class CheckedCauses {
  private readonly known = new Map<string, Readonly<{ name: string; correlationId: string }>>();

  /** The flaw of the event's cause; `null` if there is none. */
  flawOf(event: RecordedEvent): string | null {
    const { correlationId, causationId } = event.metadata;
    const cause = this.known.get(causationId);
    const name = nameOf(event);
    this.known.set(event.id, { name, correlationId });
    if (event.recordedAt < performance.timeOrigin) return null; // in data of an earlier release, which named requests only
    const found = this.causeOf(event);
    if (found === null || !CAUSES.get(name)?.has(found)) return `${name} was caused by ${found ?? 'an unknown event'}`;
    return cause && cause.correlationId !== correlationId ? `${name} is not in the conversation of its cause ${cause.name}` : null;
  }

  private causeOf({ id, type, stream, metadata: { requestId, causationId, actor } }: RecordedEvent): CauseName | null {
    const known = causationId === id ? undefined : this.known.get(causationId);
    if (known) return known.name;
    if (isCaller(actor)) return CALL;
    if (causationId === requestId) return ITSELF;
    // Another request, or a message that has expired.
    const causes = CAUSES.get(`${categoryOf(stream)}.${type}`);
    return [CALL, MESSAGE].find((one) => causes?.has(one)) ?? null;
  }
}
