import { PULLED } from '#api/messaging/answers/answers.js';
import type { PUSH_CONFIG, SUBSCRIPTION, TOPIC } from '#api/messaging/openapi/components.js';
import { schemaName, subscriptionName, topicName } from '#api/messaging/references.js';
import type { PushConfiguration } from '#domain/messaging/push/push-configuration.js';
import { withoutPushSecrets } from '#domain/messaging/push/push-secrets.js';
import type { Static } from '#domain/shared/shape.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import type { SubscriptionDocument, TopicDocument } from '#projections/messaging/resources/queries.js';
import { shownDuration } from './durations.js';
import { optionsView } from './subscription-options.js';

/** A topic in responses (messaging contract 3.5). `schema`: name of its schema, `undefined` if it has none. */
export const topicView = (
  project: ProjectReference,
  { name, createdOn, settings: { messageRetentionSeconds, labels } = {} }: Pick<TopicDocument, 'name' | 'createdOn' | 'settings'>,
  schema: string | undefined,
): Static<typeof TOPIC> => ({
  name: topicName(project, name),
  schema: schema === undefined ? undefined : schemaName(project, schema),
  created_on: createdOn,
  messageRetentionDuration: shownDuration(messageRetentionSeconds),
  labels,
});

/** Clients read the period of every retry policy, so it is present even if it is 0 (messaging contract 6.4). */
const pushView = (push: PushConfiguration): Static<typeof PUSH_CONFIG> => {
  const { type, pushEndpoint, maxMessages, authorization, retryPolicy, verificationHash, verified } = push;
  const { mattermostUrl, mattermostUsername, mattermostChannel, base64Decode } = push;
  return {
    type,
    pushEndpoint,
    maxMessages,
    authorizationHeader: { type: authorization.type || undefined, value: authorization.value || undefined },
    retryPolicy: { type: retryPolicy.type, period: retryPolicy.period },
    verificationHash,
    verified,
    mattermostUrl,
    mattermostUsername,
    mattermostChannel,
    base64Decode,
  };
};

/** A subscription with placeholders for the secrets of its push settings, for reads of the past (operations contract 4). */
export const withoutSecrets = (subscription: SubscriptionDocument): SubscriptionDocument =>
  subscription.push ? { ...subscription, push: withoutPushSecrets(subscription.push) as PushConfiguration } : subscription;

/** A subscription in responses (messaging contract 3.7). */
export const subscriptionView = (
  project: ProjectReference,
  {
    name,
    topic,
    push,
    ackDeadlineSeconds,
    createdOn,
    options,
  }: Pick<SubscriptionDocument, 'name' | 'topic' | 'push' | 'ackDeadlineSeconds' | 'createdOn' | 'options'>,
  pushStatus?: string,
): Static<typeof SUBSCRIPTION> => ({
  name: subscriptionName(project, name),
  topic: topicName(project, topic),
  pushConfig: push ? pushView(push) : PULLED,
  ackDeadlineSeconds,
  pushStatus: pushStatus || undefined,
  createdOn,
  ...optionsView(project, options),
});
