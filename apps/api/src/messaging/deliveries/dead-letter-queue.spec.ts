import { expect, it } from '@jest/globals';
import { Leases } from '#domain/messaging/deliveries/leases.js';
import { turns } from '#test/support/turns.js';
import { DeadLetterQueue } from './dead-letter-queue.js';

it('A message that cannot become a dead letter comes back after a second, so that it is not tried without a pause', async () => {
  const leases = new Leases({ floor: 0, settled: [], attempts: [] });
  leases.comeUp([{ offset: 0 }], 1);
  const [delivery] = leases.lease(1, 0, 60_000);
  if (!delivery) throw new Error('nothing was leased');
  leases.end(delivery, 1);
  const ending = new AbortController();
  const by = { subscription: { projectId: 'p', subscriptionId: 's', start: { topicId: 't', startOffset: 0 }, topicId: 't' }, server: 'a' };
  let tries = 0;
  const failed = new Promise<DeadLetterQueue>((resolve) => {
    const served = {
      ...{ by, leases, ended: ending.signal, seeks: 0, options: { deadLetterPolicy: { topic: 'lost', maxDeliveryAttempts: 1 } } },
      settleExhausted: async () => undefined,
      changed: () => undefined,
    };
    const send = () => {
      tries += 1;
      return Promise.reject(new Error('the store is gone'));
    };
    const queue: DeadLetterQueue = new DeadLetterQueue(served, send, { warn: () => resolve(queue) });
    expect(queue.without([delivery])).toEqual([]);
  });
  const queue = await failed;
  await turns();
  expect({ tries, isReady: leases.isReady(2), isIdle: queue.isIdle }).toEqual({ tries: 1, isReady: false, isIdle: false });
  ending.abort();
  await turns();
  expect(queue.isIdle).toBe(true);
});
