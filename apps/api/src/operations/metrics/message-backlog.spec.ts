import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import type { WaitingIn } from '#api/operations/messaging/waiting-in-all.js';
import { messageBacklog } from './message-backlog.js';

/** A subscription in which two messages wait. */
const waiting = (state: NonNullable<WaitingIn['push']>['state'] | null): WaitingIn => ({
  ...{ projectId: 'p', subscriptionId: 's', name: 's', deadLetterTopic: null, waits: true },
  ...{ backlog: 2, oldestPublishedAt: null, exact: true, push: state && { state, error: null, lastError: null } },
});

it('messages that wait are counted over several calls where there are many subscriptions, and shown when the count is complete', async () => {
  const state = { fails: false };
  const pages = async function* () {
    for (const subscriptions of [500, 500, 200]) {
      if (state.fails) throw new Error('the store is away');
      yield {
        subscriptions,
        items: Array.from({ length: subscriptions }, (_, index) => waiting(index === 0 ? 'failing' : index === 1 ? 'not verified' : null)),
      };
    }
  };
  const registry = new Registry();
  const count = messageBacklog(registry, { pages }, { keepMs: 0, atOnceMs: 0 });
  const shown = async () =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => /^logbook_(messages_waiting|subscriptions|subscriptions_push_failing) /.test(line))
      .sort();
  const complete = ['logbook_messages_waiting 2400', 'logbook_subscriptions 1200', 'logbook_subscriptions_push_failing 3'];

  for (let page = 1; page <= 3; page++) {
    await count();
    expect(await shown()).toEqual([]); // not 0
  }
  await count();
  expect(await shown()).toEqual(complete);

  // A failed count is discarded, and the previous one stays.
  await count();
  state.fails = true;
  await expect(count()).rejects.toThrow('the store is away');
  state.fails = false;
  for (let page = 1; page <= 4; page++) await count();
  expect(await shown()).toEqual(complete);
});
