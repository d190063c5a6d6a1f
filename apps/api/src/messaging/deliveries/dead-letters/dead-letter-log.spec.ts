import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { AuthoredMessage, MessageLog } from '#api/messaging/messages/message-log.js';
import { rangesOf } from '#domain/messaging/deliveries/ranges.js';
import { messageSample } from '#test/support/messaging/delivery-samples.js';
import { DeadLetterLog } from './dead-letter-log.js';

const TOPIC = { projectId: 'p', topicId: 't' };

/** A topic of so many dead letters, in turn of the subscriptions `a` and `b`. `gone`: how many of them have expired. */
const topicOf = (messages: number, { bytes = 10, letters = (_offset: number): boolean => true } = {}) => {
  const state = { messages, gone: 0, taken: [] as number[], reads: 0 };
  const at = (offset: number): AuthoredMessage => {
    const attributes = { 'logbook-source-subscription': `projects/p/subscriptions/${offset % 2 === 0 ? 'a' : 'b'}` };
    const author = { kind: letters(offset) ? 'system' : 'user', id: 'deliveries' } as AuthoredMessage['author'];
    return { message: { ...messageSample(offset, { attributes }), bytes }, author };
  };
  const authored: MessageLog['authored'] = async (_topic, { from, direction, limit, maxBytes = Number.POSITIVE_INFINITY }) => {
    const found: AuthoredMessage[] = [];
    const [step, first] = direction === 'forwards' ? [1, Math.max(from, state.gone)] : [-1, Math.min(from, state.messages - 1)];
    for (let offset = first; offset >= state.gone && offset < state.messages; offset += step) {
      found.push(at(offset));
      if (found.length >= limit || found.length * bytes >= maxBytes) break;
    }
    state.reads += found.length;
    return found;
  };
  const log = new DeadLetterLog({ authored }, { redriven: async () => rangesOf(state.taken) }, { nextOffset: async () => state.messages });
  const count = async (from?: string) => (await log.count(TOPIC))(from);
  return { state, log, count };
};

afterEach(() => {
  jest.restoreAllMocks();
});

describe('dead letters of a topic', () => {
  it('are counted exactly, of each subscription, however many of them are newer than others', async () => {
    const { count, state } = topicOf(2_500);
    expect([await count(), await count('a'), await count('c')]).toEqual([2_500, 1_250, 0].map((all) => ({ count: all, exact: true })));
    state.taken = [0, 2, 2_499];
    expect([await count(), await count('a'), await count('b')]).toEqual([2_497, 1_248, 1_249].map((all) => ({ count: all, exact: true })));
  });

  it('are passed over once to be counted, for any number of subscriptions', async () => {
    const { log } = topicOf(2_500);
    const countOf = await log.count(TOPIC);
    const passes = jest.spyOn(Array.prototype, 'filter');
    const counts = Array.from({ length: 1_000 }, () => countOf('a').count);
    const made = passes.mock.calls.length;
    jest.restoreAllMocks();
    expect([made, new Set(counts)]).toEqual([0, new Set([1_250])]);
  });

  it('are read once to be counted, and then what has come since', async () => {
    const { count, state } = topicOf(2_500);
    await count();
    state.messages += 300;
    state.reads = 0;
    expect(await count()).toEqual({ count: 2_800, exact: true });
    expect(state.reads).toBe(300);
  });

  it('are counted up to 10,000 of them; what is redriven makes room for older ones', async () => {
    const { count, state } = topicOf(12_000);
    expect(await count()).toEqual({ count: 10_000, exact: false });
    state.taken = Array.from({ length: 4_000 }, (_, index) => 8_000 + index);
    expect(await count()).toEqual({ count: 8_000, exact: true });
    state.messages += 5_000;
    expect(await count()).toEqual({ count: 10_000, exact: false });
  });

  it('are counted over several calls where they are large, or among many other messages', async () => {
    const large = topicOf(40, { bytes: 1024 * 1024 });
    expect([await large.count(), await large.count(), await large.count()]).toEqual([
      { count: 16, exact: false },
      { count: 32, exact: false },
      { count: 40, exact: true },
    ]);
    const sparse = topicOf(120_000, { letters: (offset) => offset % 60_000 === 0 });
    expect([await sparse.count(), await sparse.count(), await sparse.count()]).toEqual([
      { count: 0, exact: false },
      { count: 1, exact: false },
      { count: 2, exact: true },
    ]);
  });

  it('are no longer counted a minute after they have expired', async () => {
    const { count, state } = topicOf(30);
    expect(await count()).toEqual({ count: 30, exact: true });
    state.gone = 20;
    expect(await count()).toEqual({ count: 30, exact: true });
    const later = performance.now() + 61_000;
    jest.spyOn(performance, 'now').mockReturnValue(later);
    expect(await count()).toEqual({ count: 10, exact: true });
  });

  it('are listed page by page down to the oldest one, each once; a call reads 50,000 messages at most', async () => {
    const { log, state } = topicOf(2_500);
    state.taken = Array.from({ length: 700 }, (_, index) => 600 + index);
    const listed: number[] = [];
    let pages = 0;
    for (let before: number | undefined | null; before !== null; pages++) {
      const { letters, next } = await log.newestFirst(TOPIC, 100, before);
      listed.push(...letters.map(({ message }) => message.offset));
      before = next;
    }
    const all = Array.from({ length: 2_500 }, (_, index) => 2_499 - index);
    expect([pages, listed]).toEqual([18, all.filter((offset) => !state.taken.includes(offset))]);
    const sparse = topicOf(120_000, { letters: (offset) => offset === 7 });
    const first = await sparse.log.newestFirst(TOPIC, 100);
    const second = await sparse.log.newestFirst(TOPIC, 100, first.next ?? 0);
    expect([first, second]).toEqual([70_000, 20_000].map((next) => ({ letters: [], next })));
    expect(await sparse.log.newestFirst(TOPIC, 100, 20_000)).toMatchObject({ letters: [{ message: { offset: 7 } }], next: null });
  });
});
