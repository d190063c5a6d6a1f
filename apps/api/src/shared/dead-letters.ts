/** Attributes that say where a dead letter comes from (messaging contract 7.2). */
export const SOURCE = {
  subscription: 'logbook-source-subscription',
  messageId: 'logbook-source-message-id',
  publishTime: 'logbook-source-publish-time',
  attempts: 'logbook-delivery-attempts',
} as const;

/** Attributes of messages that are no metric data; they have `SOURCE.subscription`, too. `times`: how often the message was set aside. */
export const FLAW = { reason: 'logbook-reason', messageId: 'logbook-message-id', times: 'logbook-set-aside' } as const;

/** Ids of the system actors that publish dead letters: of subscriptions, and of metric sources. */
export const PUBLISHERS = { deliveries: 'deliveries', metricSource: 'metric-source' } as const;
