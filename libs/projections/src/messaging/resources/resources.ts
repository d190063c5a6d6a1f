import { ACCOUNTS_CATEGORY, type AccountEvent } from '#domain/messaging/accounts/account-events.js';
import {
  RESOURCES_CATEGORY,
  type ResourceEvent,
  type SchemaEvent,
  type SubscriptionEvent,
  subscriptionSubject,
  type TopicEvent,
} from '#domain/messaging/resources/resource-events.js';
import { orderOf, wireInstant } from '#projections/messaging/layout.js';
import { PROJECT, projectOfEvent } from '#projections/messaging/partitions.js';
import { defineProjection, type EventOf } from '#projections/shared/define.js';
import { keyOf } from '#projections/shared/key-part.js';
import { firstPart, ownedBy } from '#projections/shared/partitions.js';
import {
  type DocumentChange,
  type DocumentKey,
  type Projection,
  put,
  type ReadDocument,
  remove,
  removePrefix,
  type Sealing,
} from '#projections/shared/projection.js';
import {
  resourceCollections as collections,
  RESOURCES_PROJECTION,
  type Resource,
  resourceKey,
  type SchemaDocument,
  type SubscriptionDocument,
  type TopicDocument,
  type TotalsDocument,
  userEntryKey,
} from './resource-documents.js';

type ProjectDeleted = Extract<AccountEvent, { type: 'ProjectDeleted' }>;

type AnyDocument = TopicDocument | SubscriptionDocument | SchemaDocument;

/** One kind of resource: the places where its documents are kept, and where those whose ACL has a user are noted. */
type Kind = Readonly<{ byName: string; byId: string; inOrder: string }>;
type KindWithAcl = Kind & Readonly<{ ofUser: string; total: keyof TotalsDocument }>;
const TOPICS: KindWithAcl = {
  byName: collections.topics,
  byId: collections.topicsById,
  inOrder: collections.topicsInOrder,
  ofUser: collections.topicsOfUser,
  total: 'topics',
};
const SUBSCRIPTIONS: KindWithAcl = {
  byName: collections.subscriptions,
  byId: collections.subscriptionsById,
  inOrder: collections.subscriptionsInOrder,
  ofUser: collections.subscriptionsOfUser,
  total: 'subscriptions',
};
const SCHEMAS: Kind = { byName: collections.schemas, byId: collections.schemasById, inOrder: collections.schemasInOrder };

/** Push settings hold credentials of endpoints. */
const PUSH: Sealing = [{ path: 'push', subject: ({ document }) => subscriptionSubject(document.subscriptionId), erased: 'null' }];

const written = (kind: Kind, projectId: string, id: string, document: AnyDocument): DocumentChange[] => [
  put(kind.byName, resourceKey(projectId, document.name), document),
  put(kind.byId, resourceKey(projectId, id), document),
  put(kind.inOrder, keyOf(projectId, document.order), document),
];
const removed = (kind: Kind, projectId: string, id: string, { name, order }: Resource): DocumentChange[] => [
  remove(kind.byName, resourceKey(projectId, name)),
  remove(kind.byId, resourceKey(projectId, id)),
  remove(kind.inOrder, keyOf(projectId, order)),
];

const counted = (read: ReadDocument, projectId: string, { total }: KindWithAcl, change: 1 | -1): DocumentChange => {
  const totals = (read(collections.totals, projectId) ?? { topics: 0, subscriptions: 0 }) as TotalsDocument;
  return put(collections.totals, projectId, { ...totals, [total]: totals[total] + change });
};

/** The ACL of a topic or subscription from now on; what has not changed is left alone. */
const aclReplaced = (
  read: ReadDocument,
  projectId: string,
  kind: KindWithAcl,
  id: string,
  document: Resource,
  users: readonly string[],
): DocumentChange[] => {
  const key = resourceKey(projectId, id);
  const before = (read(collections.acls, key) ?? []) as readonly string[];
  const [old, current] = [new Set(before), new Set(users)];
  return [
    users.length > 0 ? put(collections.acls, key, users) : remove(collections.acls, key),
    ...before.filter((user) => !current.has(user)).map((user) => remove(kind.ofUser, userEntryKey(projectId, user, document))),
    ...users.filter((user) => !old.has(user)).map((user) => put(kind.ofUser, userEntryKey(projectId, user, document), document.name)),
  ];
};

const projectOf = (stream: string): string => stream.slice(RESOURCES_CATEGORY.length + 1);

/** When a resource of this event was created, and so its place among the others. */
const origin = ({ revision, metadata }: EventOf<ResourceEvent>): Pick<Resource, 'createdOn' | 'order'> => ({
  createdOn: wireInstant(metadata.time),
  order: orderOf(revision),
});

const applyToTopic = (event: EventOf<TopicEvent>, read: ReadDocument): readonly DocumentChange[] => {
  const projectId = projectOf(event.stream);
  const { topicId } = event.data;
  if (event.type === 'TopicCreated') {
    const { name, schemaId } = event.data;
    const topic: TopicDocument = { topicId, name, schemaId, ...origin(event) };
    return [...written(TOPICS, projectId, topicId, topic), counted(read, projectId, TOPICS, 1)];
  }
  const topic = read(collections.topicsById, resourceKey(projectId, topicId)) as TopicDocument | undefined;
  if (!topic) return []; // the project was deleted in the meantime
  switch (event.type) {
    case 'TopicDeleted':
      return [
        ...removed(TOPICS, projectId, topicId, topic),
        ...aclReplaced(read, projectId, TOPICS, topicId, topic, []),
        counted(read, projectId, TOPICS, -1),
      ];
    case 'TopicSchemaAttached':
      return written(TOPICS, projectId, topicId, { ...topic, schemaId: event.data.schemaId });
    case 'TopicSchemaDetached':
      return written(TOPICS, projectId, topicId, { ...topic, schemaId: null });
    case 'TopicAclReplaced':
      return aclReplaced(read, projectId, TOPICS, topicId, topic, event.data.users);
  }
};

const subscriptionWritten = (projectId: string, subscription: SubscriptionDocument): DocumentChange[] => {
  const { subscriptionId, push } = subscription;
  const key = resourceKey(projectId, subscriptionId);
  return [
    ...written(SUBSCRIPTIONS, projectId, subscriptionId, subscription),
    push?.verified ? put(collections.subscriptionsPushed, key, subscription) : remove(collections.subscriptionsPushed, key),
  ];
};

const topicEntryKey = (projectId: string, { topic, order }: SubscriptionDocument): string => keyOf(projectId, topic, order);

const subscriptionCreated = (
  event: EventOf<Extract<SubscriptionEvent, { type: 'SubscriptionCreated' }>>,
  read: ReadDocument,
): readonly DocumentChange[] => {
  const projectId = projectOf(event.stream);
  const { subscriptionId, name, topic, topicId, startOffset, ackDeadlineSeconds, push } = event.data;
  const subscription = { subscriptionId, name, topic, topicId, startOffset, ackDeadlineSeconds, push, ...origin(event) };
  return [
    ...subscriptionWritten(projectId, subscription),
    put(collections.subscriptionsOfTopic, topicEntryKey(projectId, subscription), name),
    counted(read, projectId, SUBSCRIPTIONS, 1),
  ];
};

const applyToSubscription = (event: EventOf<SubscriptionEvent>, read: ReadDocument): readonly DocumentChange[] => {
  if (event.type === 'SubscriptionCreated') return subscriptionCreated(event, read);
  const projectId = projectOf(event.stream);
  const { subscriptionId } = event.data;
  const key = resourceKey(projectId, subscriptionId);
  const subscription = read(collections.subscriptionsById, key) as SubscriptionDocument | undefined;
  if (!subscription) return []; // the project was deleted in the meantime
  const { push } = subscription;
  switch (event.type) {
    case 'SubscriptionDeleted':
      return [
        ...removed(SUBSCRIPTIONS, projectId, subscriptionId, subscription),
        remove(collections.subscriptionsPushed, key),
        remove(collections.subscriptionsOfTopic, topicEntryKey(projectId, subscription)),
        ...aclReplaced(read, projectId, SUBSCRIPTIONS, subscriptionId, subscription, []),
        counted(read, projectId, SUBSCRIPTIONS, -1),
      ];
    case 'AckDeadlineModified':
      return subscriptionWritten(projectId, { ...subscription, ackDeadlineSeconds: event.data.ackDeadlineSeconds });
    case 'PushConfigurationReplaced':
      return subscriptionWritten(projectId, { ...subscription, push: event.data.push });
    case 'PushEndpointVerified':
      return subscriptionWritten(projectId, { ...subscription, push: push && { ...push, verified: true } });
    case 'SubscriptionAclReplaced':
      return aclReplaced(read, projectId, SUBSCRIPTIONS, subscriptionId, subscription, event.data.users);
  }
};

const applyToSchema = (event: EventOf<SchemaEvent>, read: ReadDocument): readonly DocumentChange[] => {
  const projectId = projectOf(event.stream);
  const { schemaId } = event.data;
  if (event.type === 'SchemaCreated') {
    const { name, type, document } = event.data;
    const schema: SchemaDocument = { schemaId, name, type, document, ...origin(event) };
    return written(SCHEMAS, projectId, schemaId, schema);
  }
  const schema = read(collections.schemasById, resourceKey(projectId, schemaId)) as SchemaDocument | undefined;
  if (!schema) return []; // the project was deleted in the meantime
  if (event.type === 'SchemaDeleted') return removed(SCHEMAS, projectId, schemaId, schema);
  const { name, type, document } = event.data;
  return [...removed(SCHEMAS, projectId, schemaId, schema), ...written(SCHEMAS, projectId, schemaId, { ...schema, name, type, document })];
};

const projectDeleted = (projectId: string): readonly DocumentChange[] => [
  ...Object.values(collections).map((collection) => removePrefix(collection, `${projectId}/`)),
  remove(collections.totals, projectId),
];

/** The documents that an event of a topic or subscription changes. */
const documentsOf = (event: EventOf<TopicEvent | SubscriptionEvent>, byId: string, id: string): readonly DocumentKey[] => {
  const projectId = projectOf(event.stream);
  const totals = { collection: collections.totals, key: projectId };
  const key = resourceKey(projectId, id);
  if (event.type === 'TopicCreated' || event.type === 'SubscriptionCreated') return [totals];
  return [totals, { collection: byId, key }, { collection: collections.acls, key }];
};

type Apply = (read: ReadDocument) => readonly DocumentChange[];
type Plan = Readonly<{ reads: readonly DocumentKey[]; apply: Apply }>;

/** What an event reads and does, by its kind. */
const planOf = (event: EventOf<ResourceEvent | ProjectDeleted>): Plan => {
  switch (event.type) {
    case 'ProjectDeleted':
      return { reads: [], apply: () => projectDeleted(event.data.projectId) };
    case 'TopicCreated':
    case 'TopicDeleted':
    case 'TopicSchemaAttached':
    case 'TopicSchemaDetached':
    case 'TopicAclReplaced':
      return { reads: documentsOf(event, collections.topicsById, event.data.topicId), apply: (read) => applyToTopic(event, read) };
    case 'SubscriptionCreated':
    case 'SubscriptionDeleted':
    case 'AckDeadlineModified':
    case 'PushConfigurationReplaced':
    case 'PushEndpointVerified':
    case 'SubscriptionAclReplaced':
      return {
        reads: documentsOf(event, collections.subscriptionsById, event.data.subscriptionId),
        apply: (read) => applyToSubscription(event, read),
      };
    case 'SchemaCreated':
    case 'SchemaRevised':
    case 'SchemaDeleted':
      return {
        reads: [{ collection: collections.schemasById, key: resourceKey(projectOf(event.stream), event.data.schemaId) }],
        apply: (read) => applyToSchema(event, read),
      };
  }
};

/** Topics, subscriptions and schemas of every project, as {@link resourceCollections} says. */
export const resourcesProjection: Projection = defineProjection<ResourceEvent | ProjectDeleted>({
  name: RESOURCES_PROJECTION,
  version: 2,
  service: 'messaging',
  categories: [RESOURCES_CATEGORY, ACCOUNTS_CATEGORY],
  handles: [
    'TopicCreated',
    'TopicDeleted',
    'TopicSchemaAttached',
    'TopicSchemaDetached',
    'TopicAclReplaced',
    'SubscriptionCreated',
    'SubscriptionDeleted',
    'AckDeadlineModified',
    'PushConfigurationReplaced',
    'PushEndpointVerified',
    'SubscriptionAclReplaced',
    'SchemaCreated',
    'SchemaRevised',
    'SchemaDeleted',
    'ProjectDeleted',
  ],
  sealed: Object.fromEntries(
    [SUBSCRIPTIONS.byName, SUBSCRIPTIONS.byId, SUBSCRIPTIONS.inOrder, collections.subscriptionsPushed].map((collection) => [
      collection,
      PUSH,
    ]),
  ),
  partitions: { ofEvent: projectOfEvent, owners: ownedBy(firstPart(PROJECT), Object.values(collections)) },
  reads: (event) => planOf(event).reads,
  apply: (event, read) => planOf(event).apply(read),
});
