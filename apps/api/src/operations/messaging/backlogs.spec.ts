import { describe, expect, it } from '@jest/globals';
import { messagesStream } from '#domain/messaging/messages/message-events.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { SOME_CONTEXT } from '#test/support/messaging/delivery-samples.js';
import { BacklogAges } from './backlog-ages.js';
import { Backlogs, type SubscriptionOffset } from './backlogs.js';
import { FirstMessages } from './first-messages.js';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const HOUR = 3_600;
const ago = (seconds: number): string => new Date(NOW - 1_000 * seconds).toISOString();

/**
 * Topics with messages of `bytes` each, published at these ages in seconds; `gone`: number of expired ones; `slow`: seconds by which the clocks of
 * their writers are slow.
 */
const backlogsOf = (topics: Readonly<Record<string, readonly number[]>>, { bytes = 10, gone = 0, slow = [] as readonly number[] } = {}) => {
  const state = { now: NOW, gone, reads: [] as string[] };
  const readStream = async (stream: string, { from = 0n }: { from?: bigint }): Promise<readonly RecordedEvent[]> => {
    const [topicId, ages = []] = Object.entries(topics).find(([id]) => messagesStream(id) === stream) ?? [];
    const revision = Math.max(Number(from), state.gone);
    const age = ages[revision];
    state.reads.push(`${topicId} ${from}`);
    if (age === undefined) return [];
    const place = { id: `${revision}`, stream, revision: BigInt(revision), position: BigInt(revision + 1), recordedAt: 0 };
    const metadata = { ...SOME_CONTEXT, schemaVersion: 1, time: ago(age + (slow[revision] ?? 0)) };
    return [{ ...place, type: 'MessagePublished', data: { publishTime: ago(age), data: 'x'.repeat(bytes) }, metadata }];
  };
  const clock = () => state.now;
  const firsts = new FirstMessages({ readStream }, clock, { messagingRetentionSeconds: 24 * HOUR });
  const backlogs = new Backlogs(firsts, clock);
  const ages = new BacklogAges(firsts, clock);
  const standing = (topicId: string, offset: number, options: SubscriptionOffset['options'] = {}): SubscriptionOffset => {
    const ages = topics[topicId] ?? [];
    const newest = ages.at(-1);
    const totals = { messages: ages.length, lastPublish: newest === undefined ? null : ago(newest) };
    return { options, topic: { topicId }, totals, offset };
  };
  return { state, backlogs, ages, standing, one: async (...of: Parameters<typeof standing>) => (await backlogs.of([standing(...of)]))[0] };
};
const NOTHING = { backlog: 0, oldestPublishedAt: null, exact: true };

describe('What waits in a subscription', () => {
  it('is what was published since it stands there and has not expired', async () => {
    const { one } = backlogsOf({ t: [300, 200, 100] }, { gone: 1 });
    expect(await one('t', 0)).toEqual({ backlog: 2, oldestPublishedAt: ago(200), exact: true });
    expect(await one('t', 2)).toEqual({ backlog: 1, oldestPublishedAt: ago(100), exact: true });
    expect(await one('t', 3)).toEqual(NOTHING);
  });

  it('is nothing where its topic is gone, or all of it has expired', async () => {
    const { one, backlogs, standing } = backlogsOf({ t: [300] }, { gone: 1 });
    expect(await one('t', 0)).toEqual(NOTHING);
    expect(await backlogs.of([{ ...standing('t', 0), topic: undefined }])).toEqual([NOTHING]);
  });

  it('is never older than its retention', async () => {
    const { one } = backlogsOf({ t: [300, 200, 100] });
    expect(await one('t', 0, { messageRetentionSeconds: 400 })).toEqual({ backlog: 3, oldestPublishedAt: ago(300), exact: true });
    expect(await one('t', 0, { messageRetentionSeconds: 150 })).toEqual({ backlog: 3, oldestPublishedAt: ago(150), exact: false });
    expect(await one('t', 0, { messageRetentionSeconds: 60 })).toEqual(NOTHING);
  });

  it('is at most so much with a filter, or where messages are acknowledged one by one', async () => {
    const { one } = backlogsOf({ t: [300, 200] });
    for (const options of [{ filter: 'attributes:x' }, { ackMode: 'message' }] as const)
      expect(await one('t', 0, options)).toEqual({ backlog: 2, oldestPublishedAt: ago(300), exact: false });
  });

  it('is read once until it may have expired, whoever asks', async () => {
    const { one, state } = backlogsOf({ t: [300, 200, 100] });
    await Promise.all([one('t', 0), one('t', 0)]);
    state.now += 3_000_000;
    expect(await one('t', 0)).toMatchObject({ backlog: 3, oldestPublishedAt: ago(300) });
    expect(state.reads).toEqual(['t 0']);
    Object.assign(state, { now: NOW + 24 * HOUR * 1_000 - 150_000, gone: 2 });
    expect(await one('t', 0)).toMatchObject({ backlog: 1, oldestPublishedAt: ago(100) });
    expect(state.reads).toEqual(['t 0', 't 0']);
  });

  it('is read for some subscriptions at a time where messages are large', async () => {
    const { backlogs, standing, state } = backlogsOf({ a: [3], b: [2], c: [1] }, { bytes: 10 * 1024 * 1024 });
    const all = ['a', 'b', 'c'].map((topicId) => standing(topicId, 0));
    const unknown = { backlog: 1, oldestPublishedAt: null, exact: false };
    expect((await backlogs.of(all)).map(({ oldestPublishedAt }) => oldestPublishedAt)).toEqual([ago(3), ago(2), null]);
    expect((await backlogs.of(all))[2]).not.toEqual(unknown);
    expect(state.reads).toEqual(['a 0', 'b 0', 'c 0']);
  });

  it('is as old as its publish times say, whatever the clocks of the nodes that stored it', async () => {
    const { one, ages, standing } = backlogsOf({ t: [4_000, 30, 20, 10] }, { slow: [0, 0, 4_000] });
    expect(await one('t', 2)).toMatchObject({ oldestPublishedAt: ago(20) });
    expect((await ages.of(standing('t', 0))).map(({ messages }) => messages)).toEqual([3, 0, 0, 1, 0]);
  });

  it('is counted by age from the same messages', async () => {
    const { backlogs, ages, standing, state } = backlogsOf({ t: [90_000, 4_000, 3_900, 30] });
    await backlogs.of([standing('t', 1)]);
    const counts = (await ages.of(standing('t', 1))).map(({ messages }) => messages);
    expect(counts).toEqual([1, 0, 0, 2, 0]);
    expect(state.reads.filter((read) => read === 't 1')).toHaveLength(1);
    const before = state.reads.length;
    expect((await ages.of(standing('t', 1))).map(({ messages }) => messages)).toEqual(counts);
    expect(state.reads).toHaveLength(before);
  });
});
