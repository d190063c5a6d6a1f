import type { Ranges } from '#domain/messaging/deliveries/ranges.js';
import type { PushConfiguration } from '#domain/messaging/push/push-configuration.js';
import { ERASED_PUSH, withoutPushSecrets } from '#domain/messaging/push/push-secrets.js';
import type { SchemaType } from '#domain/messaging/resources/schemas.js';
import type { SubscriptionOptions } from '#domain/messaging/resources/subscription-options.js';
import { subscriptionSubject } from '#domain/messaging/resources/subscriptions.js';
import type { TopicSettings } from '#domain/messaging/resources/topic-settings.js';
import type { JsonObject } from '#domain/shared/events.js';
import { PROJECT } from '#projections/messaging/partitions.js';
import { type CollectionOptions, collection } from '#projections/shared/collection.js';
import { keyOf } from '#projections/shared/key-part.js';
import { firstPart } from '#projections/shared/partitions.js';
import type { Sealing } from '#projections/shared/projection.js';

/** Name of the read model. */
export const RESOURCES = 'messaging.resources';

/** `createdOn`: in wire format. `order`: 24 hex digits that sort by time of creation within the project. */
export type Resource = Readonly<{ name: string; createdOn: string; order: string }>;

/** `schemaId`: if that schema was deleted, the topic has none. `settings`: absent if there are none. */
export type TopicDocument = Resource & Readonly<{ topicId: string; schemaId: string | null; settings?: TopicSettings }>;

/** `topicId`: the topic it was created for. `startOffset`: start offset in the log of that topic. */
export type SubscriptionDocument = Resource &
  Readonly<{
    subscriptionId: string;
    topic: string;
    topicId: string;
    startOffset: number;
    ackDeadlineSeconds: number;
    push: PushConfiguration | null;
    /** Absent if none were given. */
    options?: SubscriptionOptions;
  }>;

export type SchemaDocument = Resource & Readonly<{ schemaId: string; type: SchemaType; document: JsonObject }>;

/** Numbers of records in a project. */
export type TotalsDocument = Readonly<{ topics: number; subscriptions: number }>;

/** Key of a topic, subscription or schema: its name, id or order. */
type ResourceId = readonly [projectId: string, nameOrIdOrOrder: string];
/** Key of a resource under a user or topic: its order. */
type EntryId = readonly [projectId: string, userIdOrTopic: string, order: string];

const key = (parts: readonly string[]): string => keyOf(...parts);
const owner = firstPart(PROJECT);

const resources = <Document>(name: string, options: CollectionOptions<ResourceId> = {}) =>
  collection<Document, ResourceId>(name, { key, owner, ...options });
const entries = <Document>(name: string) => collection<Document, EntryId>(name, { key, owner });

/** Each resource is stored three times, so that every read is one lookup or one range. */
const resource = <Document extends Resource>(name: string, options: CollectionOptions<ResourceId> = {}) => ({
  byName: resources<Document>(name, options),
  byId: resources<Document>(`${name}.by-id`, options),
  /** The newest is last. */
  inOrder: resources<Document>(`${name}.in-order`, options),
});

/** Push settings contain credentials of endpoints. */
const sealed: Sealing = [
  {
    path: 'push',
    subject: ({ document }) => subscriptionSubject(document.subscriptionId),
    erased: 'null',
    mark: withoutPushSecrets,
    erasedMark: JSON.stringify(ERASED_PUSH),
  },
];

export const topics = {
  ...resource<TopicDocument>('topics'),
  /** Names of topics by user in their ACL. */
  ofUser: entries<string>('topics.of-user'),
};

export const subscriptions = {
  ...resource<SubscriptionDocument>('subscriptions', { sealed }),
  /** Names of subscriptions by user in their ACL. */
  ofUser: entries<string>('subscriptions.of-user'),
  /** Names of subscriptions by name of their topic, even if that topic does not exist. */
  ofTopic: entries<string>('subscriptions.of-topic'),
  /** By id: subscriptions with push settings, which are `null` here unless they are verified. */
  pushed: resources<SubscriptionDocument>('subscriptions.pushed', { sealed }),
  /** By id: seconds after which an unused subscription is deleted. */
  expiring: resources<number>('subscriptions.expiring'),
};

export const schemas = resource<SchemaDocument>('schemas');

/** User ids in the ACL of a topic or subscription, by its id, in the given order. An empty ACL has no document. */
export const acls = resources<readonly string[]>('acls');

/** Offsets of a topic that belong to one document of {@link redriven}. */
const REDRIVEN_BLOCK = 1_000;
/** Which block an offset is in. */
export const redrivenBlock = (offset: number): number => Math.floor(offset / REDRIVEN_BLOCK);
/** First offset of a block. */
export const redrivenBlockStart = (block: number): number => block * REDRIVEN_BLOCK;

/** Dead letters that were sent back, by topic and block: their offsets as ranges. */
export const redriven = collection<Ranges, readonly [projectId: string, topicId: string, block: number]>('redriven', {
  key: ([projectId, topicId, block]) => keyOf(projectId, topicId, `${block}`),
  owner,
});

/** By project. Absent before the first topic or subscription. */
export const totals = collection<TotalsDocument>('totals', { owner });

export const resourceCollections = [
  ...Object.values(topics),
  ...Object.values(subscriptions),
  ...Object.values(schemas),
  acls,
  totals,
  redriven,
];
