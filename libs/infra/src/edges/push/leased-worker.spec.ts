import { expect, it } from '@jest/globals';
import { MemoryBudget } from '#infra/platform/scheduling/memory-budget.js';
import { pushSample } from '#test/support/messaging/push-sample.js';
import { type LeasedBatch, LeasedPushWorker } from './leased-worker.js';
import type { PushTarget } from './worker.js';

const push = { ...pushSample, verified: true, retryPolicy: { type: 'slowstart', period: 0 } } as const;
const target: PushTarget = { projectId: 'p', subscriptionId: 's', push };

/** Outcome of eight batches if the budget allows only one and the worker stops while that one is being sent. */
const stopped = async (): Promise<readonly string[]> => {
  const log: string[] = [];
  const batch: LeasedBatch = {
    subscription: 's',
    messages: [{ messageId: '0', data: '', publishTime: '' }],
    bytes: 10,
    acknowledge: async () => void log.push('acknowledged'),
    giveBack: async () => void log.push('given back'),
    takeBack: () => void log.push('taken back'),
  };
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
