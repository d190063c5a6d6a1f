import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { until } from '#test/support/eventually.js';
import { pushSample } from '#test/support/messaging/push-sample.js';
import { type LeasedBatch, LeasedPushWorker } from './leased-worker.js';
import type { PushTarget } from './worker.js';

const push = { ...pushSample, verified: true, retryPolicy: { type: 'slowstart', period: 0 } } as const;
const target: PushTarget = { projectId: 'p', subscriptionId: 's', push };

const batchOf = (log: string[], renew: LeasedBatch['renew']): LeasedBatch => ({
  subscription: 's',
  messages: [{ messageId: '0', data: '', publishTime: '' }],
  renew,
  acknowledge: async () => void log.push('acknowledged'),
  giveBack: async () => void log.push('given back'),
  takeBack: () => void log.push('taken back'),
  release: () => void log.push('released'),
});

/** Outcome of eight batches if only one can be read before the worker stops, which happens while it is being sent. */
const stopped = async (): Promise<readonly string[]> => {
  const log: string[] = [];
  const batch = batchOf(log, () => true);
  let begun: () => void = () => undefined;
  const sending = new Promise<void>((resolve) => {
    begun = resolve;
  });
  let leases = 0;
  const worker = new LeasedPushWorker(target, {
    source: {
      lease: async (_target, signal) => {
        if (leases++ > 0) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return batch;
      },
    },
    sender: {
      send: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('broken off')));
          begun();
        }),
    },
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
  expect(await stopped()).toEqual(['given back', ...Array(8).fill('released'), ...Array(7).fill('taken back')]));

it('An outage of the stores, in which nothing can be leased, does not slow deliveries down for longer than a minute', async () => {
  const waits: number[] = [];
  const worker = new LeasedPushWorker(target, {
    source: { lease: () => Promise.reject(new Error('Internal error')) },
    sender: { send: () => Promise.reject(new Error('nothing is sent')) },
    now: () => 0,
    wait: async (milliseconds, signal) => {
      waits.push(milliseconds);
      await sleep(1, undefined, { signal });
    },
    sent: () => undefined,
    report: () => undefined,
  });
  await until(() => waits.length > 8 * 20);
  await worker.stop(0);
  expect(Math.max(...waits)).toBe(60_000);
});

it('Messages whose lease has ended are taken back, not sent', async () => {
  const log: string[] = [];
  const batches = [batchOf(log, () => false)];
  const reported: (string | null)[] = [];
  const worker = new LeasedPushWorker(target, {
    source: { lease: async () => batches.shift() ?? null },
    sender: {
      send: async () => {
        log.push('sent');
        return { status: 200, body: Buffer.alloc(0) };
      },
    },
    now: () => 0,
    wait: (_milliseconds, signal) => sleep(1, undefined, { signal }),
    sent: () => undefined,
    report: (problem) => void reported.push(problem),
  });
  await until(() => log.length > 1);
  await worker.stop(0);
  expect(log).toEqual(['taken back', 'released']);
  expect(reported).toEqual(['1970-01-01T00:00:00 - Could not begin to send message, the lease has ended']);
});
