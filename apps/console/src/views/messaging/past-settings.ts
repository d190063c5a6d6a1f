import type { AnswerOf } from '../../api/types.js';
import type { SubscriptionState } from './load.js';

/** A subscription as the service shows it, also in reads of the past. */
export type PastSubscription = AnswerOf<'/v1/projects/{project}/subscriptions/{subscription}'>;

type State = Pick<SubscriptionState, 'settings' | 'ackMode'>;

/** The service shows names in full: `projects/p/topics/t`. */
export const lastPart = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

/** Seconds of `90s`. */
const secondsOf = (duration: string): number => Number.parseInt(duration, 10);

const secondsOrNull = (duration: string | undefined): number | null => (duration === undefined ? null : secondsOf(duration));

/** The URL of Mattermost is secret in the past, with its host. */
const pushOf = ({ type, pushEndpoint, mattermostChannel, ...push }: PastSubscription['pushConfig']): State['settings']['push'] => {
  if (type === '') return null;
  const { maxMessages, authorizationHeader, retryPolicy, verified, base64Decode } = push;
  return {
    type,
    endpoint: type === 'mattermost' ? `Mattermost ${mattermostChannel}` : pushEndpoint,
    maxMessages,
    authorization: authorizationHeader.type ?? 'none',
    retryPolicy: { type: retryPolicy.type ?? 'linear', period: retryPolicy.period ?? 0 },
    verified,
    base64Decode,
  };
};

/** Settings of a subscription of the past, with defaults for those that were not given, in the form of those of now. */
export const settingsOfPast = (subscription: PastSubscription): State => {
  const { deadLetterPolicy: letters, retryPolicy: retry } = subscription;
  return {
    ackMode: subscription.ackMode ?? 'cursor',
    settings: {
      createdAt: subscription.createdOn,
      ackDeadlineSeconds: subscription.ackDeadlineSeconds,
      filter: subscription.filter ?? null,
      messageRetentionSeconds: secondsOrNull(subscription.messageRetentionDuration),
      enableMessageOrdering: subscription.enableMessageOrdering ?? false,
      enableExactlyOnceDelivery: subscription.enableExactlyOnceDelivery ?? false,
      deadLetterPolicy: letters ? { topic: lastPart(letters.deadLetterTopic), maxDeliveryAttempts: letters.maxDeliveryAttempts } : null,
      retryPolicy: retry ? { minimumSeconds: secondsOf(retry.minimumBackoff), maximumSeconds: secondsOf(retry.maximumBackoff) } : null,
      expiresAfterSeconds: secondsOrNull(subscription.expirationPolicy?.ttl),
      labels: subscription.labels ?? {},
      push: pushOf(subscription.pushConfig),
    },
  };
};
