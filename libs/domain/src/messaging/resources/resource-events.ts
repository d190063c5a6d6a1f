import type { EventCatalogue, Mentions } from '#domain/shared/catalogue.js';
import type { JsonObject } from '#domain/shared/events.js';

/** One stream per project for its topics, subscriptions and schemas: names are unique in it, and they refer to each other. */
export const RESOURCES_CATEGORY = 'messaging.resources';
export const resourcesStream = (projectId: string): string => `${RESOURCES_CATEGORY}-${projectId}`;

export type SchemaType = 'json' | 'avro';

/** Push settings as the wire shows them, with their defaults filled in (messaging contract 3.7, 4.9). `period` in milliseconds, 0 = none. */
export type PushConfiguration = Readonly<{
  type: 'http_endpoint' | 'mattermost';
  pushEndpoint: string;
  maxMessages: number;
  authorization: Readonly<{ type: 'autogen' | 'disabled' | ''; value: string }>;
  retryPolicy: Readonly<{ type: 'linear' | 'slowstart'; period: number }>;
  verificationHash: string;
  verified: boolean;
  mattermostUrl: string;
  mattermostUsername: string;
  mattermostChannel: string;
  base64Decode: boolean;
}>;

/** Topics keep their id for life; a topic created anew under an old name has another id, and so another message log. */
export type TopicEvent =
  | Readonly<{ type: 'TopicCreated'; data: Readonly<{ topicId: string; name: string; schemaId: string | null }> }>
  | Readonly<{ type: 'TopicDeleted'; data: Readonly<{ topicId: string; name: string }> }>
  | Readonly<{ type: 'TopicSchemaAttached'; data: Readonly<{ topicId: string; schemaId: string }> }>
  | Readonly<{ type: 'TopicSchemaDetached'; data: Readonly<{ topicId: string }> }>
  /** The uuids of all users that may publish from now on. */
  | Readonly<{ type: 'TopicAclReplaced'; data: Readonly<{ topicId: string; users: readonly string[] }> }>;

export type SubscriptionEvent =
  | Readonly<{
      type: 'SubscriptionCreated';
      data: Readonly<{
        subscriptionId: string;
        name: string;
        /** The name, not the id: a subscription follows a topic that is created anew under the same name. */
        topic: string;
        /** Where it starts: the offset that the next message of the topic would get. */
        startOffset: number;
        topicId: string;
        ackDeadlineSeconds: number;
        push: PushConfiguration | null;
      }>;
    }>
  /** `pushed`: it had push settings at some time, so there is a key that they were sealed with. */
  | Readonly<{ type: 'SubscriptionDeleted'; data: Readonly<{ subscriptionId: string; name: string; pushed: boolean }> }>
  | Readonly<{ type: 'AckDeadlineModified'; data: Readonly<{ subscriptionId: string; ackDeadlineSeconds: number }> }>
  /** `null`: the subscription is pulled from now on. */
  | Readonly<{ type: 'PushConfigurationReplaced'; data: Readonly<{ subscriptionId: string; push: PushConfiguration | null }> }>
  | Readonly<{ type: 'PushEndpointVerified'; data: Readonly<{ subscriptionId: string }> }>
  /** The uuids of all users that may pull from now on. */
  | Readonly<{ type: 'SubscriptionAclReplaced'; data: Readonly<{ subscriptionId: string; users: readonly string[] }> }>;

export type SchemaEvent =
  | Readonly<{ type: 'SchemaCreated'; data: Readonly<{ schemaId: string; name: string; type: SchemaType; document: JsonObject }> }>
  | Readonly<{ type: 'SchemaRevised'; data: Readonly<{ schemaId: string; name: string; type: SchemaType; document: JsonObject }> }>
  /** Every topic that used it accepts anything from now on. */
  | Readonly<{ type: 'SchemaDeleted'; data: Readonly<{ schemaId: string; name: string }> }>;

export type ResourceEvent = TopicEvent | SubscriptionEvent | SchemaEvent;

/** Whose key seals the push settings of a subscription. */
export const subscriptionSubject = (subscriptionId: unknown): string => `subscription-${subscriptionId}`;
const ofSubscription = ({ subscriptionId }: JsonObject): string => subscriptionSubject(subscriptionId);

/** The subscriptions of a project that ever had push settings. */
export const pushedSubscriptionsOf = (projectId: string): Mentions => ({
  in: { stream: resourcesStream(projectId) },
  subjects: ({ type, data }) =>
    (type === 'SubscriptionCreated' || type === 'PushConfigurationReplaced') && data.push ? [ofSubscription(data)] : [],
});

/** Authorization values, hashes and endpoint URLs (which may carry credentials) are sealed; `null` once the subscription is gone. */
export const resourceEvents: EventCatalogue = {
  TopicCreated: {},
  TopicDeleted: {},
  TopicSchemaAttached: {},
  TopicSchemaDetached: {},
  TopicAclReplaced: {},
  SubscriptionCreated: { sensitive: { subject: ofSubscription, members: ['push'] } },
  SubscriptionDeleted: { forgets: (data) => (data.pushed === true ? [ofSubscription(data)] : []) },
  AckDeadlineModified: {},
  PushConfigurationReplaced: { sensitive: { subject: ofSubscription, members: ['push'] } },
  PushEndpointVerified: {},
  SubscriptionAclReplaced: {},
  SchemaCreated: {},
  SchemaRevised: {},
  SchemaDeleted: {},
};
