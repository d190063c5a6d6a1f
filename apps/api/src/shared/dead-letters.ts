import type { StoredMessage } from './messaging-client.js';

/** Attributes with the source of a dead letter (messaging contract 7.2). */
export const SOURCE = {
  subscription: 'logbook-source-subscription',
  messageId: 'logbook-source-message-id',
  publishTime: 'logbook-source-publish-time',
  attempts: 'logbook-delivery-attempts',
} as const;

/** Attributes of messages that are not metric data, in addition to `SOURCE.subscription`. `times`: how often the message was set aside. */
export const FLAW = { reason: 'logbook-reason', messageId: 'logbook-message-id', times: 'logbook-set-aside' } as const;

/** Ids of the system actors that publish dead letters: for subscriptions, and for metric sources. */
export const PUBLISHERS = { deliveries: 'deliveries', metricSource: 'metric-source' } as const;

const FULL_NAME = /^projects\/[^/]+\/subscriptions\/(.+)$/;

/**
 * Name of the subscription that a dead letter comes from, in the project of the dead letter: the project may have had another name then.
 * `null` if the message names none.
 */
export const sourceOf = ({ attributes = {} }: Pick<StoredMessage, 'attributes'>): string | null =>
  FULL_NAME.exec(attributes[SOURCE.subscription] ?? '')?.[1] ?? null;
