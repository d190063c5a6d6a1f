import {
  newPushConfiguration,
  type PushConfiguration,
  type PushRequest,
  type PushRules,
  type PushSecrets,
  replacedPushConfiguration,
} from '#domain/messaging/push/push-configuration.js';
import { withoutPushSecrets } from '#domain/messaging/push/push-secrets.js';
import type { CatalogueOf } from '#domain/shared/catalogue.js';
import { DomainError } from '#domain/shared/decider.js';
import type { JsonObject } from '#domain/shared/events.js';
import { ended, none } from '#domain/shared/resource-change.js';
import { type AclHolders, distinct, requireAclRoom } from './acls.js';
import { type Changes, inProject, type NamedIndex, type Rules, requireRoom, sameJson } from './kind.js';
import { RESOURCE_LIMITS } from './resource-limits.js';
import type { SubscriptionOptions } from './subscription-options.js';

export type SubscriptionEvent =
  | Readonly<{
      type: 'SubscriptionCreated';
      data: Readonly<{
        subscriptionId: string;
        name: string;
        /** The name, not the id: a subscription follows a topic that is recreated with the same name. */
        topic: string;
        /** The starting offset: that of the next message of the topic. */
        startOffset: number;
        topicId: string;
        ackDeadlineSeconds: number;
        push: PushConfiguration | null;
        /** Absent if none were given. */
        options?: SubscriptionOptions;
      }>;
    }>
  /** `pushed`: the subscription had push settings at some time, so their encryption key exists. */
  | Readonly<{ type: 'SubscriptionDeleted'; data: Readonly<{ subscriptionId: string; name: string; pushed: boolean }> }>
  | Readonly<{ type: 'AckDeadlineModified'; data: Readonly<{ subscriptionId: string; ackDeadlineSeconds: number }> }>
  /** `null`: the subscription is in pull mode from now on. */
  | Readonly<{ type: 'PushConfigurationReplaced'; data: Readonly<{ subscriptionId: string; push: PushConfiguration | null }> }>
  | Readonly<{ type: 'PushEndpointVerified'; data: Readonly<{ subscriptionId: string }> }>
  /** The ids of all users that may pull from now on. */
  | Readonly<{ type: 'SubscriptionAclReplaced'; data: Readonly<{ subscriptionId: string; users: readonly string[] }> }>;

/** Encryption subject of a subscription's push settings. */
export const subscriptionSubject = (subscriptionId: unknown): string => `subscription-${subscriptionId}`;
const ofSubscription = ({ subscriptionId }: JsonObject): string => subscriptionSubject(subscriptionId);

/** The encryption subject of an event's push settings, if it has any. */
export const pushSubjectsIn = ({ type, data }: Readonly<{ type: string; data: JsonObject }>): readonly string[] =>
  (type === 'SubscriptionCreated' || type === 'PushConfigurationReplaced') && data.push ? [ofSubscription(data)] : [];

const subscription = inProject('subscription', 'subscriptionId');
const withPush = {
  resource: subscription,
  sensitive: { subject: ofSubscription, members: ['push'] },
  marks: { push: withoutPushSecrets },
} as const;

/** Authorization values, hashes and endpoint URLs (which may contain credentials) are sealed. They are `null` after the subscription is deleted. */
export const subscriptionEvents: CatalogueOf<SubscriptionEvent> = {
  SubscriptionCreated: withPush,
  SubscriptionDeleted: { resource: ended(subscription), forgets: (data) => (data.pushed === true ? [ofSubscription(data)] : []) },
  AckDeadlineModified: { resource: subscription },
  PushConfigurationReplaced: withPush,
  PushEndpointVerified: { resource: subscription },
  SubscriptionAclReplaced: { resource: none },
};

/** Push settings requested by a caller, with the rules that validate and the secrets that complete them. */
export type RequestedPush = Readonly<{ request: PushRequest; secrets: PushSecrets; rules: PushRules }>;

/** Subscriptions and topics are identified by their current names. `subscriptionId` is new, `users` are ids. */
export type SubscriptionCommand =
  | Readonly<{
      type: 'CreateSubscription';
      subscriptionId: string;
      name: string;
      /** Name of the topic. */
      topic: string;
      /** The next offset in the log of the topic `topicId`. If the name now belongs to another topic, the subscription starts at its beginning. */
      startOffset: number;
      topicId: string;
      ackDeadlineSeconds: number;
      push: RequestedPush | null;
      options?: SubscriptionOptions;
    }>
  | Readonly<{ type: 'DeleteSubscription'; name: string }>
  /** Deletes an unused subscription after the time in its options. Ignored if it is already deleted. */
  | Readonly<{ type: 'ExpireSubscription'; subscriptionId: string }>
  | Readonly<{ type: 'ModifyAckDeadline'; subscription: string; ackDeadlineSeconds: number }>
  /** `null`: changes the subscription to pull mode. */
  | Readonly<{ type: 'ReplacePushConfiguration'; subscription: string; push: RequestedPush | null }>
  /** `verificationHash`: the hash in the endpoint's answer. */
  | Readonly<{ type: 'VerifyPushEndpoint'; subscription: string; verificationHash: string }>
  | Readonly<{ type: 'ReplaceSubscriptionAcl'; subscription: string; users: readonly string[] }>;

export type Subscription = {
  readonly id: string;
  readonly name: string;
  readonly topic: string;
  ackDeadlineSeconds: number;
  push: PushConfiguration | null;
  readonly options?: SubscriptionOptions;
  /** Whether it ever had push settings. */
  pushed: boolean;
  users: readonly string[];
};

type Topics = AclHolders['topics'] & Readonly<{ named(name: string): Readonly<{ id: string }> }>;
type State = Readonly<{ topics: Topics; subscriptions: NamedIndex<Subscription> }>;

const deleted = ({ id, name, pushed }: Subscription): SubscriptionEvent => ({
  type: 'SubscriptionDeleted',
  data: { subscriptionId: id, name, pushed },
});

export const subscriptionRules: Rules<State, SubscriptionCommand, SubscriptionEvent> = {
  CreateSubscription: (command, { topics, subscriptions }) => {
    const { subscriptionId, name, topic, ackDeadlineSeconds, options } = command;
    const topicId = topics.named(topic).id;
    if (options?.deadLetterPolicy) topics.named(options.deadLetterPolicy.topic);
    const push = command.push && newPushConfiguration(command.push.request, command.push.secrets, command.push.rules);
    if (subscriptions.has(name)) throw new DomainError('SUBSCRIPTION_EXISTS');
    requireRoom(subscriptions, RESOURCE_LIMITS.subscriptionsPerProject);
    const startOffset = command.topicId === topicId ? command.startOffset : 0;
    const data = { subscriptionId, name, topic, startOffset, topicId, ackDeadlineSeconds, push, ...(options && { options }) };
    return [{ type: 'SubscriptionCreated', data }];
  },
  DeleteSubscription: ({ name }, { subscriptions }) => [deleted(subscriptions.named(name))],
  ExpireSubscription: ({ subscriptionId }, { subscriptions }) => {
    const subscription = subscriptions.all.get(subscriptionId);
    return subscription?.options?.expiresAfterSeconds === undefined ? [] : [deleted(subscription)];
  },
  ModifyAckDeadline: ({ subscription: name, ackDeadlineSeconds }, { subscriptions }) => {
    const subscription = subscriptions.named(name);
    if (subscription.ackDeadlineSeconds === ackDeadlineSeconds) return [];
    return [{ type: 'AckDeadlineModified', data: { subscriptionId: subscription.id, ackDeadlineSeconds } }];
  },
  ReplacePushConfiguration: ({ subscription: name, push: requested }, { subscriptions }) => {
    const { id, push: before } = subscriptions.named(name);
    const push = requested && replacedPushConfiguration(requested.request, before, requested.secrets, requested.rules);
    return sameJson(before, push) ? [] : [{ type: 'PushConfigurationReplaced', data: { subscriptionId: id, push } }];
  },
  VerifyPushEndpoint: ({ subscription: name, verificationHash }, { subscriptions }) => {
    const { id, push } = subscriptions.named(name);
    if (push?.type !== 'http_endpoint') throw new DomainError('NOT_IN_HTTP_PUSH_MODE');
    if (push.verified) throw new DomainError('PUSH_ENDPOINT_VERIFIED');
    if (push.verificationHash !== verificationHash) throw new DomainError('VERIFICATION_HASH_WRONG');
    return [{ type: 'PushEndpointVerified', data: { subscriptionId: id } }];
  },
  ReplaceSubscriptionAcl: (command, state) => {
    const subscription = state.subscriptions.named(command.subscription);
    const users = distinct(command.users);
    if (sameJson(subscription.users, users)) return [];
    requireAclRoom(state, subscription.users, users);
    return [{ type: 'SubscriptionAclReplaced', data: { subscriptionId: subscription.id, users } }];
  },
};

export const subscriptionChanges: Changes<State, SubscriptionEvent> = {
  SubscriptionCreated: ({ subscriptions }, { subscriptionId: id, name, topic, ackDeadlineSeconds, push, options }) =>
    subscriptions.put({ id, name, topic, ackDeadlineSeconds, push, ...(options && { options }), pushed: push !== null, users: [] }),
  SubscriptionDeleted: ({ subscriptions }, { subscriptionId }) => subscriptions.remove(subscriptionId),
  AckDeadlineModified: ({ subscriptions }, { subscriptionId, ackDeadlineSeconds }) => {
    subscriptions.withId(subscriptionId).ackDeadlineSeconds = ackDeadlineSeconds;
  },
  PushConfigurationReplaced: ({ subscriptions }, { subscriptionId, push }) => {
    const subscription = subscriptions.withId(subscriptionId);
    subscription.push = push;
    if (push) subscription.pushed = true;
  },
  PushEndpointVerified: ({ subscriptions }, { subscriptionId }) => {
    const subscription = subscriptions.withId(subscriptionId);
    if (subscription.push) subscription.push = { ...subscription.push, verified: true };
  },
  SubscriptionAclReplaced: ({ subscriptions }, { subscriptionId, users }) => {
    subscriptions.withId(subscriptionId).users = users;
  },
};
