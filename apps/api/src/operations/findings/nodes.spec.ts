import { expect, it } from '@jest/globals';
import type { ReadStore } from '#projections/shared/read-store.js';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { Nodes } from './nodes.js';

const NOON = Date.UTC(2026, 2, 1, 12);

it('Other nodes are there until a minute after their last heartbeat, however their clocks differ', async () => {
  const pass = stopClock();
  const other = { node: 'other:1', roles: ['projector'], version: '1', seenAt: '2026-03-01T11:00:00.000Z' };
  const range = async () => [{ key: other.node, value: Buffer.from(JSON.stringify(other)) }];
  const store = { view: () => ({ range }) } as unknown as ReadStore;
  const nodes = new Nodes(store, ['api', 'push', 'history'], () => NOON, { debug: () => undefined });
  const missing = async () => (await nodes.others()).missing;
  expect(await missing()).toEqual([]);
  pass(59_000);
  other.seenAt = '2026-03-01T11:00:59.000Z';
  expect(await missing()).toEqual([]);
  pass(60_000);
  expect(await missing()).toEqual([]);
  pass(1);
  expect(await missing()).toEqual(['projector']);
});
