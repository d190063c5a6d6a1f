import { describe, expect, it } from '@jest/globals';
import type { MessageSource } from '#api/messaging/messages/message-log.js';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import { collectGarbage } from '#test/support/collect-garbage.js';
import { eventually } from '#test/support/eventually.js';
import { messageSample } from '#test/support/messaging/delivery-samples.js';
import { turns } from '#test/support/turns.js';
import { PushedMessages, PushRoom, waitedPage } from './push-room.js';

const MIB = 1024 * 1024;
const NEVER = new AbortController().signal;

/** Topics with one message of this size each, and how many bytes of them are in memory. */
const topicOf = (bytes: number) => {
  const memory = { reading: 0, read: 0, mostReading: 0 };
  const source: MessageSource<StoredMessage> = {
    page: async () => {
      memory.mostReading = Math.max(memory.mostReading, ++memory.reading);
      await new Promise((resolve) => setImmediate(resolve));
      memory.reading--;
      memory.read++;
      return [{ offset: 0, bytes } as StoredMessage];
    },
  };
  return { memory, source };
};

describe('Memory for deliveries', () => {
  it('bounds what many deliveries of large messages read and hold', async () => {
    const room = new PushRoom();
    const { memory, source } = topicOf(10 * MIB);
    let [held, mostHeld] = [0, 0];
    const deliveries = Array.from({ length: 200 }, async (_, index) => {
      const reservation = room.open(`project ${index % 20}`, NEVER);
      const page = await waitedPage(new PushedMessages(source, reservation), 't', 0, 1, MIB);
      mostHeld = Math.max(mostHeld, ++held);
      await new Promise((resolve) => setImmediate(resolve));
      held--;
      reservation.close();
      return page?.length;
    });
    expect(new Set(await Promise.all(deliveries))).toEqual(new Set([1]));
    expect(memory.mostReading).toBe(5);
    expect(mostHeld).toBeLessThanOrEqual(7);
    expect(room.taken).toBe(0);
  });

  it('is not all given to one project', async () => {
    const room = new PushRoom();
    const { memory, source } = topicOf(10 * MIB);
    const pageFor = (project: string, signal = NEVER) => waitedPage(new PushedMessages(source, room.open(project, signal)), 't', 0, 1, MIB);
    await pageFor('large');
    const leaving = new AbortController();
    const waiting = pageFor('large', leaving.signal);
    await eventually(async () => memory.read).until((read) => read === 2);
    expect(await pageFor('other')).toHaveLength(1);
    leaving.abort();
    expect(await waiting).toBeNull();
    expect(room.taken).toBe(20 * MIB);
  });

  it('holds no page of a delivery that waits', async () => {
    const room = new PushRoom();
    const others = room.open('p', NEVER);
    others.hold(18 * MIB);
    const read: WeakRef<StoredMessage>[] = [];
    const page = async () => {
      const message = { offset: 0, bytes: 10 * MIB } as StoredMessage;
      read.push(new WeakRef(message));
      return [message];
    };
    const waiting = waitedPage(new PushedMessages({ page }, room.open('p', NEVER)), 't', 0, 1, MIB);
    await turns();
    collectGarbage();
    expect(read.map((message) => message.deref())).toEqual([undefined]);
    others.close();
    expect(await waiting).toHaveLength(1);
  });

  it('is not waited for in the turn of a subscription', async () => {
    const room = new PushRoom();
    const others = room.open('p', NEVER);
    others.hold(18 * MIB);
    const messages = new PushedMessages(topicOf(10 * MIB).source, room.open('p', NEVER));
    expect(await messages.page('t', 0, 1, MIB)).toBeNull();
    const reserved = messages.reserve();
    others.close();
    expect(await reserved).toBe(true);
    expect(await messages.page('t', 0, 1, MIB)).toHaveLength(1);
    expect([room.taken, messages.reserve()]).toEqual([10 * MIB, undefined]);
  });

  it('is waited for before a read if others wait for it; small deliveries then do not wait for one another', async () => {
    const room = new PushRoom();
    const { memory, source } = topicOf(1);
    const [others, first] = [room.open('p', NEVER), room.open('p', NEVER)];
    others.hold(18 * MIB);
    const granted = first.reserve(17 * MIB);
    const pages = [1, 2, 3].map(() => waitedPage(new PushedMessages(source, room.open('p', NEVER)), 't', 0, 1, MIB));
    await turns();
    expect(memory.read).toBe(0);
    others.close();
    expect(await granted).toBe(true);
    expect(await Promise.all(pages)).toEqual(Array(3).fill([expect.objectContaining({ offset: 0 })]));
    expect(memory.read).toBe(3);
  });

  it('counts attributes and ordering keys', async () => {
    const room = new PushRoom();
    const message = messageSample(0, { attributes: { k: 'v'.repeat(MIB) }, orderingKey: 'o'.repeat(MIB) });
    await waitedPage(new PushedMessages({ page: async () => [message] }, room.open('p', NEVER)), 't', 0, 1, MIB);
    expect(room.taken).toBeGreaterThan(2 * MIB);
  });

  it('is waited for again after a page that was empty when its memory came', async () => {
    const room = new PushRoom();
    const waiting = room.open('p', NEVER);
    waiting.hold(18 * MIB);
    const pages = [10 * MIB, 0, 10 * MIB, 10 * MIB].map((bytes) => (bytes === 0 ? [] : [{ offset: 0, bytes } as StoredMessage]));
    const messages = new PushedMessages({ page: async () => pages.shift() ?? [] }, room.open('p', NEVER));
    const first = waitedPage(messages, 't', 0, 1, MIB);
    await turns();
    waiting.release();
    expect(await first).toEqual([]);
    waiting.hold(18 * MIB);
    const second = waitedPage(messages, 't', 0, 1, MIB);
    await turns();
    waiting.close();
    expect(await second).toHaveLength(1);
  });

  it('is returned before a delivery waits for messages', async () => {
    const room = new PushRoom();
    const messages = new PushedMessages(topicOf(MIB).source, room.open('p', NEVER));
    await messages.page('t', 0, 1, MIB);
    expect(room.taken).toBe(MIB);
    messages.dropped();
    expect(room.taken).toBe(0);
  });
});
