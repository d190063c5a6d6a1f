import type { PushConfiguration, SchemaType } from '#domain/messaging/resources/resource-events.js';
import type { JsonObject } from '#domain/shared/events.js';
import { keyOf } from '#projections/shared/key-part.js';

export const RESOURCES_PROJECTION = 'messaging.resources';

/**
 * Topics, subscriptions and schemas of all projects. Each is kept three times, so that every read is one lookup or one range: by name,
 * by id, and in the order of creation. Every key starts with the id of the project.
 */
export const resourceCollections = {
  /** {@link resourceKey} of the name → {@link TopicDocument} */
  topics: 'topics',
  /** {@link resourceKey} of the id → {@link TopicDocument} */
  topicsById: 'topics.by-id',
  /** `<project>/<order>` → {@link TopicDocument}; the newest is the last. */
  topicsInOrder: 'topics.in-order',
  /** `<project>/<user>/<order>` → name of a topic whose ACL has the user. */
  topicsOfUser: 'topics.of-user',
  /** {@link resourceKey} of the name → {@link SubscriptionDocument} */
  subscriptions: 'subscriptions',
  /** {@link resourceKey} of the id → {@link SubscriptionDocument} */
  subscriptionsById: 'subscriptions.by-id',
  /** `<project>/<order>` → {@link SubscriptionDocument}; the newest is the last. */
  subscriptionsInOrder: 'subscriptions.in-order',
  /** `<project>/<user>/<order>` → name of a subscription whose ACL has the user. */
  subscriptionsOfUser: 'subscriptions.of-user',
  /** `<project>/<topic name>/<order>` → name of a subscription that is attached to the topic's name, whether there is such a topic or not. */
  subscriptionsOfTopic: 'subscriptions.of-topic',
  /** {@link resourceKey} of the id → {@link SubscriptionDocument}, of those whose messages are to be pushed: with verified push settings. */
  subscriptionsPushed: 'subscriptions.pushed',
  /** {@link resourceKey} of the name → {@link SchemaDocument} */
  schemas: 'schemas',
  /** {@link resourceKey} of the id → {@link SchemaDocument} */
  schemasById: 'schemas.by-id',
  /** `<project>/<order>` → {@link SchemaDocument}; the newest is the last. */
  schemasInOrder: 'schemas.in-order',
  /** {@link resourceKey} of the id of a topic or subscription → the ids of the users in its ACL, in the order given; none = an empty ACL. */
  acls: 'acls',
  /** Project id → {@link TotalsDocument}; none = nothing was ever created. */
  totals: 'totals',
} as const;

/** `createdOn` in the form of the wire. `order`: 24 hex digits that sort by the time of creation within the project. */
export type Resource = Readonly<{ name: string; createdOn: string; order: string }>;
/** `schemaId` may be that of a schema that has been deleted: then the topic has none. */
export type TopicDocument = Resource & Readonly<{ topicId: string; schemaId: string | null }>;
/** `topicId`, `startOffset`: the topic it was created for, and where in that topic's log it started. */
export type SubscriptionDocument = Resource &
  Readonly<{
    subscriptionId: string;
    topic: string;
    topicId: string;
    startOffset: number;
    ackDeadlineSeconds: number;
    push: PushConfiguration | null;
  }>;
export type SchemaDocument = Resource & Readonly<{ schemaId: string; type: SchemaType; document: JsonObject }>;
export type TotalsDocument = Readonly<{ topics: number; subscriptions: number }>;

/** Where a project's topic, subscription or schema is found, by its name or id. */
export const resourceKey = (projectId: string, nameOrId: string): string => keyOf(projectId, nameOrId);
/** Where `…OfUser` has an entry if the ACL of the topic or subscription has the user. */
export const userEntryKey = (projectId: string, userId: string, { order }: Resource): string => keyOf(projectId, userId, order);
