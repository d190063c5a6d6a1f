import type { FoundSubscription } from '#api/messaging/cursors/subscription-lookup.js';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import { startingCursor } from '#domain/messaging/cursors/cursor.js';
import type { WholeDeliveries } from '#domain/messaging/deliveries/delivery-events.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';

const INSTANT = '2026-01-01T00:00:00.000Z';

/** Context of a command that no test looks at. */
export const SOME_CONTEXT = systemContext('spec', 'messaging', Date.parse(INSTANT), null);

/** A subscription `s` of the project `p`, attached to the topic `t`. */
export const subscriptionSample = (
  { topicId = 't', ...ref }: Partial<FoundSubscription['ref']> = {},
  document: Partial<FoundSubscription['subscription']> = {},
): FoundSubscription => {
  const start = { topicId: 't', startOffset: 0 };
  const subscription = { name: 'reader', createdOn: INSTANT, order: '0', topic: 'news', push: null, ackDeadlineSeconds: 10 };
  return {
    ref: { projectId: 'p', subscriptionId: 's', start, topicId, ...ref },
    subscription: { ...subscription, ...start, subscriptionId: 's', ...document },
  };
};

/** Deliveries of the same subscription before the first message. */
export const noDeliveries = (server = 'here'): WholeDeliveries => ({
  ...{ projectId: 'p', subscriptionId: 's', server, settled: [], attempts: [] },
  cursor: startingCursor({ topicId: 't', startOffset: 0 }),
});

/** A message of the project `p`. */
export const messageSample = (offset: number, members: Partial<StoredMessage> = {}): StoredMessage => ({
  ...{
    offset,
    bytes: 1,
    data: 'YQ==',
    projectId: 'p',
    publishTime: INSTANT,
    cause: { id: `event-${offset}`, correlationId: 'c' },
    ...members,
  },
});

/** A function that no test may reach. */
export const unwanted = (): Promise<never> => Promise.reject(new Error('nobody asks for this'));
