import type { PushRequest, PushRules, PushSecrets } from '#domain/messaging/push/push-configuration.js';
import type { JsonObject } from '#domain/shared/events.js';
import type { SchemaType } from './resource-events.js';

/** What a schema says, compiled together by whoever sends the command. */
export type SchemaContent = Readonly<{ type: SchemaType; document: JsonObject }>;

/** Push settings as they are asked for, with what they are judged and completed by. */
export type RequestedPush = Readonly<{ request: PushRequest; secrets: PushSecrets; rules: PushRules }>;

/** Topics, subscriptions and schemas are addressed by their names of now. Ids are new, except those of users. */
export type TopicCommand =
  /** `schema`: a schema's name, `null` = none. */
  | Readonly<{ type: 'CreateTopic'; topicId: string; name: string; schema: string | null }>
  | Readonly<{ type: 'DeleteTopic'; name: string }>
  | Readonly<{ type: 'AttachSchema'; topic: string; schema: string }>
  | Readonly<{ type: 'DetachSchema'; topic: string }>
  | Readonly<{ type: 'ReplaceTopicAcl'; topic: string; users: readonly string[] }>;

export type SubscriptionCommand =
  | Readonly<{
      type: 'CreateSubscription';
      subscriptionId: string;
      name: string;
      /** A topic's name. */
      topic: string;
      /** The next offset in the log of the topic `topicId`. If the name means another topic by now, the subscription starts at its beginning. */
      startOffset: number;
      topicId: string;
      ackDeadlineSeconds: number;
      push: RequestedPush | null;
    }>
  | Readonly<{ type: 'DeleteSubscription'; name: string }>
  | Readonly<{ type: 'ModifyAckDeadline'; subscription: string; ackDeadlineSeconds: number }>
  /** `null`: the subscription is to be pulled. */
  | Readonly<{ type: 'ReplacePushConfiguration'; subscription: string; push: RequestedPush | null }>
  /** `verificationHash`: the one that the endpoint has answered with. */
  | Readonly<{ type: 'VerifyPushEndpoint'; subscription: string; verificationHash: string }>
  | Readonly<{ type: 'ReplaceSubscriptionAcl'; subscription: string; users: readonly string[] }>;

export type SchemaCommand =
  | Readonly<{ type: 'CreateSchema'; schemaId: string; name: string; content: SchemaContent }>
  /** What is left out stays. */
  | Readonly<{ type: 'ReviseSchema'; name: string; newName?: string; content?: SchemaContent }>
  | Readonly<{ type: 'DeleteSchema'; name: string }>;

export type ResourceCommand = TopicCommand | SubscriptionCommand | SchemaCommand;
