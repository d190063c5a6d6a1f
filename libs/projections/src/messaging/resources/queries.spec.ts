import { describe, expect, it } from '@jest/globals';

import { inParts, type Page } from '#projections/messaging/newest-first.js';
import type { KeyRange, ReadStore } from '#projections/shared/read-store.js';
import { memoryView } from '#test/support/memory-view.js';
import { ResourceQueries } from './queries.js';

const COUNT = 2_000;
const label = { key: 'a', value: 'x' };

/** A project whose user is in the ACL of every topic, each with the label. `read`: number of ACL entries that were read. */
const project = () => {
  const orders = Array.from({ length: COUNT }, (_, index) => index.toString(16).padStart(24, '0'));
  const view = memoryView({
    'topics.in-order': Object.fromEntries(
      orders.map((order) => [`p/${order}`, JSON.stringify({ name: order, order, settings: { labels: { a: 'x' } } })]),
    ),
    'topics.of-user': Object.fromEntries(orders.map((order) => [`p/u/${order}`, JSON.stringify(order)])),
  });
  const read = { entries: 0 };
  const range = async (collection: string, wanted: KeyRange) => {
    const found = await view.range(collection, wanted);
    if (collection === 'topics.of-user') read.entries += found.length;
    return found;
  };
  const queries = new ResourceQueries({ view: () => ({ ...view, range }) } as unknown as ReadStore);
  return { orders, read, queries };
};

describe('a list by label for a caller under an ACL', () => {
  it('reads each entry about once for its number, and once for its part', async () => {
    const { orders, read, queries } = project();
    const slice = { isOver: false, next: async () => undefined };
    const part = (page: Page) => queries.topics('p', page, { userId: 'u', label });
    const names: string[] = [];
    for await (const { items } of inParts(part, { size: 0 }, slice)) names.push(...items.map(({ name }) => name));
    expect(names).toEqual(orders.toReversed());
    expect(read.entries).toBeLessThan(4 * COUNT);
  });
});

it('names that memberships let use are read for 250 of them at once, with other work in between', async () => {
  const members = Array.from({ length: 600 }, (_, index) => ({ projectId: `p${index}`, userId: 'u' }));
  const entries = members.map(({ projectId }, index) => [`${projectId}/u/${index % 2}`, JSON.stringify(`of ${projectId}`)]);
  const view = memoryView({ 'topics.of-user': Object.fromEntries(entries.slice(1)) });
  const asked: number[] = [];
  const ranges = (collection: string, wanted: readonly KeyRange[]) => {
    asked.push(wanted.length);
    return view.ranges(collection, wanted);
  };
  const queries = new ResourceQueries({ view: () => ({ ...view, ranges }) } as unknown as ReadStore);
  let turns = 0;
  const slice = { isOver: true, next: async () => void turns++ };
  const names = members.map(({ projectId }, index) => (index === 0 ? [] : [`of ${projectId}`]));
  expect(await queries.accessibleTopics(members, slice)).toEqual(names);
  expect([asked, turns]).toEqual([[250, 250, 100], 3]);
});

it('subscriptions to push of all projects are read in pages, with other work in between', async () => {
  const document = { subscriptionId: 's', push: { pushEndpoint: 'https://a.example' } };
  const keys = Array.from({ length: 2_500 }, (_, index) => `p/${index.toString().padStart(4, '0')}`);
  const view = memoryView({ 'subscriptions.pushed': Object.fromEntries(keys.map((key) => [key, JSON.stringify(document)])) });
  const limits: (number | undefined)[] = [];
  const range = (collection: string, wanted: KeyRange) => {
    limits.push(wanted.limit);
    return view.range(collection, wanted);
  };
  const queries = new ResourceQueries({ view: () => ({ ...view, range }) } as unknown as ReadStore);
  let turns = 0;
  const pushed = await queries.pushed({ isOver: true, next: async () => void turns++ });
  expect(pushed).toEqual(keys.map(() => ({ projectId: 'p', ...document })));
  expect([limits, turns]).toEqual([[1_000, 1_000, 1_000, 1_000], 3]);
});
