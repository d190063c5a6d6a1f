import { expect, it } from '@jest/globals';
import { Leases } from '#domain/messaging/deliveries/leases.js';
import { until } from '#test/support/eventually.js';
import { turns } from '#test/support/turns.js';
import { DeadLetterQueue } from './dead-letter-queue.js';

/** A queue of so many messages that cannot become dead letters. `tries`: when sending them was tried, in milliseconds. */
const failing = (messages: number) => {
  const leases = new Leases({ floor: 0, settled: [], attempts: [] });
  leases.comeUp(
    Array.from({ length: messages }, (_, offset) => ({ offset })),
    messages,
  );
  const deliveries = leases.lease(messages, 0, 60_000);
  for (const delivery of deliveries) leases.end(delivery, 1);
  const ending = new AbortController();
  const by = { subscription: { projectId: 'p', subscriptionId: 's', start: { topicId: 't', startOffset: 0 }, topicId: 't' }, server: 'a' };
  const tries: number[] = [];
  let lines = 0;
  const served = {
    ...{ by, leases, ended: ending.signal, seeks: 0, options: { deadLetterPolicy: { topic: 'lost', maxDeliveryAttempts: 1 } } },
    settleExhausted: async () => undefined,
    changed: () => undefined,
  };
  const send = () => {
    tries.push(performance.now());
    return Promise.reject(new Error('the store is gone'));
  };
  const warn = (): void => {
    lines += 1;
  };
  const queue = new DeadLetterQueue(served, send, { warn });
  expect(queue.without(deliveries)).toEqual([]);
  return { queue, leases, tries, lines: () => lines, ending };
};

it('A message that cannot become a dead letter comes back after a second, so that it is not tried without a pause', async () => {
  const { queue, leases, tries, lines, ending } = failing(1);
  await turns();
  expect({ tries: tries.length, lines: lines(), isReady: leases.isReady(2), isIdle: queue.isIdle }).toEqual({
    ...{ tries: 1, lines: 1, isReady: false, isIdle: false },
  });
  ending.abort();
  await turns();
  expect(queue.isIdle).toBe(true);
});

it('Messages that cannot become dead letters are tried and logged more and more rarely', async () => {
  const { tries, lines, ending } = failing(4);
  await until(() => tries.length === 3);
  await turns();
  const [first = 0, second = 0, third = 0] = tries;
  expect(second - first).toBeGreaterThan(990);
  expect(third - second).toBeGreaterThan(1_990);
  expect(lines()).toBe(2);
  ending.abort();
});
