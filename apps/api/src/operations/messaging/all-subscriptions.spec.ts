import { describe, expect, it } from '@jest/globals';
import type { PushState } from '#api/messaging/push-availability.js';
import type { AccountQueries } from '#projections/messaging/accounts/queries.js';
import type { AttachedSubscriptions } from '#projections/messaging/resources/attached-subscriptions.js';
import type { SubscriptionDocument, TopicDocument } from '#projections/messaging/resources/queries.js';
import { AllSubscriptions, type Order } from './all-subscriptions.js';
import { MessagingNow } from './messaging-now.js';
import type { WaitingIn } from './waiting-in-all.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const ago = (seconds: number): string => new Date(NOW - 1_000 * seconds).toISOString();

/** State of a push that has failed for so many seconds. */
const failing = (seconds: number): PushState => {
  const error = { at: ago(1), message: 'refused', since: ago(seconds) };
  return { state: 'failing', error, lastError: error };
};
const push = (state: PushState['state']): PushState => ({ state, error: null, lastError: null });

/** Subscriptions `s0`, `s1`, … that differ in these members, the oldest message of each as many seconds old as its number. */
const listOf = (changes: readonly Partial<WaitingIn>[]) => {
  const looks = { pages: 0, documents: 0, topics: 0 };
  const pages = async function* () {
    for (let from = 0; from < changes.length; from += 50) {
      looks.pages += 1;
      const items = changes.slice(from, from + 50).map((change, index): WaitingIn => {
        const at = from + index;
        const oldestPublishedAt = change.backlog ? ago(at) : null;
        const named = { projectId: 'p', subscriptionId: `s${at}`, name: `s${at}`, deadLetterTopic: null, push: null, waits: true };
        return { ...named, backlog: 0, oldestPublishedAt, exact: true, ...change };
      });
      yield { subscriptions: items.length, items };
    }
  };
  const byIds: AttachedSubscriptions['byIds'] = async (references) => {
    looks.documents += references.length;
    return references.map(({ subscriptionId }) =>
      subscriptionId === 's999' ? undefined : ({ subscriptionId, name: subscriptionId, topic: 't' } as SubscriptionDocument),
    );
  };
  const topicsOf: AttachedSubscriptions['topicsOf'] = async (found) =>
    found.map(({ document: { topic } }) => (topic === 'gone' ? undefined : ({ topicId: topic } as TopicDocument)));
  /** As many as the number of the subscription says, or 5 in a topic. */
  const letters = async () => {
    looks.topics += 1;
    return (from?: string) => ({ count: from === undefined ? 5 : Number(from.slice(1)), exact: true });
  };
  const created = { createdOn: '', modifiedOn: '', order: '', createdBy: null };
  const project: AccountQueries['project'] = async (projectId) => ({ projectId, name: 'grid', description: '', ...created });
  const projects: AccountQueries['projects'] = (ids) => Promise.all(ids.map(project));
  const now = new MessagingNow({ pages }, { topicsOf }, { count: letters }, { project }, () => NOW);
  const all = new AllSubscriptions(now, { projects }, { byIds });
  const names = async (order: Order, limit = 100) => {
    const { items, total } = (await all.list(order, limit)) as { items: readonly { name: string }[]; total: number };
    return { names: items.map(({ name }) => name), total };
  };
  return { looks, now, all, names };
};
const backlogs = (...of: readonly number[]) => of.map((backlog) => ({ backlog }));

describe('Subscriptions of all projects', () => {
  it('are listed by their backlog, those without one at the end, or by the age of the oldest message', async () => {
    const { names } = listOf(backlogs(5, 0, 9, 1));
    expect(await names('backlog')).toEqual({ names: ['s2', 's0', 's3', 's1'], total: 4 });
    expect(await names('oldest')).toEqual({ names: ['s3', 's2', 's0'], total: 3 });
    expect(await names('backlog', 1)).toEqual({ names: ['s2'], total: 4 });
  });

  it('have a sum of their backlogs, an upper bound if one of them is', async () => {
    expect(await listOf(backlogs(5, 2)).now.sums()).toMatchObject({ waiting: 7, exact: true });
    expect(await listOf([{ backlog: 5 }, { backlog: 2, exact: false }, { backlog: 1 }]).now.sums()).toMatchObject({
      waiting: 8,
      exact: false,
    });
  });

  it('whose push fails are listed and counted apart from those whose endpoint is not verified', async () => {
    const { names, now } = listOf([
      ...[{ push: push('not verified') }, { push: failing(60) }, { push: push('active') }],
      ...[{ push: failing(90) }, { push: push('unavailable') }, {}, { push: push('not verified') }],
    ]);
    expect(await names('push')).toEqual({ names: ['s3', 's1', 's4', 's0', 's6'], total: 5 });
    expect(await now.sums()).toMatchObject({ pushFails: { value: 3 }, pushUnverified: { value: 2 } });
  });

  it('with dead letters are listed with their numbers, each topic counted once', async () => {
    const { names, now, looks } = listOf([
      ...[{ deadLetterTopic: 'lost' }, { deadLetterTopic: 'lost' }, { deadLetterTopic: 'lost' }],
      ...[{ deadLetterTopic: 'gone' }, {}],
    ]);
    expect(await names('dead-letters')).toEqual({ names: ['s2', 's1'], total: 2 });
    expect(await now.sums()).toMatchObject({ deadLetters: { value: 5 } });
    expect(looks.topics).toBe(1);
    expect(await listOf([{ deadLetterTopic: 'null' }, {}]).names('dead-letters')).toEqual({ names: [], total: 0 });
  });

  it('have a page, which the sums name if only one is concerned', async () => {
    const { now } = listOf([{ push: failing(60) }, { push: push('not verified') }, { push: push('not verified') }]);
    const view = { path: '/messaging/grid/subscriptions/s0', text: 'Open s0' };
    expect(await now.sums()).toMatchObject({ pushFails: { value: 1, view }, pushUnverified: { value: 2 } });
    expect((await now.sums())?.pushUnverified.view).toBeUndefined();
  });

  it('have their project, backlog, dead letters and the reason of a failing push', async () => {
    const { all } = listOf([{ backlog: 5, push: failing(60) }]);
    expect(await all.list('push', 100)).toEqual({
      items: [
        {
          ...{ project: 'grid', name: 's0', topic: 't', ackMode: 'cursor', pushState: 'failing' },
          pushError: { at: ago(1), message: 'refused', since: ago(60) },
          ...{ backlog: 5, oldestPublishedAt: ago(0), exact: true, deadLetters: null },
        },
      ],
      ...{ total: 1, all: 1 },
      countedAt: ago(0),
    });
  });

  it('are counted by one pass for many calls, and a call looks up only what it lists', async () => {
    const { looks, names } = listOf(backlogs(...Array.from({ length: 1_000 }, (_, index) => index)));
    const { names: found, total } = await names('backlog', 10);
    expect([found[0], total]).toEqual(['s998', 1_000]); // s999 was deleted meanwhile
    expect(looks).toEqual({ pages: 20, documents: 10, topics: 0 });
    await names('backlog', 10);
    expect(looks).toEqual({ pages: 20, documents: 20, topics: 0 });
  });
});
