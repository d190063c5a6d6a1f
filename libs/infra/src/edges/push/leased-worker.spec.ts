import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { MemoryBudget } from '#infra/platform/scheduling/memory-budget.js';
import { until } from '#test/support/eventually.js';
import { pushSample } from '#test/support/messaging/push-sample.js';
import { type LeasedBatch, LeasedPushWorker } from './leased-worker.js';
import type { PushTarget } from './worker.js';

const push = { ...pushSample, verified: true, retryPolicy: { type: 'slowstart', period: 0 } } as const;
const target: PushTarget = { projectId: 'p', subscriptionId: 's', push };

const batchOf = (log: string[], renew: LeasedBatch['renew']): LeasedBatch => ({
  subscription: 's',
  messages: [{ messageId: '0', data: '', publishTime: '' }],
  bytes: 10,
  renew,
  acknowledge: async () => void log.push('acknowledged'),
  giveBack: async () => void log.push('given back'),
  takeBack: () => void log.push('taken back'),
});

/** Outcome of eight batches if the budget allows only one and the worker stops while that one is being sent. */
const stopped = async (): Promise<readonly string[]> => {
  const log: string[] = [];
  const batch = batchOf(log, () => true);
  let begun: () => void = () => undefined;
  const sending = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const worker = new LeasedPushWorker(target, {
    source: { lease: async () => batch },
    sender: {
      send: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('broken off')));
          begun();
        }),
    },
    room: new MemoryBudget(10),
    now: () => 0,
    wait: async (_milliseconds, signal) => signal.throwIfAborted(),
    sent: () => undefined,
    report: () => undefined,
  });
  await sending;
  await worker.stop(0);
  return log.sort();
};

it('What a worker that stops has not begun to send is taken back; only what it was sending counts as an attempt', async () =>
  expect(await stopped()).toEqual(['given back', ...Array.from({ length: 7 }, () => 'taken back')]));

it('Messages whose lease ended while they waited for memory are taken back, not sent', async () => {
  const log: string[] = [];
  const room = new MemoryBudget(10);
  const leave = await room.take('other', 10);
  let isLeased = true;
  const batches = [batchOf(log, () => isLeased)];
  const reported: (string | null)[] = [];
  const worker = new LeasedPushWorker(target, {
    source: { lease: async () => batches.shift() ?? null },
    sender: {
      send: async () => {
        log.push('sent');
        return { status: 200, body: Buffer.alloc(0) };
      },
    },
    room,
    now: () => 0,
    wait: (_milliseconds, signal) => sleep(1, undefined, { signal }),
    sent: () => undefined,
    report: (problem) => void reported.push(problem),
  });
  await until(() => batches.length === 0);
  isLeased = false;
  leave();
  await until(() => log.length > 0);
  await worker.stop(0);
  expect(log).toEqual(['taken back']);
  expect(reported).toEqual(['1970-01-01T00:00:00 - Could not begin to send message, the lease has ended']);
});
