import { describe, expect, it } from '@jest/globals';
import type { RecordedEvent } from '#domain/shared/events.js';
import { SOME_CONTEXT } from '#test/support/messaging/delivery-samples.js';
import { turns } from '#test/support/turns.js';
import { MessageLog } from './message-log.js';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

type Watch = Readonly<{ counted?: () => number | Promise<number>; beforeRead?: () => void }>;

/** A topic with a message of each minute. The counters count the first `counted` of them. `beforeRead`: called before each read of the log. */
const topicOf = (messages: number, { counted = () => messages, beforeRead }: Watch = {}) => {
  const events: RecordedEvent[] = [];
  const publish = (): void => {
    const revision = BigInt(events.length);
    const place = { id: `${revision}`, stream: 'messages-t', revision, position: revision + 1n, recordedAt: 0 };
    const data = { projectId: 'p', publishTime: at(events.length), data: 'YQ==' };
    events.push({ ...place, type: 'MessagePublished', data, metadata: { ...SOME_CONTEXT, schemaVersion: 1 } });
  };
  for (let count = 0; count < messages; count++) publish();
  const readStream = async (_stream: string, { from = 0n, limit = 1, direction = 'forwards' } = {}): Promise<readonly RecordedEvent[]> => {
    beforeRead?.();
    return direction === 'forwards' ? events.slice(Number(from), Number(from) + limit) : events.slice(-limit);
  };
  const log = new MessageLog({ readStream }, (found) => found, { nextOffset: async () => counted() });
  return { log, publish };
};

describe('The bounds of a log', () => {
  it('do not exclude a first message that is published while they are read', async () => {
    const { log, publish } = topicOf(0, {
      counted: async () => {
        await turns();
        publish();
        return 1;
      },
    });
    expect(await log.bounds('t')).toEqual({ min: 0, max: 1 });
  });

  it('include messages that the counters do not count yet', async () => {
    const { log } = topicOf(3, { counted: () => 1 });
    expect(await log.bounds('t')).toEqual({ min: 0, max: 3 });
  });
});

describe('The first message since an instant', () => {
  it('is found among those that were published before', async () => {
    const { log } = topicOf(5);
    expect([await log.firstSince('t', at(3)), await log.firstSince('t', at(5))]).toEqual([3, undefined]);
    expect([await log.placeSince('t', at(3)), await log.placeSince('t', at(5))]).toEqual([3, 5]);
  });

  it('is not passed over if it is published during the search', async () => {
    let reads = 0;
    const { log, publish } = topicOf(5, {
      beforeRead: () => {
        if (reads++ === 4) publish();
      },
    });
    expect(await log.placeSince('t', at(5))).toBe(5);
    expect((await log.page('t', 5, 1))[0]?.publishTime).toBe(at(5));
  });
});
