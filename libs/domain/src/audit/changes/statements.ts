import { accountingCatalogues } from '#domain/accounting/index.js';
import { pairsOf } from '#domain/messaging/deliveries/ranges.js';
import { messagingCatalogues } from '#domain/messaging/index.js';
import { ACCESS_KEYS_CATEGORY, accessKeyEvents } from '#domain/operations/access-keys.js';
import type { EventCatalogue } from '#domain/shared/catalogue.js';
import { type Actor, categoryOf, type JsonObject, type RecordedEvent } from '#domain/shared/events.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { type ResourceReference, streamId, text } from '#domain/shared/resource-change.js';
import { categoryOfDated } from '#domain/status/dated-records/dated-records.js';
import { categoryOfDayList } from '#domain/status/day-lists/day-lists.js';
import { datedResources, dayLists, statusCatalogues } from '#domain/status/index.js';
import { articleOf, wordsOf } from './names.js';

/** Sentence that an event of a type makes in the list of changes (console contract 6): `<actor> <says> the <kind> <record> in <place>`. */
export type Statement = Readonly<{
  service: string;
  /** Kind by which changes are filtered. */
  kind: string;
  /** Words from the actor up to the record. `count`: of what is folded, or as much as has been counted of it (`isLeast`). */
  says: (count: number, data: JsonObject, isLeast?: boolean, actor?: Actor) => string;
  /** The count is said at the end of the sentence. */
  times?: true;
  /** Record that a folded event is about, and the place it is in. Default: none. */
  about?: (event: RecordedEvent) => ResourceReference;
  /** Changes no record: events of an actor, record and minute are one item. */
  folded?: true;
  /** Amount that a folded event stands for. Default: 1. */
  amount?: (data: JsonObject) => number;
  /** A folded event that stands in one stream with all that are folded with it: the index counts them. */
  countedByStream?: true;
  /** A snapshot of a dated record, which counts from a day on. */
  dated?: true;
  /** A read: hidden unless reads are asked for. */
  read?: true;
  /** Messages that go through the messaging service: can be hidden. */
  traffic?: true;
}>;

/** Verb of a change of a record, which may depend on the event's data. */
type Verb = string | ((data: JsonObject) => string);

const figures = new Intl.NumberFormat('en');

/** `2,400`, or `at least 2,400` */
export const countText = (count: number, isLeast = false): string => `${isLeast ? 'at least ' : ''}${figures.format(count)}`;

/** `published 2 messages to` */
const counting =
  (before: string, noun: string, behind: string): Statement['says'] =>
  (count, _data, isLeast) =>
    `${before} ${countText(count, isLeast)} ${noun}${count === 1 ? '' : 's'} ${behind}`;

/** An event that changes no record. */
const folded = (
  service: string,
  kind: string,
  says: Statement['says'] | string,
  about?: Statement['about'],
  more: Pick<Statement, 'amount' | 'countedByStream' | 'read' | 'times' | 'traffic'> = {},
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
  (service: string, kind: string, member: string) =>
  ({ data }: RecordedEvent): ResourceReference => ({ service, kind, id: text(data, member) });

const tenant = of('status', 'tenant', 'tenantId');
const ofTenant = (says: Statement['says'] | string, more: Pick<Statement, 'amount'> = {}): Statement =>
  folded('status', 'tenant', says, tenant, more);
const byStream = { countedByStream: true } as const;
const traffic = { ...byStream, traffic: true } as const;

/** `pulled messages 2 times from`. `ofPush`: words for the worker that pushes, if they differ. */
const subscription = (words: string, behind = 'of', more: typeof byStream | typeof traffic = traffic, ofPush = words): Statement => {
  const says: Statement['says'] = (count, _data, isLeast, actor) =>
    `${actor?.kind === 'system' && actor.id === 'push' ? ofPush : words}${count === 1 ? '' : ` ${countText(count, isLeast)} times`} ${behind}`;
  return folded('messaging', 'subscription', says, inProject('subscription'), more);
};

const usage = (verb: string, behind: string): Statement =>
  folded('accounting', 'metric', counting(verb, 'usage metric', behind), of('accounting', 'installation', 'installationId'));

/** A read that is on record. */
const read = (words: string, kind = ''): Statement => folded('ops', kind, words, undefined, { read: true, countedByStream: true });

const erased = (words: string, service: string): string => `erased ${articleOf(words)} ${words} of ${service}`;

/** An event that names what it is about, which is no record. */
const naming = (service: string, words: string, member: string): Statement =>
  folded(service, '', (_count, data) => `${words} ${text(data, member)}`, undefined, { times: true });

/** Verbs of a dated record: its first snapshot creates it. */
const DATED = Object.fromEntries(
  datedResources.map((resource): [string, Readonly<Record<string, Verb>>] => [
    categoryOfDated(resource),
    { [resource.events.dated]: ({ change }) => (change === 'created' ? 'created' : 'changed') },
  ]),
);

/** A list of a day has any number of records, so the sentence is about the list. */
const LISTS = Object.fromEntries(
  dayLists.map((list) => {
    const { kind, events } = list;
    const says = (verb: (data: JsonObject) => string): Statement => ({ service: 'status', kind, says: (_count, data) => verb(data) });
    const listed = says(({ replaces }) => (replaces === undefined ? 'created' : 'changed'));
    return [categoryOfDayList(list), { [events.listed]: listed, [events.deleted]: says(() => 'deleted') }];
  }),
);

/**
 * By category of streams: verbs of changes of a record that are not just `created`, `changed` or `deleted`, and whole statements of events that change
 * none. An event that changes no record and is not listed is bookkeeping of the server: nobody made a change.
 */
const OWN: Readonly<Record<string, Readonly<Record<string, Verb | Statement>>>> = {
  'messaging.accounts': {
    UserTokenRefreshed: 'changed the token of',
    MemberAdded: 'added',
    MemberRolesReplaced: 'changed the roles of',
    MemberRemoved: 'removed',
    RegistrationAccepted: 'accepted',
    RegistrationDeclined: 'declined',
  },
  'messaging.resources': {
    TopicAclReplaced: folded('messaging', 'topic', 'changed the access to', inProject('topic', 'topicId')),
    DeadLettersRedriven: folded('messaging', 'topic', counting('redrove', 'dead letter', 'of'), inProject('topic', 'topicId'), {
      amount: ({ messages }) =>
        Array.isArray(messages) ? [...pairsOf(messages.map(Number))].reduce((sum, [from, to]) => sum + to - from, 0) : 0,
    }),
    SubscriptionAclReplaced: folded('messaging', 'subscription', 'changed the access to', inProject('subscription', 'subscriptionId')),
  },
  'messaging.messages': {
    MessagePublished: folded('messaging', 'topic', counting('published', 'message', 'to'), inProject('topic'), traffic),
  },
  'messaging.cursor': {
    BatchDelivered: subscription('pulled messages', 'from', traffic, 'tried to push messages'),
    BatchAcknowledged: subscription('acknowledged messages'),
    OffsetModified: subscription('moved the position', 'of', byStream),
  },
  'messaging.deliveries': {
    DeliveriesRecorded: subscription('pulled messages', 'from'),
    DeliveriesSettled: subscription('acknowledged messages'),
    DeliveriesSought: subscription('moved the position', 'of', byStream),
  },
  'accounting.access': {
    EntitlementAssigned: folded('accounting', 'entitlement', 'assigned', of('accounting', 'entitlement', 'entitlementId')),
    EntitlementDissociated: folded('accounting', 'entitlement', 'took away', of('accounting', 'entitlement', 'entitlementId')),
    SettingChanged: naming('accounting', 'changed the setting', 'key'),
  },
  'accounting.catalogue': { CatalogueProviderImported: 'imported' },
  'accounting.project': {
    ProviderAssociated: folded('accounting', 'provider', 'added', of('accounting', 'provider', 'providerId')),
    ProviderDissociated: folded('accounting', 'provider', 'removed', of('accounting', 'provider', 'providerId')),
  },
  'accounting.metric': {
    MetricRecorded: usage('recorded', 'of'),
    MetricRevised: usage('changed', 'of'),
    MetricRemoved: usage('deleted', 'of'),
  },
  'status.tenants': {
    TenantUserKeyRenewed: 'renewed the key of',
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
  'status.recomputation': {
    RecomputationRequested: 'asked for',
    RecomputationStatusChanged: ({ status }) =>
      ({ approved: 'approved', rejected: 'rejected', running: 'began', done: 'completed' })[String(status)] ?? 'reset',
  },
  'status.reports': {
    ReportMadePublic: 'gave public access to',
    ReportMadePrivate: 'ended public access to',
    NodeReportChosen: 'chose for the node',
  },
  ...DATED,
  ...LISTS,
  'ops.keys': {
    AccessKeysListed: read('read the list of access keys', 'key'),
    AccessKeyCallRefused: read('read no access keys, because the call was refused', 'key'),
  },
  'ops.certificates': {
    CertificateBound: folded('ops', '', 'bound a certificate to', of('messaging', 'user', 'userId')),
    CertificateReleased: folded('ops', '', 'released a certificate'),
  },
  'ops.backups': { BackupRequested: folded('ops', '', 'began a backup') },
  'ops.audit': {
    PersonalDataRead: read('read personal data'),
    AsOfRead: read('read the past'),
    MessageDataRead: folded('ops', '', 'read the data of a message in', inProject('topic', 'topicId'), { read: true }),
  },
  'ops.erasures': {
    SubjectErased: folded('ops', '', (_count, { service, kind }) => erased(wordsOf(String(kind)), String(service)), undefined, {
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

const CATALOGUES: Readonly<Record<string, EventCatalogue>> = {
  ...messagingCatalogues,
  ...accountingCatalogues,
  ...statusCatalogues,
  [ACCESS_KEYS_CATEGORY]: accessKeyEvents,
};

const BEGINS = /(Created|Registered|Requested|Submitted|Issued|UserAdded)$/;

/** The statement of a type that changes records, by the records that it changes in an event without data. */
const ofChange = (category: string, type: string, own?: Verb): Statement | undefined => {
  const [change] = CATALOGUES[category]?.[type]?.resource?.({ stream: `${category}-`, type, data: { id: '' } }) ?? [];
  if (!change) return undefined;
  const verb = own ?? (change.ends ? 'deleted' : BEGINS.test(type) ? 'created' : 'changed');
  const says: Statement['says'] = typeof verb === 'string' ? () => verb : (_, data) => verb(data);
  return { service: change.service, kind: change.kind, says, ...(DATED[category]?.[type] && { dated: true }) };
};

const STATEMENTS: ReadonlyMap<string, ReadonlyMap<string, Statement>> = new Map(
  [...new Set([...Object.keys(CATALOGUES), ...Object.keys(OWN)])].map((category) => {
    const own = OWN[category] ?? {};
    const statements = new Map<string, Statement>();
    for (const type of new Set([...Object.keys(CATALOGUES[category] ?? {}), ...Object.keys(own)])) {
      const said = own[type];
      const statement = typeof said === 'object' ? said : ofChange(category, type, said);
      if (statement) statements.set(type, statement);
    }
    return [category, statements];
  }),
);

const ALL = [...STATEMENTS.values()].flatMap((statements) => [...statements]);

/** `undefined`: an event of this kind is in no list of changes. */
export const statementOf = ({ stream, type }: Pick<RecordedEvent, 'stream' | 'type'>): Statement | undefined =>
  STATEMENTS.get(categoryOf(stream))?.get(type);

/** Statement of an event that is in no list of changes, for a list of a whole conversation. */
export const bookkeeping = ({ type, metadata }: Pick<RecordedEvent, 'type' | 'metadata'>): Statement =>
  folded(metadata.service, '', `recorded ${type}`);

export type StatementFilter = Readonly<{ service?: string | undefined; kind?: string | undefined; reads: boolean; traffic: boolean }>;

export const passes = ({ service, kind, read, traffic: isTraffic }: Statement, filter: StatementFilter): boolean =>
  (filter.service === undefined || service === filter.service) &&
  (filter.kind === undefined || kind === filter.kind) &&
  (read === undefined || filter.reads) &&
  (isTraffic === undefined || filter.traffic);

/** Types of events that may pass. Some of another category may have such a type, too. */
export const typesOf = (filter: StatementFilter, among = (_statement: Statement): boolean => true): readonly string[] => [
  ...new Set(ALL.filter(([, statement]) => passes(statement, filter) && among(statement)).map(([type]) => type)),
];

/** Whether it takes reading all events that are folded to count them. */
export const isCountedByReading = ({ folded: isFolded, countedByStream }: Statement): boolean => isFolded === true && !countedByStream;

/** Kinds of records, by service. */
export const changedKinds = (): Readonly<Record<string, readonly string[]>> => {
  const kinds = new Map<string, Set<string>>();
  for (const [, { service, kind }] of ALL) if (kind !== '') getOrInsert(kinds, service, () => new Set()).add(kind);
  return Object.fromEntries([...kinds].map(([service, all]) => [service, [...all]]));
};
