import { categoryOf, type JsonObject, type RecordedEvent, type ServiceName } from '#domain/shared/events.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { type ResourceReference, streamId, text } from '#domain/shared/resource-change.js';
import { kindOfDated } from '#domain/status/dated-records/dated-records.js';
import { datedResources, dayLists } from '#domain/status/index.js';
import { wordsOf } from './names.js';

/** Sentence that an event of a type makes in the list of changes (console contract 6): `<actor> <says> the <kind> <record> in <place>`. */
export type Statement = Readonly<{
  service: ServiceName;
  /** Kind by which changes are filtered. */
  kind: string;
  /** Words from the actor up to the record. `count`: of what is folded. */
  says: (count: number, data: JsonObject) => string;
  /** The count is said at the end of the sentence. */
  times?: true;
  /** Record that a folded event is about, and the place it is in. Default: none. */
  about?: (event: RecordedEvent) => ResourceReference;
  /** Changes no record: events of an actor, record and minute are one item. */
  folded?: true;
  /** Amount that a folded event stands for. Default: 1. */
  amount?: (data: JsonObject) => number;
  /** A folded event whose record has a stream of such events: it is counted by the index. */
  countedByStream?: true;
  /** A read: hidden unless reads are asked for. */
  read?: true;
}>;

type Statements = Readonly<Record<string, Statement>>;

/** `published 2 messages to` */
const counting =
  (before: string, noun: string, behind: string): Statement['says'] =>
  (count) =>
    `${before} ${count} ${noun}${count === 1 ? '' : 's'} ${behind}`;

/** Changes of records of a kind, by their verbs. */
const changes = (service: ServiceName, kind: string, verbs: Readonly<Record<string, string>>): Statements =>
  Object.fromEntries(Object.entries(verbs).map(([type, verb]) => [type, { service, kind, says: () => verb }]));

/** An event that changes no record. */
const folded = (
  service: ServiceName,
  kind: string,
  says: Statement['says'] | string,
  about?: Statement['about'],
  more: Pick<Statement, 'amount' | 'countedByStream' | 'read' | 'times'> = {},
): Statement => ({
  service,
  kind,
  ...(typeof says === 'string' ? { says: () => says, times: true } : { says }),
  folded: true,
  ...(about && { about }),
  ...more,
});

const inProject =
  (kind: string, member?: string) =>
  (event: RecordedEvent): ResourceReference => ({
    service: 'messaging',
    kind,
    id: member === undefined ? streamId(event) : text(event.data, member),
    scope: typeof event.data.projectId === 'string' ? event.data.projectId : streamId(event),
  });

const of =
  (service: ServiceName, kind: string, member: string) =>
  ({ data }: RecordedEvent): ResourceReference => ({ service, kind, id: text(data, member) });

const tenant = of('status', 'tenant', 'tenantId');
const ofTenant = (says: Statement['says'] | string, more: Pick<Statement, 'amount'> = {}): Statement =>
  folded('status', 'tenant', says, tenant, more);
const byStream = { countedByStream: true } as const;

/** `pulled messages 2 times from` */
const subscription = (words: string, behind = 'of'): Statement => {
  const says = (count: number): string => `${words}${count === 1 ? '' : ` ${count} times`} ${behind}`;
  return folded('messaging', 'subscription', says, inProject('subscription'), byStream);
};

const usage = (verb: string, behind: string): Statement =>
  folded('accounting', 'metric', counting(verb, 'usage metric', behind), of('accounting', 'installation', 'installationId'));

/** An event that names what it is about, which is no record. */
const naming = (service: ServiceName, words: string, member: string): Statement =>
  folded(service, '', (_count, data) => `${words} ${text(data, member)}`, undefined, { times: true });

const STATUS_LISTS: Readonly<Record<string, Statements>> = {
  ...Object.fromEntries(
    datedResources.map(({ kind, events }): [string, Statements] => {
      const record = kindOfDated({ kind });
      const dated: Statement = { service: 'status', kind: record, says: (_, data) => (data.change === 'created' ? 'created' : 'changed') };
      return [`status.${kind}`, { [events.dated]: dated, ...changes('status', record, { [events.deleted]: 'deleted' }) }];
    }),
  ),
  ...Object.fromEntries(
    dayLists.map(({ kind, events }): [string, Statements] => [
      `status.${kind}`,
      changes('status', kind, { [events.listed]: 'changed', [events.deleted]: 'deleted' }),
    ]),
  ),
};

/** By category of streams. What is not listed is bookkeeping of the server, and no change that anybody made. */
const STATEMENTS: Readonly<Record<string, Statements>> = {
  'messaging.accounts': {
    ...changes('messaging', 'project', { ProjectCreated: 'created', ProjectRevised: 'changed', ProjectDeleted: 'deleted' }),
    ...changes('messaging', 'user', {
      UserCreated: 'created',
      UserRevised: 'changed',
      UserTokenRefreshed: 'changed the token of',
      UserDeleted: 'deleted',
      MemberAdded: 'added',
      MemberRolesReplaced: 'changed the roles of',
      MemberRemoved: 'removed',
    }),
    ...changes('messaging', 'registration', {
      RegistrationSubmitted: 'created',
      RegistrationAccepted: 'accepted',
      RegistrationDeclined: 'declined',
      RegistrationDeleted: 'deleted',
    }),
  },
  'messaging.resources': {
    ...changes('messaging', 'topic', {
      TopicCreated: 'created',
      TopicDeleted: 'deleted',
      TopicSchemaAttached: 'changed',
      TopicSchemaDetached: 'changed',
      TopicSettingsReplaced: 'changed',
    }),
    TopicAclReplaced: folded('messaging', 'topic', 'changed the access to', inProject('topic', 'topicId')),
    ...changes('messaging', 'subscription', {
      SubscriptionCreated: 'created',
      SubscriptionDeleted: 'deleted',
      AckDeadlineModified: 'changed',
      PushConfigurationReplaced: 'changed',
      PushEndpointVerified: 'changed',
    }),
    SubscriptionAclReplaced: folded('messaging', 'subscription', 'changed the access to', inProject('subscription', 'subscriptionId')),
    ...changes('messaging', 'schema', { SchemaCreated: 'created', SchemaRevised: 'changed', SchemaDeleted: 'deleted' }),
  },
  'messaging.messages': {
    MessagePublished: folded('messaging', 'topic', counting('published', 'message', 'to'), inProject('topic'), byStream),
  },
  'messaging.cursor': {
    BatchDelivered: subscription('pulled messages', 'from'),
    BatchAcknowledged: subscription('acknowledged messages'),
    OffsetModified: subscription('moved the position'),
  },
  'messaging.deliveries': {
    DeliveriesRecorded: subscription('pulled messages', 'from'),
    DeliveriesSettled: subscription('acknowledged messages'),
    DeliveriesSought: subscription('moved the position'),
  },
  'accounting.access': {
    ...changes('accounting', 'client', { ClientRegistered: 'created' }),
    ...changes('accounting', 'entitlement', {
      EntitlementCreated: 'created',
      EntitlementRenamed: 'changed',
      EntitlementDeleted: 'deleted',
    }),
    EntitlementAssigned: folded('accounting', 'entitlement', 'assigned', of('accounting', 'entitlement', 'entitlementId')),
    EntitlementDissociated: folded('accounting', 'entitlement', 'took away', of('accounting', 'entitlement', 'entitlementId')),
    ...changes('accounting', 'oidc_tenant', {
      OidcTenantCreated: 'created',
      OidcTenantRevised: 'changed',
      OidcTenantDeleted: 'deleted',
    }),
    SettingChanged: naming('accounting', 'changed the setting', 'key'),
  },
  'accounting.catalogue': {
    ...changes('accounting', 'project', { ProjectRegistered: 'created', ProjectRevised: 'changed', ProjectDeleted: 'deleted' }),
    ...changes('accounting', 'provider', {
      ProviderRegistered: 'created',
      ProviderRevised: 'changed',
      ProviderDeleted: 'deleted',
      CatalogueProviderImported: 'imported',
    }),
    ...changes('accounting', 'resource', { ResourceRegistered: 'created', ResourceDeleted: 'deleted' }),
  },
  'accounting.project': {
    ProviderAssociated: folded('accounting', 'provider', 'added', of('accounting', 'provider', 'providerId')),
    ProviderDissociated: folded('accounting', 'provider', 'removed', of('accounting', 'provider', 'providerId')),
    ...changes('accounting', 'installation', {
      InstallationCreated: 'created',
      InstallationRevised: 'changed',
      InstallationDeleted: 'deleted',
    }),
  },
  'accounting.definitions': {
    ...changes('accounting', 'metric_definition', {
      MetricDefinitionCreated: 'created',
      MetricDefinitionRevised: 'changed',
      MetricDefinitionDeleted: 'deleted',
    }),
    ...changes('accounting', 'unit_type', { UnitTypeCreated: 'created', UnitTypeRevised: 'changed', UnitTypeDeleted: 'deleted' }),
    ...changes('accounting', 'metric_type', { MetricTypeCreated: 'created', MetricTypeRevised: 'changed', MetricTypeDeleted: 'deleted' }),
  },
  'accounting.capacities': changes('accounting', 'capacity', { CapacityRegistered: 'created', CapacityRevised: 'changed' }),
  'accounting.metric': {
    MetricRecorded: usage('recorded', 'of'),
    MetricRevised: usage('changed', 'of'),
    MetricRemoved: usage('deleted', 'of'),
  },
  'status.tenants': {
    ...changes('status', 'tenant', {
      TenantRegistered: 'created',
      TenantRevised: 'changed',
      TenantInfoRevised: 'changed',
      TenantDatabasesReplaced: 'changed',
      TenantTopologyReplaced: 'changed',
      TenantSetAsNode: 'changed',
      TenantUnsetAsNode: 'changed',
      TenantDeleted: 'deleted',
    }),
    ...changes('status', 'user', {
      TenantUserAdded: 'created',
      TenantUserRevised: 'changed',
      TenantUserRemoved: 'deleted',
      TenantUserKeyRenewed: 'renewed the key of',
    }),
    TenantEngineStatusReported: ofTenant('reported the state of the computation of'),
    TenantReadinessReported: ofTenant('reported the readiness of'),
  },
  'status.feeds': { FeedReplaced: ofTenant('changed the feed of') },
  'status.metrics': { MetricListReplaced: folded('status', '', 'changed the list of metrics') },
  'status.health': {
    ConsistencyChecked: folded('status', '', 'checked the consistency of tenants'),
    ConsistencyAcknowledged: folded('status', '', 'acknowledged the consistency of tenants'),
  },
  'status.metric_data': {
    MetricResultsRecorded: ofTenant(counting('sent', 'metric result', 'to'), {
      amount: ({ results }) => (Array.isArray(results) ? results.length : 0),
    }),
  },
  'status.metric_sources': {
    MetricSourceConnected: ofTenant('connected the metric source of'),
    MetricSourceDisconnected: ofTenant('disconnected the metric source of'),
  },
  'status.notification_settings': {
    StatusNotificationsTurnedOn: ofTenant('turned on notifications of'),
    StatusNotificationsTurnedOff: ofTenant('turned off notifications of'),
  },
  'status.reports': changes('status', 'report', {
    ReportCreated: 'created',
    ReportRevised: 'changed',
    ReportDeleted: 'deleted',
    ReportMadePublic: 'made public',
    ReportMadePrivate: 'made private',
    NodeReportChosen: 'chose for the node',
  }),
  'status.recomputation': changes('status', 'recomputation', {
    RecomputationRequested: 'created',
    RecomputationRevised: 'changed',
    RecomputationStatusChanged: 'changed',
    RecomputationDeleted: 'deleted',
  }),
  ...STATUS_LISTS,
  'ops.keys': {
    ...changes('ops', 'key', { AccessKeyIssued: 'created', AccessKeyRevoked: 'deleted' }),
    AccessKeysListed: folded('ops', 'key', 'read the list of access keys', undefined, { read: true }),
    AccessKeyCallRefused: folded('ops', 'key', 'read no access keys, because the call was refused', undefined, { read: true }),
  },
  'ops.certificates': {
    CertificateBound: folded('ops', '', 'bound a certificate to', of('messaging', 'user', 'userId')),
    CertificateReleased: folded('ops', '', 'released a certificate'),
  },
  'ops.backups': { BackupRequested: folded('ops', '', 'began a backup') },
  'ops.audit': {
    PersonalDataRead: folded('ops', '', 'read personal data', undefined, { read: true }),
    AsOfRead: folded('ops', '', 'read the past', undefined, { read: true }),
  },
  'ops.erasures': {
    SubjectErased: folded('ops', '', (_count, { service, kind }) => `erased a ${wordsOf(String(kind))} of ${service}`, undefined, {
      times: true,
    }),
  },
  'ops.projections': {
    ProjectionEventSkipped: naming('ops', 'skipped an event of the projection', 'projection'),
    ProjectionResumeRequested: naming('ops', 'resumed the projection', 'projection'),
    ProjectionRebuildRequested: naming('ops', 'began a rebuild of the projection', 'projection'),
    ProjectionVerificationRequested: naming('ops', 'began a verification of the projection', 'projection'),
  },
};

const ALL = Object.values(STATEMENTS).flatMap((statements) => Object.entries(statements));

/** `undefined`: an event of this kind is in no list of changes. */
export const statementOf = ({ stream, type }: Pick<RecordedEvent, 'stream' | 'type'>): Statement | undefined => {
  const statements = STATEMENTS[categoryOf(stream)];
  return statements && Object.hasOwn(statements, type) ? statements[type] : undefined;
};

export type StatementFilter = Readonly<{ service?: string | undefined; kind?: string | undefined; reads: boolean }>;

export const passes = ({ service, kind, read }: Statement, filter: StatementFilter): boolean =>
  (filter.service === undefined || service === filter.service) &&
  (filter.kind === undefined || kind === filter.kind) &&
  (read === undefined || filter.reads);

/** Types of events that may pass. Some of another category may have such a type, too. */
export const typesOf = (filter: StatementFilter): readonly string[] => [
  ...new Set(ALL.filter(([, statement]) => passes(statement, filter)).map(([type]) => type)),
];

/** Kinds of records, by service. */
export const changedKinds = (): Readonly<Record<string, readonly string[]>> => {
  const kinds = new Map<string, Set<string>>();
  for (const [, { service, kind }] of ALL) if (kind !== '') getOrInsert(kinds, service, () => new Set()).add(kind);
  return Object.fromEntries([...kinds].map(([service, all]) => [service, [...all]]));
};
