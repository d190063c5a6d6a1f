import { expect, it } from '@jest/globals';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { memoryView } from '#test/support/memory-view.js';
import { TenantQueries } from './queries.js';

it.each([0, 10, 2_500])('of %i tenants all that are still there are listed by creation', async (count) => {
  const orders = Array.from({ length: count }, (_, index) => String((index * 7_919) % 10_007).padStart(5, '0'));
  const view = memoryView({ tenants: Object.fromEntries(orders.map((order, index) => [`a${index}`, JSON.stringify({ order })])) });
  const isGone = (order: string): boolean => order.endsWith('5');
  const getMany: typeof view.getMany = async (collection, keys) =>
    (await view.getMany(collection, keys)).map((value) => (value && isGone(JSON.parse(value.toString()).order) ? null : value));
  const listed: string[] = [];
  for await (const page of new TenantQueries({ view: () => ({ ...view, getMany }) }).byCreation(new TimeSlice()))
    listed.push(...page.map(({ order }) => order));
  expect(listed).toEqual(orders.filter((order) => !isGone(order)).sort());
});
