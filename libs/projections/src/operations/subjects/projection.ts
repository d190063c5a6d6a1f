import { ACCESS_CATEGORY, type AccessEvent } from '#domain/accounting/access/access-events.js';
import {
  CATALOGUE_CATEGORY,
  type CatalogueEvent,
  PROJECT_CATEGORY,
  type ProjectRecordEvent,
} from '#domain/accounting/catalogue/catalogue-events.js';
import { ACCOUNTS_CATEGORY, type AccountEvent } from '#domain/messaging/accounts/account-events.js';
import { RESOURCES_CATEGORY } from '#domain/messaging/resources/resources.js';
import type { SubscriptionEvent } from '#domain/messaging/resources/subscriptions.js';
import { ERASURES_CATEGORY, type ErasableService, type SubjectErased, subjectOfRecord } from '#domain/operations/erasures.js';
import { categoryOf, type DomainEvent, type RecordedEvent } from '#domain/shared/events.js';
import { RECOMPUTATIONS_CATEGORY, type RecomputationEvent } from '#domain/status/recomputations/recomputations.js';
import { TENANTS_CATEGORY, type TenantEvent } from '#domain/status/tenants/tenants.js';
import type { DocumentChange } from '#projections/shared/projection.js';
import { type EventOf, reading, readModel } from '#projections/shared/read-model.js';
import {
  type EndingDocument,
  endings,
  endingsById,
  erasedBySubject,
  lastEndings,
  ofOwner,
  type RecordId,
  records,
  SUBJECTS,
  subjectCollections,
} from './documents.js';

type Pick1<E extends DomainEvent, Types extends E['type']> = Extract<E, { type: Types }>;
type Handled =
  | Pick1<AccountEvent, 'UserCreated' | 'UserDeleted' | 'ProjectDeleted'>
  | Pick1<AccountEvent, 'RegistrationSubmitted' | 'RegistrationAccepted' | 'RegistrationDeleted'>
  | Pick1<SubscriptionEvent, 'SubscriptionCreated' | 'SubscriptionDeleted'>
  | Pick1<AccessEvent, 'ClientRegistered' | 'OidcTenantCreated' | 'OidcTenantDeleted'>
  | Pick1<CatalogueEvent, 'ProjectDeleted'>
  | Pick1<ProjectRecordEvent, 'InstallationCreated' | 'InstallationDeleted'>
  | Pick1<TenantEvent, 'TenantRegistered' | 'TenantDeleted' | 'TenantUserAdded' | 'TenantUserRemoved'>
  | Pick1<RecomputationEvent, 'RecomputationRequested' | 'RecomputationDeleted'>
  | SubjectErased;
type Event<Type extends Handled['type']> = EventOf<Pick1<Handled, Type>>;

const keyOfPlace = ({ position }: Pick<RecordedEvent, 'position'>): string => `${position}`.padStart(20, '0');

const userOwner = (userId: string): string => `messaging-user-${userId}`;
const tenantOwner = (tenantId: string): string => `tenant-${tenantId}`;
const projectOwner = (projectId: string): string => `project-${projectId}`;
const accountingProjectOwner = (projectId: string): string => `accounting-project-${projectId}`;
/** The stream of a resource contains the id of its project. */
const projectIn = ({ stream }: Pick<RecordedEvent, 'stream'>): string => projectOwner(stream.slice(RESOURCES_CATEGORY.length + 1));

/** Adds a record. */
const created = (
  event: Pick<RecordedEvent, 'position'>,
  [service, kind, id]: readonly [ErasableService, string, string],
  owner: string | null,
) => {
  const document = { service, kind, id, subject: subjectOfRecord({ service, kind, id }), since: keyOfPlace(event), owner };
  return [records.put([service, kind, id], document), ...(owner === null ? [] : [ofOwner.put([owner, kind, id], document)])];
};

type Ending = Pick<EndingDocument, 'id' | 'service' | 'kind' | 'reason'> &
  Partial<Pick<EndingDocument, 'subject' | 'owner' | 'parts' | 'after'>>;

const ended = (event: Pick<RecordedEvent, 'position' | 'metadata'>, ending: Ending): readonly DocumentChange[] => {
  const at = keyOfPlace(event);
  const { actor, time } = event.metadata;
  return [
    endings.put(at, { subject: null, owner: null, parts: [], ...ending, at, requestedBy: actor.id, time }),
    endingsById.put(ending.id, at),
  ];
};

/** Removes a record that was deleted on its own. */
const deleted = (
  event: RecordedEvent | EventOf<Handled>,
  [service, kind, id]: readonly [ErasableService, string, string],
  owner: string | null,
) => [
  ...(owner === null ? [] : [ofOwner.remove([owner, kind, id])]),
  ...ended(event, { id: event.id, service, kind, reason: event.type, subject: subjectOfRecord({ service, kind, id }) }),
];

/** Only the acceptance of a registration contains its user. */
const ofRegistration = ({ data }: Event<'RegistrationDeleted'>) => ({
  record: records.at(['messaging', 'registration', data.registrationId] as RecordId),
});

/** Only the request of a recomputation contains its tenant. */
const ofRecomputation = ({ data }: Event<'RecomputationDeleted'>) => ({
  record: records.at(['status', 'recomputation', data.id] as RecordId),
});

/** Owner and kinds of the records that are erased with a record. */
const erasedWith = ({ service, kind, id }: Event<'SubjectErased'>['data']): Pick<Ending, 'owner' | 'parts'> => {
  if (service === 'status' && kind === 'tenant') return { owner: tenantOwner(id), parts: ['user', 'recomputation'] };
  return service === 'messaging' && kind === 'user' ? { owner: userOwner(id), parts: ['registration'] } : {};
};

/** Messaging and accounting have a type of this name. Only the ids of accounting may be those of an earlier project. */
const isOfAccounting = ({ stream }: Pick<RecordedEvent, 'stream'>): boolean => categoryOf(stream) === CATALOGUE_CATEGORY;

const projectDeleted = reading(
  (event: Event<'ProjectDeleted'>) => ({
    last: isOfAccounting(event) ? [lastEndings.at(accountingProjectOwner(event.data.projectId))] : [],
  }),
  (event, { last: [after] }) => {
    const { projectId } = event.data;
    const ending = { id: event.id, kind: 'project', reason: event.type };
    if (!isOfAccounting(event))
      return ended(event, { ...ending, service: 'messaging', owner: projectOwner(projectId), parts: ['subscription'] });
    const owner = accountingProjectOwner(projectId);
    const more = { service: 'accounting', owner, parts: ['installation'], ...(after !== undefined && { after }) } as const;
    return [...ended(event, { ...ending, ...more }), lastEndings.put(owner, keyOfPlace(event))];
  },
);

/** All records with personal data or secrets, and the events that erased them. It reads no sealed member, so it is the same after an erasure. */
export const subjectsProjection = readModel<Handled>(
  {
    name: SUBJECTS,
    version: 4,
    service: 'ops',
    categories: [
      ERASURES_CATEGORY,
      ACCOUNTS_CATEGORY,
      RESOURCES_CATEGORY,
      ACCESS_CATEGORY,
      CATALOGUE_CATEGORY,
      PROJECT_CATEGORY,
      TENANTS_CATEGORY,
      RECOMPUTATIONS_CATEGORY,
    ],
    collections: subjectCollections,
    // All events of a record are in one stream.
    partitionsOf: () => [],
  },
  {
    UserCreated: (event) => created(event, ['messaging', 'user', event.data.userId], null),
    UserDeleted: (event) => deleted(event, ['messaging', 'user', event.data.userId], null),
    RegistrationSubmitted: (event) => created(event, ['messaging', 'registration', event.data.registrationId], null),
    RegistrationAccepted: (event) => created(event, ['messaging', 'registration', event.data.registrationId], userOwner(event.data.userId)),
    RegistrationDeleted: reading(ofRegistration, (event: Event<'RegistrationDeleted'>, { record }) =>
      deleted(event, ['messaging', 'registration', event.data.registrationId], record?.owner ?? null),
    ),
    SubscriptionCreated: (event) => created(event, ['messaging', 'subscription', event.data.subscriptionId], projectIn(event)),
    SubscriptionDeleted: (event) =>
      event.data.pushed
        ? deleted(event, ['messaging', 'subscription', event.data.subscriptionId], projectIn(event))
        : [ofOwner.remove([projectIn(event), 'subscription', event.data.subscriptionId])],
    ProjectDeleted: projectDeleted,
    InstallationCreated: (event) =>
      created(event, ['accounting', 'installation', event.data.installationId], accountingProjectOwner(event.data.projectId)),
    InstallationDeleted: (event) =>
      deleted(event, ['accounting', 'installation', event.data.installationId], accountingProjectOwner(event.data.projectId)),
    ClientRegistered: (event) => created(event, ['accounting', 'client', event.data.actorId], null),
    OidcTenantCreated: (event) => created(event, ['accounting', 'oidc_tenant', event.data.oidcTenantId], null),
    OidcTenantDeleted: (event) => deleted(event, ['accounting', 'oidc_tenant', event.data.oidcTenantId], null),
    TenantRegistered: (event) => created(event, ['status', 'tenant', event.data.tenantId], null),
    TenantDeleted: (event) =>
      ended(event, {
        id: event.id,
        service: 'status',
        kind: 'tenant',
        reason: event.type,
        subject: subjectOfRecord({ service: 'status', kind: 'tenant', id: event.data.tenantId }),
        owner: tenantOwner(event.data.tenantId),
        parts: ['user', 'recomputation'],
      }),
    TenantUserAdded: (event) => created(event, ['status', 'user', event.data.userId], tenantOwner(event.data.tenantId)),
    TenantUserRemoved: (event) => deleted(event, ['status', 'user', event.data.userId], tenantOwner(event.data.tenantId)),
    RecomputationRequested: (event) => created(event, ['status', 'recomputation', event.data.id], tenantOwner(event.data.tenantId)),
    RecomputationDeleted: reading(ofRecomputation, (event: Event<'RecomputationDeleted'>, { record }) =>
      deleted(event, ['status', 'recomputation', event.data.id], record?.owner ?? null),
    ),
    SubjectErased: (event) => {
      const { erasureId, service, kind, subject, reason } = event.data;
      return [
        ...ended(event, { id: erasureId, service, kind, reason, subject, ...erasedWith(event.data) }),
        erasedBySubject.put(subject, erasureId),
      ];
    },
  },
);
