import { describe, expect, it } from '@jest/globals';
import type { MessageSource } from '#api/messaging/messages/message-log.js';
import type { WireMessage } from '#api/messaging/messages/message-texts.js';
import { MemoryBudget } from '#infra/platform/scheduling/memory-budget.js';
import { PullReservation } from './pull-memory.js';
import { ReservedMessages } from './reserved-messages.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const NEVER = new AbortController().signal;

/** A topic with messages of these sizes in bytes, and a record of the requests to it. */
const topicOf = (sizes: readonly number[]) => {
  const asked: number[] = [];
  const pages: MessageSource<WireMessage> = {
    page: async (_topicId, from, limit, maxBytes = Number.POSITIVE_INFINITY) => {
      asked.push(from);
      const page: WireMessage[] = [];
      let bytes = 0;
      for (let offset = from; offset < sizes.length && page.length < limit && bytes < maxBytes; offset++) {
        const size = sizes[offset] ?? 0;
        page.push({ offset, bytes: size, text: '', size });
        bytes += size;
      }
      return page;
    },
  };
  return { asked, pages };
};

const offsetsOf = (messages: readonly WireMessage[]): string => `${messages[0]?.offset}-${messages.at(-1)?.offset}`;

describe('Messages for an answer', () => {
  it('are read at once if they are small', async () => {
    const { asked, pages } = topicOf(Array(50).fill(KIB));
    const answer = new PullReservation(new MemoryBudget(MIB), 'p', NEVER);
    expect(await new ReservedMessages(pages, answer).page('t', 0, 100, 16 * MIB)).toHaveLength(50);
    expect(asked).toEqual([0]);
  });

  it('are read part by part if they are large', async () => {
    const { asked, pages } = topicOf(Array(30).fill(MIB));
    const room = new MemoryBudget(100 * MIB);
    const page = await new ReservedMessages(pages, new PullReservation(room, 'p', NEVER)).page('t', 0, 100, 16 * MIB);
    expect(offsetsOf(page)).toBe('0-15');
    expect(asked).toEqual([0, 2, 4, 6, 8, 10, 12, 14]);
    expect(room.taken).toBe(16 * MIB);
  });

  it('end where no memory can be reserved for more', async () => {
    const { pages } = topicOf(Array(30).fill(MIB));
    const room = new MemoryBudget(7 * MIB);
    const answer = new PullReservation(room, 'p', NEVER);
    expect(offsetsOf(await new ReservedMessages(pages, answer).page('t', 0, 100, 16 * MIB))).toBe('0-5');
    answer.close();
    expect(room.taken).toBe(0);
  });

  it('wait for memory if there is none, and then include the first message, however large', async () => {
    const { asked, pages } = topicOf([10 * MIB, MIB]);
    const room = new MemoryBudget(4 * MIB);
    const others = room.tryTake(MIB);
    const reading = new ReservedMessages(pages, new PullReservation(room, 'p', NEVER)).page('t', 0, 100, 16 * MIB);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(room.isCrowded).toBe(true);
    others?.();
    expect(offsetsOf(await reading)).toBe('0-0');
    expect(asked).toEqual([0, 0, 1]);
  });

  it('are not read while others wait for memory', async () => {
    const { asked, pages } = topicOf([KIB]);
    const room = new MemoryBudget(MIB);
    const others = room.tryTake(MIB);
    const waiting = room.take('q', MIB);
    const gone = new AbortController();
    const reading = new ReservedMessages(pages, new PullReservation(room, 'p', gone.signal)).page('t', 0, 100, 16 * MIB);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(asked).toEqual([]);
    gone.abort();
    expect(await reading).toEqual([]);
    others?.();
    (await waiting)();
    expect(room.taken).toBe(0);
  });

  it('are read completely without a bound', async () => {
    const { pages } = topicOf(Array(8).fill(MIB));
    const room = new MemoryBudget(20 * MIB);
    expect(offsetsOf(await new ReservedMessages(pages, new PullReservation(room, 'p', NEVER)).page('t', 0, 8))).toBe('0-7');
    expect(room.taken).toBe(8 * MIB);
  });
});
