import { describe, expect, it } from '@jest/globals';
import { AcknowledgeMessages } from '#api/messaging/cursors/commands.js';
import type { FoundSubscription } from '#api/messaging/cursors/subscription-lookup.js';
import type { Delivery } from '#domain/messaging/deliveries/held-delivery.js';
import type { DeliveryOptions } from './pull-deliveries.js';
import { Redrive } from './redrive.js';
import type { ServedSubscription } from './served-subscription.js';

const project = { projectId: 'p', name: 'p' };
const found = { ref: { projectId: 'p', subscriptionId: 'lost', topicId: 't' }, subscription: { topic: 'lost', ackDeadlineSeconds: 10 } };
const letters = [0, 1].map((offset) => ({
  ...{ offset, bytes: 1, data: 'YQ==', projectId: 'p', publishTime: '' },
  attributes: { 'logbook-source-subscription': 'projects/p/subscriptions/source' },
}));
const ALL = [
  { offset: 0, attempt: 1 },
  { offset: 1, attempt: 1 },
];

/** Two dead letters, the second of which may not be sent; `late`: deliveries whose lease is over when they are acknowledged. */
const laboratory = ({ failsAt = -1, late = [] as readonly Delivery[] } = {}) => {
  const leases: (number | undefined)[] = [];
  const deadlines: number[] = [];
  const takenBack: (readonly Delivery[])[] = [];
  let pages = [letters];
  const bus = {
    execute: async (command: unknown) => {
      if (!(command instanceof AcknowledgeMessages)) return { messages: pages.shift() ?? [], readable: true, seeks: 0 };
      deadlines.push(command.data.ackDeadlineSeconds);
      return { readable: true };
    },
  };
  const resources = {
    subscription: async () => ({ topic: 'source', options: { deadLetterPolicy: { topic: 'lost', maxDeliveryAttempts: 5 } } }),
    topic: async () => ({ topicId: 'source' }),
  };
  let sent = 0;
  const publishing = {
    isLetter: async () => true,
    publish: async () => {
      if (sent++ === failsAt) throw new Error('the store is gone');
    },
  };
  const pulls = {
    pull: async (_served: unknown, _found: unknown, { shortestLeaseMs }: DeliveryOptions<never>) => {
      leases.push(shortestLeaseMs);
      return (pages.shift() ?? []).map((message) => ({ message, attempt: 1 }));
    },
  };
  const messages = { stored: () => ({ page: async () => [] }) };
  const served = {
    seeks: 0,
    ended: new AbortController().signal,
    acknowledge: async () => ({ late, readable: true }),
    takeBack: (deliveries: readonly Delivery[]) => takenBack.push([...deliveries]),
  } as unknown as ServedSubscription;
  const redrive = new Redrive(...([bus, resources, publishing, pulls, messages] as unknown as ConstructorParameters<typeof Redrive>));
  const [subscription, context] = [found as unknown as FoundSubscription, {} as Parameters<Redrive['shared']>[4]];
  const repeat = () => {
    pages = [letters, letters, letters];
  };
  return {
    ...{ leases, deadlines, takenBack, repeat },
    shared: () => redrive.shared(served, subscription, project, 1_000, context),
    inOrder: () => redrive.inOrder(subscription, project, 1_000, context),
  };
};

describe('Dead letters that are sent back', () => {
  it('are leased for as long as that may take, whatever the deadline of their consumers', async () => {
    const { shared, leases } = laboratory();
    expect(await shared()).toEqual({ redriven: 2, readable: true });
    expect(Math.min(...leases.map((lease) => lease ?? 0))).toBeGreaterThanOrEqual(60_000);
  });

  it('count when they are acknowledged; where none can be, the call ends', async () => {
    expect(await laboratory({ late: ALL.slice(1) }).shared()).toMatchObject({ redriven: 1 });
    const { shared, repeat, leases } = laboratory({ late: ALL });
    repeat();
    expect(await shared()).toMatchObject({ redriven: 0 });
    expect(leases).toHaveLength(1);
  });

  it('are given back where sending fails', async () => {
    const { shared, takenBack } = laboratory({ failsAt: 1 });
    await expect(shared()).rejects.toThrow('the store is gone');
    expect(takenBack).toEqual([ALL]);
  });

  it('are acknowledged with a cursor, however long the sending took', async () => {
    const { inOrder, deadlines } = laboratory();
    expect(await inOrder()).toEqual({ redriven: 2, readable: true });
    expect(deadlines).toEqual([600]);
  });
});
