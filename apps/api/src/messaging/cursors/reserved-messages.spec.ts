import { describe, expect, it } from '@jest/globals';
import type { MessageSource } from '#api/messaging/messages/message-log.js';
import type { WireMessage } from '#api/messaging/messages/message-texts.js';
import { AnswerRoom } from '#api/shared/answers/answer-room.js';
import { collectGarbage } from '#test/support/collect-garbage.js';
import { eventually } from '#test/support/eventually.js';
import { turns } from '#test/support/turns.js';
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

/** Memory of a size, and a reservation in it. The caller may take all of it. */
const roomOf = (bytes: number) => {
  const room = new AnswerRoom({ all: bytes, share: bytes });
  return { room, answer: room.open('caller', NEVER) };
};

const LIMIT = 16 * MIB;

describe('Messages for an answer', () => {
  it('are read at once if they are small', async () => {
    const { asked, pages } = topicOf(Array(10).fill(KIB));
    const { room, answer } = roomOf(MIB);
    expect(await new ReservedMessages(pages, answer).page('t', 0, 100, LIMIT)).toHaveLength(10);
    expect([asked, room.taken]).toEqual([[0], 0]);
  });

  it('are read part by part if they are large', async () => {
    const { asked, pages } = topicOf(Array(30).fill(MIB));
    const { room, answer } = roomOf(100 * MIB);
    const page = await new ReservedMessages(pages, answer).page('t', 0, 100, LIMIT);
    expect(offsetsOf(page)).toBe('0-15');
    expect(asked).toEqual([0, 2, 4, 6, 8, 10, 12, 14]);
    expect(room.taken).toBe(16 * MIB);
  });

  it('end where no memory can be reserved for more', async () => {
    const { pages } = topicOf(Array(30).fill(MIB));
    const { room, answer } = roomOf(7 * MIB);
    expect(offsetsOf(await new ReservedMessages(pages, answer).page('t', 0, 100, LIMIT))).toBe('0-5');
    answer.close();
    expect(room.taken).toBe(0);
  });

  it('wait for memory if there is none, and then include the first message, however large', async () => {
    const { asked, pages } = topicOf([10 * MIB, MIB]);
    const { room, answer } = roomOf(4 * MIB);
    const others = room.open('caller', NEVER);
    others.hold(MIB);
    const reading = new ReservedMessages(pages, answer).page('t', 0, 100, LIMIT);
    await eventually(async () => answer.isContended).until(Boolean);
    expect(asked).toEqual([0]);
    others.close();
    expect(offsetsOf(await reading)).toBe('0-0');
    expect([asked, room.taken]).toEqual([[0, 0, 1], 10 * MIB]);
  });

  it('are not kept by a call that waits for memory', async () => {
    const { room, answer } = roomOf(4 * MIB);
    const others = room.open('caller', NEVER);
    others.hold(MIB);
    const read: WeakRef<WireMessage>[] = [];
    const page = async () => {
      const message = { offset: 0, bytes: 10 * MIB, text: '', size: 10 * MIB };
      read.push(new WeakRef(message));
      return [message];
    };
    const reading = new ReservedMessages({ page }, answer).page('t', 0, 1, LIMIT);
    await turns();
    collectGarbage();
    expect(read.map((message) => message.deref())).toEqual([undefined]);
    others.close();
    expect(await reading).toHaveLength(1);
  });

  it('are not read while others wait for memory', async () => {
    const { asked, pages } = topicOf([KIB]);
    const { room } = roomOf(MIB);
    const [others, waiting, gone] = [room.open('caller', NEVER), room.open('caller', NEVER), new AbortController()];
    others.hold(MIB);
    const granted = waiting.reserve(MIB);
    const reading = new ReservedMessages(pages, room.open('caller', gone.signal)).page('t', 0, 100, LIMIT);
    gone.abort();
    expect(await reading).toEqual([]);
    expect(asked).toEqual([]);
    others.close();
    expect(await granted).toBe(true);
    waiting.close();
    expect(room.taken).toBe(0);
  });

  it('of a thousand calls are read by few at a time, and held only as far as the share of the caller allows', async () => {
    const size = 10 * MIB;
    const room = new AnswerRoom({ all: 128 * MIB, share: 32 * MIB });
    let [reading, mostReading, held, mostHeld] = [0, 0, 0, 0];
    const pages: MessageSource<WireMessage> = {
      page: async () => {
        mostReading = Math.max(mostReading, ++reading);
        await new Promise((resolve) => setImmediate(resolve));
        reading--;
        return [{ offset: 0, bytes: size, text: '', size }];
      },
    };
    const calls = Array.from({ length: 1_000 }, async () => {
      const answer = room.open('caller', NEVER);
      const page = await new ReservedMessages(pages, answer).page('t', 0, 1, LIMIT);
      mostHeld = Math.max(mostHeld, ++held);
      await new Promise((resolve) => setImmediate(resolve));
      held--;
      answer.close();
      return page.length;
    });
    expect(new Set(await Promise.all(calls))).toEqual(new Set([1]));
    expect([mostReading, mostHeld, room.taken]).toEqual([5, 3, 0]);
  });

  it('are read completely without a bound', async () => {
    const { pages } = topicOf(Array(8).fill(MIB));
    const { room, answer } = roomOf(20 * MIB);
    expect(offsetsOf(await new ReservedMessages(pages, answer).page('t', 0, 8))).toBe('0-7');
    expect(room.taken).toBe(8 * MIB);
  });
});
