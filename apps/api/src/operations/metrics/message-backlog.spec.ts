import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import type { MessagingNow } from '#api/operations/messaging/messaging-now.js';
import { messageBacklog } from './message-backlog.js';

it('messages that wait are those of the last pass, and none before the first one has ended', async () => {
  let pass: Awaited<ReturnType<MessagingNow['newest']>> = null;
  const registry = new Registry();
  const count = messageBacklog(registry, { newest: async () => pass });
  const shown = async () => {
    await count();
    const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('logbook_'));
    return Object.fromEntries(lines.map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]));
  };
  expect(await shown()).toEqual({}); // not 0
  pass = { subscriptions: 1_200, waiting: 2_400, failing: { total: 3 }, countedAt: Date.now() - 5_000 } as unknown as typeof pass;
  const { logbook_messages_waiting_age_seconds: age, ...counts } = await shown();
  expect(counts).toEqual({ logbook_messages_waiting: 2_400, logbook_subscriptions: 1_200, logbook_subscriptions_push_failing: 3 });
  expect(age).toBeGreaterThanOrEqual(5);
});
