import { describe, expect, it } from '@jest/globals';
import type { Retention } from '#domain/shared/event-store.js';
import { LogRetention } from './log-retention.js';

describe('How long messages of a topic are kept', () => {
  it('is set once before they are published, and again with each change: another node may have changed it meanwhile', async () => {
    const log: { kept?: Retention } = {};
    let sets = 0;
    const events = {
      setRetention: async (_stream: string, retention: Retention) => {
        sets += 1;
        log.kept = retention;
      },
    };
    const [here, there] = [new LogRetention(events, 86_400), new LogRetention(events, 86_400)];
    await here.forMessages('t', 600);
    await here.forMessages('t', 600);
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
      setRetention: async (_stream: string, retention: Retention) => {
        if (slow.length === 0) await new Promise<void>((resolve) => slow.push(resolve));
        log.kept = retention;
      },
    };
    const retention = new LogRetention(events, 86_400);
    const topic = (messageRetentionSeconds: number) => ({ topicId: 't', settings: { labels: {}, messageRetentionSeconds } });
    let now = topic(600);
    const current = async () => now;
    const first = retention.followTopic(topic(600), current);
    now = topic(7_200);
    await retention.followTopic(topic(7_200), current);
    for (const go of slow) go();
    await first;
    expect(log.kept).toEqual({ maxAgeSeconds: 7_200 });
  });
});
