import { describe, expect, it } from '@jest/globals';
import type { Retention } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { unwanted } from '#test/support/messaging/delivery-samples.js';
import { LogRetention } from './log-retention.js';

const topic = (messageRetentionSeconds: number) => ({
  ...{ projectId: 'p', topicId: 't', name: 't', createdOn: '', order: '0', schemaId: null },
  settings: { labels: {}, messageRetentionSeconds },
});
const noTopics = { topicById: async () => undefined };

describe('How long messages of a topic are kept', () => {
  it('is set once before they are published, and again with each change: another node may have changed it meanwhile', async () => {
    const log: { kept?: Retention } = {};
    let sets = 0;
    const events = {
      readStream: unwanted,
      setRetention: async (_stream: string, retention: Retention) => {
        sets += 1;
        log.kept = retention;
      },
    };
    const [here, there] = [new LogRetention(events, 86_400, noTopics), new LogRetention(events, 86_400, noTopics)];
    await here.forMessages(topic(600));
    await here.forMessages(topic(600));
    expect([log.kept, sets]).toEqual([{ maxAgeSeconds: 600 }, 1]);
    await there.changeForMessages('t');
    expect(log.kept).toEqual({ maxAgeSeconds: 86_400 });
    await here.changeForMessages('t', 600);
    expect([log.kept, sets]).toEqual([{ maxAgeSeconds: 600 }, 3]);
  });

  it('is what the topic says in the end, whichever of two changes at the same time is set last', async () => {
    const log: { kept?: Retention } = {};
    const slow: (() => void)[] = [];
    const events = {
      readStream: unwanted,
      setRetention: async (_stream: string, retention: Retention) => {
        if (slow.length === 0) await new Promise<void>((resolve) => slow.push(resolve));
        log.kept = retention;
      },
    };
    const retention = new LogRetention(events, 86_400, noTopics);
    let now = topic(600);
    const current = async () => now;
    const first = retention.followTopic(topic(600), current);
    now = topic(7_200);
    await retention.followTopic(topic(7_200), current);
    for (const go of slow) go();
    await first;
    expect(log.kept).toEqual({ maxAgeSeconds: 7_200 });
  });

  it('is the current one also if a topic that is published to was read before its change', async () => {
    const limits: Retention[] = [];
    const setRetention = async (_stream: string, retention: Retention) => void limits.push(retention);
    const topicById = async (_projectId: string, topicId: string) => (topicId === 't' ? topic(7_200) : undefined);
    const retention = new LogRetention({ readStream: unwanted, setRetention }, 86_400, { topicById });
    await retention.changeForMessages('t', 7_200);
    await retention.forMessages(topic(600));
    await retention.forMessages({ projectId: 'p', topicId: 'gone' });
    expect(limits).toEqual([7_200, 7_200, 86_400].map((maxAgeSeconds) => ({ maxAgeSeconds })));
  });
});

it.each([
  ['deliveries', 1_000, (retention: LogRetention, keyed: boolean) => retention.forDeliveries('s', keyed)],
  ['changes of a cursor', 16, (retention: LogRetention, keyed: boolean) => retention.forCursor('s', { fresh: true, keyed })],
] as const)(
  'The limit of recorded %s is set before the first of them, and does not shrink on another node or after a restart',
  async (_what, least, limit) => {
    const stream: RecordedEvent[] = [];
    const limits: Retention[] = [];
    const events = {
      readStream: async () => stream,
      setRetention: async (_stream: string, retention: Retention) => void limits.push(retention),
    };
    const retention = new LogRetention(events, 86_400, noTopics);
    await limit(retention, false);
    stream.push({} as RecordedEvent);
    await limit(retention, true);
    const other = new LogRetention(events, 86_400, noTopics);
    await limit(other, false);
    expect(limits).toEqual([{ maxCount: least }, { maxCount: 1_000_000 }]);
    await limit(other, true);
    expect(limits.at(-1)).toEqual({ maxCount: 1_000_000 });
  },
);
