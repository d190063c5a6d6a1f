import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { PushConfiguration } from '#domain/messaging/push/push-configuration.js';
import { until } from '#test/support/eventually.js';
import { pushSample } from '#test/support/messaging/push-sample.js';
import { turns } from '#test/support/turns.js';
import { ChangeCounter } from './change-counter.js';
import { CursorFeed, type PulledBatch, type PushedRange } from './cursor-feed.js';
import { type PushBatch, type PushTarget, PushWorker } from './worker.js';

const push: PushConfiguration = { ...pushSample, verified: true, retryPolicy: { type: 'slowstart', period: 0 } };
const target: PushTarget = { projectId: 'p', subscriptionId: 's', push };

const START = Date.parse('2024-01-02T03:04:05.678Z');

const batchOf = (offset: number, data: string, release: () => void): PulledBatch => ({
  subscription: 's',
  messages: [{ messageId: `${offset}`, data, publishTime: '' }],
  topicId: 't',
  cause: { id: 'e', correlationId: 'c' },
  from: offset,
  lastOffset: offset,
  count: 1,
  release,
});

afterEach(() => {
  jest.restoreAllMocks();
});

/**
 * A worker over a topic in memory. Its clocks advance only by its pauses, each of which is recorded and over at once. `setBackMs`: time by which the wall
 * clock is set back when the worker sends.
 */
const laboratory = (published: readonly string[], retryPolicy = push.retryPolicy, setBackMs = 0) => {
  const messageChanges = new ChangeCounter();
  const log: string[] = [];
  const topic = [...published];
  const failures: Record<'pull' | 'send' | 'acknowledge', (Error | number)[]> = { pull: [], send: [], acknowledge: [] };
  const pulls: number[] = [];
  let [now, offset, held, behind] = [START, 0, 0, 0];
  jest.spyOn(performance, 'now').mockImplementation(() => now - START);
  const hold = (at: number) => {
    held++;
    return batchOf(at, topic[at] ?? '', () => held--);
  };
  let enough: () => void = () => undefined;
  const fail = (step: keyof typeof failures): number => {
    const failure = failures[step].shift();
    if (failure instanceof Error) throw failure;
    return failure ?? 200;
  };
  const worker = () => {
    const pushed: PushTarget = { ...target, push: { ...push, retryPolicy } };
    const source = {
      pull: async () => {
        const seen = messageChanges.count;
        fail('pull');
        if (topic[offset] === undefined) {
          enough();
          return (signal: AbortSignal) => messageChanges.since(seen, signal);
        }
        pulls.push(now - START);
        return hold(offset);
      },
      again: async (_target: PushTarget, { from }: PushedRange) => (from === offset ? hold(offset) : null),
      acknowledge: async (_target: PushTarget, { lastOffset }: PulledBatch) => {
        fail('acknowledge');
        offset = lastOffset + 1;
      },
    };
    return new PushWorker(pushed, {
      feed: new CursorFeed(pushed, source, () => now - behind),
      sender: {
        send: async ({ body = '', timeoutMs, signal }) => {
          expect(timeoutMs).toBe(30_000);
          if (failures.send[0] === Number.POSITIVE_INFINITY)
            await new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('broken off'))));
          log.push(`sent ${JSON.parse(body).message.data}`);
          behind = setBackMs;
          return { status: fail('send'), body: Buffer.alloc(0) };
        },
      },
      shortestPeriod: 0,
      now: () => now - behind,
      wait: async (milliseconds, signal) => {
        signal.throwIfAborted();
        log.push(`waited ${milliseconds}`);
        now += milliseconds;
      },
      report: (problem) => log.push(problem ?? 'well'),
    });
  };
  /** Runs until everything published is acknowledged. */
  const run = async (): Promise<readonly string[]> => {
    const done = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const running = worker();
    await done;
    await running.stop(0);
    expect(held).toBe(0); // the memory of every batch is returned, delivered or not
    return log;
  };
  /** Another client moves the subscription. */
  const move = (to: number): void => {
    offset = to;
  };
  return { messageChanges, log, topic, failures, pulls, worker, run, move };
};

const LAST_LOOK = ['well'];

describe('a push worker', () => {
  it('delivers one batch after the other, each acknowledged before the next', async () =>
    expect(await laboratory(['a', 'b']).run()).toEqual(
      ['waited 1000', 'sent a', 'well', 'waited 500', 'sent b', 'well', 'waited 300', LAST_LOOK].flat(),
    ));

  it('sends what it pulled while it was told to stop, because that counts as delivered', async () => {
    const steps: string[] = [];
    let stopped: Promise<void> | undefined;
    const worker: PushWorker = new PushWorker(target, {
      feed: {
        next: async (): Promise<PushBatch> => {
          stopped = worker.stop(600_000);
          const { subscription, messages, release } = batchOf(0, 'a', () => steps.push('released'));
          const acknowledge = async () => void steps.push('acknowledged');
          return {
            subscription,
            messages,
            startedAt: START,
            renew: () => true,
            acknowledge,
            giveBack: async () => {},
            takeBack: () => {},
            release,
          };
        },
      },
      sender: {
        send: async () => {
          steps.push('sent');
          return { status: 200, body: Buffer.alloc(0) };
        },
      },
      now: () => START,
      wait: async () => {},
      report: () => {},
    });
    await until(() => stopped !== undefined);
    await stopped;
    expect(steps).toEqual(['sent', 'acknowledged', 'released']);
  });

  it('delivers at the pace of a period', async () =>
    expect(await laboratory(['a', 'b'], { type: 'linear', period: 250 }).run()).toEqual(
      ['waited 0', 'sent a', 'well', 'waited 250', 'sent b', 'well', 'waited 250', LAST_LOOK].flat(),
    ));

  it('repeats what was rejected, more and more slowly, before anything else', async () => {
    const { failures, run } = laboratory(['a', 'b']);
    failures.send.push(500, new Error('socket hang up'));
    expect(await run()).toEqual([
      'waited 1000',
      'sent a',
      '2024-01-02T03:04:06 - Could not send message, the endpoint answered 500',
      'waited 2000',
      'sent a',
      '2024-01-02T03:04:08 - Could not send message, socket hang up',
      'waited 4000',
      'sent a',
      'well',
      'waited 1000',
      'sent b',
      'well',
      'waited 500',
      ...LAST_LOOK,
    ]);
  });

  it('reports that it cannot pull or acknowledge, and delivers again', async () => {
    const { failures, run } = laboratory(['a'], { type: 'linear', period: 0 });
    failures.pull.push(new Error("Subscription's topic doesn't exist"));
    failures.acknowledge.push(new Error('ack timeout'));
    expect(await run()).toEqual([
      'waited 0',
      "2024-01-02T03:04:05 - Could not consume message, Subscription's topic doesn't exist",
      'waited 0',
      'sent a',
      '2024-01-02T03:04:05 - Could not acknowledge message, ack timeout',
      'waited 0',
      'sent a',
      'well',
      'waited 0',
      ...LAST_LOOK,
    ]);
  });

  it('starts no more slowly after an outage of the stores, in which the endpoint was not asked', async () => {
    const { failures, log, run } = laboratory(['a']);
    failures.pull.push(...Array<Error>(20).fill(new Error('Internal error')));
    failures.acknowledge.push(...Array<Error>(3).fill(new Error('Internal error')));
    await run();
    const waits = log.filter((line) => line.startsWith('waited')).slice(-6);
    expect(waits).toEqual([60_000, 60_000, 60_000, 60_000, 60_000, 500].map((milliseconds) => `waited ${milliseconds}`));
  });

  it.each([0, 3_600_000])(
    'pulls rejected messages once a minute, however often it sends them and with the clock set back by %d ms',
    async (back) => {
      const { failures, log, pulls, run } = laboratory(['a', 'b'], { type: 'linear', period: 250 }, back);
      failures.send.push(...Array(600).fill(500));
      await run();
      expect(log.filter((line) => line === 'sent a')).toHaveLength(601);
      expect(pulls).toEqual([0, 60_000, 120_000, 150_250]);
    },
  );

  it('pulls at once if the subscription has been moved meanwhile', async () => {
    const { failures, log, move, pulls, run } = laboratory(['a', 'b'], { type: 'linear', period: 250 });
    failures.send.push(500);
    const running = run();
    move(1);
    await running;
    expect(log.filter((line) => line.startsWith('sent'))).toEqual(['sent b', 'sent b']);
    expect(pulls).toHaveLength(1);
  });

  it.each([200, 201, 204, 102])('takes %d as an acceptance', async (status) => {
    const { failures, run } = laboratory(['a']);
    failures.send.push(status);
    expect(await run()).not.toContainEqual(expect.stringContaining('Could not'));
  });

  it.each([202, 301, 400, 404, 500])('takes %d as a failure', async (status) => {
    const { failures, run } = laboratory(['a']);
    failures.send.push(status);
    expect((await run()).filter((line) => line === 'sent a')).toHaveLength(2);
  });

  it('does nothing while nothing changes, and continues when something does', async () => {
    const { messageChanges, log, topic, worker } = laboratory([], { type: 'linear', period: 5 });
    const running = worker();
    await turns();
    expect(log).toEqual(['waited 0', 'well', 'waited 5']);
    topic.push('a');
    messageChanges.announce();
    await turns();
    expect(log).toEqual(['waited 0', 'well', 'waited 5', 'sent a', 'well', 'waited 5', 'well', 'waited 5']);
    await running.stop(0);
  });

  it('stops on request, and aborts a delivery only if that takes too long', async () => {
    const { failures, log, worker } = laboratory(['a']);
    failures.send.push(Number.POSITIVE_INFINITY);
    const running = worker();
    await turns();
    expect(log).toEqual(['waited 1000']);
    await running.stop(20);
    expect(log).toEqual(['waited 1000']); // only failures of the endpoint are reported
  });
});

const leased: PushTarget = { ...target, leased: true };

const leasedBatchOf = (log: string[], renew: PushBatch['renew']): PushBatch => ({
  subscription: 's',
  messages: [{ messageId: '0', data: '', publishTime: '' }],
  startedAt: 0,
  renew,
  acknowledge: async () => void log.push('acknowledged'),
  giveBack: async () => void log.push('given back'),
  takeBack: () => void log.push('taken back'),
  release: () => void log.push('released'),
});

/** Outcome of eight batches if only one can be read before the worker stops, which happens while it is being sent. */
const stopped = async (): Promise<readonly string[]> => {
  const log: string[] = [];
  const batch = leasedBatchOf(log, () => true);
  let begun: () => void = () => undefined;
  const sending = new Promise<void>((resolve) => {
    begun = resolve;
  });
  let leases = 0;
  const worker = new PushWorker(leased, {
    feed: {
      next: async (signal) => {
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
  const worker = new PushWorker(leased, {
    feed: { next: () => Promise.reject(new Error('Internal error')) },
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
  const batches = [leasedBatchOf(log, () => false)];
  const reported: (string | null)[] = [];
  const worker = new PushWorker(leased, {
    feed: { next: async () => batches.shift() ?? null },
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
