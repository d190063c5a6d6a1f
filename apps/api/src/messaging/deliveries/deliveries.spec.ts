import { expect, it, jest } from '@jest/globals';
import type { FoundSubscription } from '#api/messaging/cursors/subscription-lookup.js';
import { startingCursor } from '#domain/messaging/cursors/cursor.js';
import { Deliveries } from './deliveries.js';
import type { Server } from './delivery-gateway.js';
import type { PullDeliveries } from './pull-deliveries.js';
import { SharedSubscriptions } from './shared-subscriptions.js';

const START = { topicId: 'old', startOffset: 0 };
const found = (topicId: string, ackMode = 'message'): FoundSubscription =>
  ({
    ref: { projectId: 'p', subscriptionId: 's', start: START, topicId },
    subscription: { name: 'reader', ackDeadlineSeconds: 10, options: { ackMode } },
  }) as unknown as FoundSubscription;

/** `topic`: that of the subscription now. `begun`: the topics in whose logs it was begun to be served. */
const serving = () => {
  const now = { topic: 'old' };
  const begun: (string | null)[] = [];
  const gateway = {
    serve: async ({ subscription }: Server) => {
      begun.push(subscription.topicId);
      return { cursor: startingCursor(START), settled: [], attempts: [] };
    },
  };
  const nodes = { take: async () => undefined, answerOfOther: async () => undefined };
  const lookup = { byId: async () => found(now.topic) };
  const parts = [gateway, nodes, {}, lookup, {}, {}, {}, true] as unknown as ConstructorParameters<typeof Deliveries>;
  return { now, begun, nodes, deliveries: new Deliveries(...parts) };
};

it('A subscription is served in the log of the topic that it has now, whichever was found', async () => {
  const { now, begun, deliveries } = serving();
  const first = await deliveries.of(found('old'));
  now.topic = 'new';
  const second = await deliveries.of(found('new'));
  expect(first.ended.aborted).toBe(true);
  expect(await deliveries.of(found('old'))).toBe(second);
  await second.stop();
  expect((await deliveries.of(found('old'))).by.subscription.topicId).toBe('new');
  expect(begun).toEqual(['old', 'new', 'new']);
  await deliveries.onApplicationShutdown();
});

/** The topics that a pull asks for which waits, and is told each time that the subscription is another one now; after the third its time is over. */
const askedFor = async (now: FoundSubscription): Promise<readonly unknown[]> => {
  const { nodes, deliveries } = serving();
  const asked: unknown[] = [];
  const pull: PullDeliveries['pull'] = async (_served, { ref }, { since = 0 }) => {
    asked.push(ref.topicId);
    if (asked.length === 3) jest.spyOn(performance, 'now').mockReturnValueOnce(since + 30_001);
    return null;
  };
  const messages = { wire: () => ({}), stored: () => ({}) };
  const parts = [deliveries, { pull }, nodes, messages, {}, {}] as unknown as ConstructorParameters<typeof SharedSubscriptions>;
  const call = { project: { name: 'P' }, found: found('old') } as unknown as Parameters<SharedSubscriptions['pull']>[0];
  const { signal } = new AbortController();
  const asking = { limit: 1, wait: true, signal, requireThere: async () => now };
  await new SharedSubscriptions(...parts).pull(call, asking as unknown as Parameters<SharedSubscriptions['pull']>[1]);
  jest.restoreAllMocks();
  await deliveries.onApplicationShutdown();
  return asked;
};

it('A pull that waits goes on with the subscription as it is now, and not for ever', async () =>
  expect(await askedFor(found('new'))).toEqual(['old', 'new', 'new']));

it('A pull that waits does not go on with one that has a cursor now', async () =>
  expect(await askedFor(found('new', 'cursor'))).toEqual(['old']));
