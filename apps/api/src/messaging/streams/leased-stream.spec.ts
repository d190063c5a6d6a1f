import { expect, it } from '@jest/globals';
import type { Deliveries } from '#api/messaging/deliveries/deliveries.js';
import type { PullDeliveries } from '#api/messaging/deliveries/pull-deliveries.js';
import type { SubscribedMessages } from '#api/messaging/messages/selection/selected-messages.js';
import { AnswerRoom } from '#api/shared/answers/answer-room.js';
import { subscriptionSample } from '#test/support/messaging/delivery-samples.js';
import { LeasedStream } from './leased-stream.js';

const MIB = 1024 * 1024;

it('A stream without memory for messages waits for it, outside of its look, and keeps none that it does not need', async () => {
  const room = new AnswerRoom({ all: 20 * MIB, share: 20 * MIB });
  const over = new AbortController();
  const others = room.open('caller', over.signal);
  others.hold(20 * MIB);
  const seen: unknown[] = [];
  const pull = async (...[, , { source }]: Parameters<PullDeliveries['pull']>) => {
    const page = () => source.page('t', 0, 1, MIB);
    seen.push(await page());
    const reserved = source.reserve?.();
    others.close();
    seen.push(await reserved, (await page())?.length, room.taken);
    source.dropped?.();
    over.abort();
    return null;
  };
  const message = { offset: 0, bytes: 1, text: '', size: 10 * MIB };
  const parts = {
    deliveries: { of: async () => ({ options: {}, ended: over.signal }) } as unknown as Deliveries,
    pulls: { pull } as unknown as PullDeliveries,
    messages: { wire: () => ({ page: async () => [message] }) } as unknown as SubscribedMessages,
    reservation: room.open('caller', over.signal),
  };
  expect(await new LeasedStream(parts, { found: subscriptionSample(), most: 1, signal: over.signal }).take()).toEqual([]);
  expect([seen, room.taken]).toEqual([[null, true, 1, 10 * MIB], 0]);
});
