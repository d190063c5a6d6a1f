import { ACCOUNTS_CATEGORY, ACCOUNTS_STREAM, type AccountEvent } from '#domain/messaging/accounts/account-events.js';
import { addRange, pairsOf } from '#domain/messaging/deliveries/ranges.js';
import type { PushConfiguration } from '#domain/messaging/push/push-configuration.js';
import { RESOURCES_CATEGORY, type ResourceEvent, resourcesStream } from '#domain/messaging/resources/resources.js';
import { orderOf, wireInstant } from '#projections/messaging/layout.js';
import { projectOfEvent } from '#projections/messaging/partitions.js';
import { isErased } from '#projections/shared/erased.js';
import type { DocumentChange } from '#projections/shared/projection.js';
import { type EventOf, type Handler, ofProjects, reading, readModel } from '#projections/shared/read-model.js';
import {
  acls,
  RESOURCES,
  type Resource,
  redriven,
  redrivenBlock,
  redrivenBlockStart,
  resourceCollections,
  type SchemaDocument,
  type SubscriptionDocument,
  schemas,
  subscriptions,
  type TopicDocument,
  type TotalsDocument,
  topics,
  totals,
} from './documents.js';

type ProjectDeleted = Extract<AccountEvent, { type: 'ProjectDeleted' }>;
type Event<Type extends ResourceEvent['type']> = EventOf<Extract<ResourceEvent, { type: Type }>>;

/** An event about one topic, subscription or schema. */
type About<Id extends string, Data> = Readonly<{ stream: string; data: Data & Readonly<Record<Id, string>> }>;

type Changes = readonly DocumentChange[];

const projectOf = ({ stream }: Readonly<{ stream: string }>): string => stream.slice(RESOURCES_CATEGORY.length + 1);

/** Creation time and order of a resource that this event creates. */
const origin = ({ revision, metadata }: Event<ResourceEvent['type']>): Pick<Resource, 'createdOn' | 'order'> => ({
  createdOn: wireInstant(metadata.time),
  order: orderOf(revision),
});

const counted = (projectId: string, before: TotalsDocument | undefined, kind: keyof TotalsDocument, change: 1 | -1): DocumentChange => {
  const known = before ?? { topics: 0, subscriptions: 0 };
  return totals.put(projectId, { ...known, [kind]: known[kind] + change });
};

/** Replaces the ACL of a topic or subscription. Unchanged entries are not written. */
const aclReplaced = (
  { ofUser }: Pick<typeof topics, 'ofUser'>,
  [projectId, id]: readonly [projectId: string, id: string],
  { name, order }: Resource,
  [before = [], users]: readonly [before: readonly string[] | undefined, users: readonly string[]],
): Changes => {
  const [old, current] = [new Set(before), new Set(users)];
  return [
    users.length > 0 ? acls.put([projectId, id], users) : acls.remove([projectId, id]),
    ...before.filter((user) => !current.has(user)).map((user) => ofUser.remove([projectId, user, order])),
    ...users.filter((user) => !old.has(user)).map((user) => ofUser.put([projectId, user, order], name)),
  ];
};

const topicWritten = (projectId: string, topic: TopicDocument): Changes => [
  topics.byName.put([projectId, topic.name], topic),
  topics.byId.put([projectId, topic.topicId], topic),
  topics.inOrder.put([projectId, topic.order], topic),
];

/** Handler of a topic's change. Ignored if the project was deleted meanwhile. */
const topicChanged = <Data>(change: (topic: TopicDocument, data: Data) => TopicDocument): Handler<About<'topicId', Data>> =>
  reading(
    (event: About<'topicId', Data>) => ({ topic: topics.byId.at([projectOf(event), event.data.topicId]) }),
    (event, { topic }) => (topic ? topicWritten(projectOf(event), change(topic, event.data)) : []),
  );

/** The blocks that have some of these ranges. */
const redrivenBlocksOf = (messages: readonly number[]): readonly number[] => {
  const blocks = new Set<number>();
  for (const [from, to] of pairsOf(messages)) {
    for (let block = redrivenBlock(from); redrivenBlockStart(block) < to; block += 1) blocks.add(block);
  }
  return [...blocks];
};

const topicHandlers = {
  TopicCreated: reading(
    (event: Event<'TopicCreated'>) => ({ count: totals.at(projectOf(event)) }),
    (event, { count }) => {
      const { topicId, name, schemaId, settings } = event.data;
      const projectId = projectOf(event);
      const topic = { topicId, name, schemaId, ...(settings && { settings }), ...origin(event) };
      return [...topicWritten(projectId, topic), counted(projectId, count, 'topics', 1)];
    },
  ),
  TopicDeleted: reading(
    (event: Event<'TopicDeleted'>) => {
      const [projectId, { topicId }] = [projectOf(event), event.data];
      return { topic: topics.byId.at([projectId, topicId]), acl: acls.at([projectId, topicId]), count: totals.at(projectId) };
    },
    (event, { topic, acl, count }) => {
      if (!topic) return [];
      const projectId = projectOf(event);
      const { topicId, name, order } = topic;
      return [
        topics.byName.remove([projectId, name]),
        topics.byId.remove([projectId, topicId]),
        topics.inOrder.remove([projectId, order]),
        ...aclReplaced(topics, [projectId, topicId], topic, [acl, []]),
        redriven.removeUnder(`${projectId}/${topicId}/`),
        counted(projectId, count, 'topics', -1),
      ];
    },
  ),
  TopicSchemaAttached: topicChanged((topic, { schemaId }: Event<'TopicSchemaAttached'>['data']) => ({ ...topic, schemaId })),
  TopicSchemaDetached: topicChanged((topic) => ({ ...topic, schemaId: null })),
  TopicSettingsReplaced: topicChanged((topic, { settings }: Event<'TopicSettingsReplaced'>['data']) => ({ ...topic, settings })),
  TopicAclReplaced: reading(
    (event: Event<'TopicAclReplaced'>) => {
      const id = [projectOf(event), event.data.topicId] as const;
      return { topic: topics.byId.at(id), acl: acls.at(id) };
    },
    (event, { topic, acl }) => {
      const { topicId, users } = event.data;
      return topic ? aclReplaced(topics, [projectOf(event), topicId], topic, [acl, users]) : [];
    },
  ),
  DeadLettersRedriven: reading(
    (event: Event<'DeadLettersRedriven'>) => {
      const [projectId, { topicId, messages }] = [projectOf(event), event.data];
      return {
        topic: topics.byId.at([projectId, topicId]),
        known: redrivenBlocksOf(messages).map((block) => redriven.at([projectId, topicId, block])),
      };
    },
    (event, { topic, known }) => {
      if (!topic) return [];
      const { topicId, messages } = event.data;
      return redrivenBlocksOf(messages).map((block, at) => {
        const ranges = [...(known[at] ?? [])];
        const [start, end] = [redrivenBlockStart(block), redrivenBlockStart(block + 1)];
        for (const [from, to] of pairsOf(messages)) addRange(ranges, Math.max(from, start), Math.min(to, end));
        return redriven.put([projectOf(event), topicId, block], ranges);
      });
    },
  ),
};

/** A build cannot know whether erased settings were verified, so all have a document. */
const pushedAs = (subscription: SubscriptionDocument, push: PushConfiguration): SubscriptionDocument =>
  isErased(push) || push.verified ? subscription : { ...subscription, push: null };

const subscriptionWritten = (projectId: string, subscription: SubscriptionDocument): Changes => {
  const { subscriptionId, name, order, push } = subscription;
  return [
    subscriptions.byName.put([projectId, name], subscription),
    subscriptions.byId.put([projectId, subscriptionId], subscription),
    subscriptions.inOrder.put([projectId, order], subscription),
    push
      ? subscriptions.pushed.put([projectId, subscriptionId], pushedAs(subscription, push))
      : subscriptions.pushed.remove([projectId, subscriptionId]),
  ];
};

/** Handler of a subscription's change. Ignored if the project was deleted meanwhile. */
const subscriptionChanged = <Data>(
  change: (subscription: SubscriptionDocument, data: Data) => SubscriptionDocument,
): Handler<About<'subscriptionId', Data>> =>
  reading(
    (event: About<'subscriptionId', Data>) => ({
      subscription: subscriptions.byId.at([projectOf(event), event.data.subscriptionId]),
    }),
    (event, { subscription }) => (subscription ? subscriptionWritten(projectOf(event), change(subscription, event.data)) : []),
  );

const subscriptionHandlers = {
  SubscriptionCreated: reading(
    (event: Event<'SubscriptionCreated'>) => ({ count: totals.at(projectOf(event)) }),
    (event, { count }) => {
      const projectId = projectOf(event);
      const { subscriptionId, name, topic, topicId, startOffset, ackDeadlineSeconds, push, options } = event.data;
      const { expiresAfterSeconds } = options ?? {};
      const asked = { ackDeadlineSeconds, push, ...(options && { options }) };
      const subscription = { subscriptionId, name, topic, topicId, startOffset, ...asked, ...origin(event) };
      return [
        ...subscriptionWritten(projectId, subscription),
        subscriptions.ofTopic.put([projectId, topic, subscription.order], name),
        ...(expiresAfterSeconds === undefined ? [] : [subscriptions.expiring.put([projectId, subscriptionId], expiresAfterSeconds)]),
        counted(projectId, count, 'subscriptions', 1),
      ];
    },
  ),
  SubscriptionDeleted: reading(
    (event: Event<'SubscriptionDeleted'>) => {
      const projectId = projectOf(event);
      const id = [projectId, event.data.subscriptionId] as const;
      return { subscription: subscriptions.byId.at(id), acl: acls.at(id), count: totals.at(projectId) };
    },
    (event, { subscription, acl, count }) => {
      if (!subscription) return [];
      const projectId = projectOf(event);
      const { subscriptionId, name, topic, order } = subscription;
      return [
        subscriptions.byName.remove([projectId, name]),
        subscriptions.byId.remove([projectId, subscriptionId]),
        subscriptions.inOrder.remove([projectId, order]),
        subscriptions.pushed.remove([projectId, subscriptionId]),
        subscriptions.expiring.remove([projectId, subscriptionId]),
        subscriptions.ofTopic.remove([projectId, topic, order]),
        ...aclReplaced(subscriptions, [projectId, subscriptionId], subscription, [acl, []]),
        counted(projectId, count, 'subscriptions', -1),
      ];
    },
  ),
  AckDeadlineModified: subscriptionChanged((subscription, { ackDeadlineSeconds }: Event<'AckDeadlineModified'>['data']) => ({
    ...subscription,
    ackDeadlineSeconds,
  })),
  PushConfigurationReplaced: subscriptionChanged((subscription, { push }: Event<'PushConfigurationReplaced'>['data']) => ({
    ...subscription,
    push,
  })),
  PushEndpointVerified: subscriptionChanged((subscription) => {
    const { push } = subscription;
    return { ...subscription, push: push && (isErased(push) ? push : { ...push, verified: true }) };
  }),
  SubscriptionAclReplaced: reading(
    (event: Event<'SubscriptionAclReplaced'>) => {
      const id = [projectOf(event), event.data.subscriptionId] as const;
      return { subscription: subscriptions.byId.at(id), acl: acls.at(id) };
    },
    (event, { subscription, acl }) => {
      const { subscriptionId, users } = event.data;
      return subscription ? aclReplaced(subscriptions, [projectOf(event), subscriptionId], subscription, [acl, users]) : [];
    },
  ),
};

const schemaWritten = (projectId: string, schema: SchemaDocument): Changes => [
  schemas.byName.put([projectId, schema.name], schema),
  schemas.byId.put([projectId, schema.schemaId], schema),
  schemas.inOrder.put([projectId, schema.order], schema),
];

const schemaRemoved = (projectId: string, { schemaId, name, order }: SchemaDocument): Changes => [
  schemas.byName.remove([projectId, name]),
  schemas.byId.remove([projectId, schemaId]),
  schemas.inOrder.remove([projectId, order]),
];

const schemaIn = (event: Event<'SchemaRevised' | 'SchemaDeleted'>) => ({
  schema: schemas.byId.at([projectOf(event), event.data.schemaId]),
});

const schemaHandlers = {
  SchemaCreated: (event: Event<'SchemaCreated'>) => {
    const { schemaId, name, type, document } = event.data;
    return schemaWritten(projectOf(event), { schemaId, name, type, document, ...origin(event) });
  },
  SchemaRevised: reading(
    (event: Event<'SchemaRevised'>) => schemaIn(event),
    (event, { schema }) => {
      if (!schema) return [];
      const projectId = projectOf(event);
      const { name, type, document } = event.data;
      return [...schemaRemoved(projectId, schema), ...schemaWritten(projectId, { ...schema, name, type, document })];
    },
  ),
  SchemaDeleted: reading(
    (event: Event<'SchemaDeleted'>) => schemaIn(event),
    (event, { schema }) => (schema ? schemaRemoved(projectOf(event), schema) : []),
  ),
};

/** Topics, subscriptions, schemas and ACLs of every project. */
export const resourcesProjection = readModel<ResourceEvent | ProjectDeleted>(
  {
    name: RESOURCES,
    version: 5,
    service: 'messaging',
    needed: { fixed: [ACCOUNTS_STREAM], namedBy: ofProjects('ProjectCreated', resourcesStream) },
    categories: [RESOURCES_CATEGORY, ACCOUNTS_CATEGORY],
    collections: resourceCollections,
    partitionsOf: projectOfEvent,
  },
  {
    ...topicHandlers,
    ...subscriptionHandlers,
    ...schemaHandlers,
    ProjectDeleted: ({ data: { projectId } }) => [
      ...resourceCollections.map((one) => one.removeUnder(`${projectId}/`)),
      totals.remove(projectId),
    ],
  },
);
