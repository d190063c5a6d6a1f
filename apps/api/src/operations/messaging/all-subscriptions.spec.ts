import { describe, expect, it } from '@jest/globals';
import type { PushAvailability } from '#api/messaging/push-availability.js';
import type { AccountQueries } from '#projections/messaging/accounts/queries.js';
import type { AttachedSubscriptions } from '#projections/messaging/resources/attached-subscriptions.js';
import type { SubscriptionDocument } from '#projections/messaging/resources/queries.js';
import { AllSubscriptions, type Order } from './all-subscriptions.js';
import type { WaitingIn } from './waiting-in-all.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const ago = (seconds: number): string => new Date(NOW - 1_000 * seconds).toISOString();

/** Subscriptions `s0`, `s1`, … with these backlogs, the oldest message of each as many seconds old as its number. */
const listOf = (backlogs: readonly number[], failing: readonly string[] = []) => {
  const looks = { pages: 0, documents: 0, states: 0 };
  const pages = async function* () {
    for (let from = 0; from < backlogs.length; from += 50) {
      looks.pages += 1;
      const items = backlogs.slice(from, from + 50).map((backlog, index): WaitingIn => {
        const at = from + index;
        return { projectId: 'p', subscriptionId: `s${at}`, backlog, oldestPublishedAt: backlog > 0 ? ago(at) : null, exact: true };
      });
      yield {
        subscriptions: items.length,
        items,
        messages: 0,
        oldestPublishedAt: null,
        oldestWaitingAt: null,
        withDeadLetters: [],
        pushFails: [],
      };
    }
  };
  const byIds: AttachedSubscriptions['byIds'] = async (references) => {
    looks.documents += references.length;
    return references.map(({ subscriptionId }) =>
      subscriptionId === 's999' ? undefined : ({ subscriptionId, name: subscriptionId, topic: 't' } as SubscriptionDocument),
    );
  };
  const stateOf: PushAvailability['stateOf'] = async ({ subscriptionId }) => {
    looks.states += 1;
    const error = { at: ago(1), message: 'refused', since: ago(60) };
    return failing.includes(subscriptionId) ? { state: 'failing', error, lastError: error } : null;
  };
  const created = { createdOn: '', modifiedOn: '', order: '', createdBy: null };
  const projects: AccountQueries['projects'] = async (ids) =>
    ids.map((projectId) => ({ projectId, name: 'grid', description: '', ...created }));
  const all = new AllSubscriptions({ pages }, { failing: async () => failing, stateOf }, { projects }, { byIds }, () => NOW);
  const names = async (order: Order, limit = 100) => {
    const { items, total } = (await all.list(order, limit)) as { items: readonly { name: string }[]; total: number };
    return { names: items.map(({ name }) => name), total };
  };
  return { looks, all, names };
};

describe('Subscriptions of all projects', () => {
  it('are listed by their backlog, the age of the oldest message, or how long their push has failed', async () => {
    const { names } = listOf([5, 0, 9, 1], ['s3', 's1']);
    expect(await names('backlog')).toEqual({ names: ['s2', 's0', 's3'], total: 3 });
    expect(await names('oldest')).toEqual({ names: ['s3', 's2', 's0'], total: 3 });
    expect(await names('push')).toEqual({ names: ['s3', 's1'], total: 2 });
    expect(await names('backlog', 1)).toEqual({ names: ['s2'], total: 3 });
  });

  it('have their project, backlog and the reason of a failing push', async () => {
    const { all } = listOf([5], ['s0']);
    expect(await all.list('push', 100)).toEqual({
      items: [
        {
          ...{ project: 'grid', name: 's0', topic: 't', ackMode: 'cursor', pushState: 'failing' },
          pushError: { at: ago(1), message: 'refused', since: ago(60) },
          ...{ backlog: 5, oldestPublishedAt: ago(0), exact: true },
        },
      ],
      total: 1,
      countedAt: ago(0),
    });
  });

  it('are counted by one pass for many calls, and a call looks up only what it lists', async () => {
    const { looks, names } = listOf(Array.from({ length: 1_000 }, (_, index) => index));
    const { names: found, total } = await names('backlog', 10);
    expect([found[0], total]).toEqual(['s998', 999]); // s999 was deleted meanwhile
    expect(looks).toEqual({ pages: 20, documents: 10, states: 9 });
    await names('backlog', 10);
    expect(looks).toEqual({ pages: 20, documents: 20, states: 18 });
  });
});
