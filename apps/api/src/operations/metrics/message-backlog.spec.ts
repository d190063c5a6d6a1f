import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { RESOURCES, subscriptions, topics } from '#projections/messaging/resources/documents.js';
import { COUNTERS, topics as counters } from '#projections/messaging/traffic/documents.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { memoryView } from '#test/support/memory-view.js';
import { messageBacklog } from './message-backlog.js';

const SUBSCRIPTIONS = 1_200;

/** Subscriptions of one topic with two messages, none of which was pulled. */
const storeOfMany = () => {
  const documents = Array.from({ length: SUBSCRIPTIONS }, (_, index) => {
    const subscriptionId = `s${String(index).padStart(5, '0')}`;
    const document = { subscriptionId, topic: 't', topicId: 'topic', startOffset: 0 };
    return [subscriptions.byId.key(['project', subscriptionId]), JSON.stringify(document)];
  });
  const named = { [topics.byName.key(['project', 't'])]: JSON.stringify({ topicId: 'topic' }) };
  const views: Readonly<Record<string, ReadView>> = {
    [RESOURCES]: memoryView({ [subscriptions.byId.name]: Object.fromEntries(documents), [topics.byName.name]: named }),
    [COUNTERS]: memoryView({ [counters.name]: { topic: JSON.stringify({ messages: 2 }) } }),
  };
  return { fails: false, views };
};

it('messages that wait are counted over several calls where there are many subscriptions, and shown when the count is complete', async () => {
  const { views, ...state } = storeOfMany();
  const view = (projection: string) => {
    const known = views[projection];
    if (!known) throw new Error(`there is no read model ${projection}`);
    const range: ReadView['range'] = async (...of) => {
      if (state.fails) throw new Error('the store is away');
      return known.range(...of);
    };
    return { ...known, range };
  };
  const registry = new Registry();
  const count = messageBacklog(registry, { view } as Pick<ReadStore, 'view'> as ReadStore, { keepMs: 0, atOnceMs: 0 });
  const shown = async () =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => /^logbook_(messages_waiting|subscriptions) /.test(line))
      .sort();
  const complete = [`logbook_messages_waiting ${2 * SUBSCRIPTIONS}`, `logbook_subscriptions ${SUBSCRIPTIONS}`];

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
