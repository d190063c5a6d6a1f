import { expect, it } from '@jest/globals';
import type { ReadStore } from '#projections/shared/read-store.js';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { Nodes } from './nodes.js';

const NOON = Date.UTC(2026, 2, 1, 12);

/** An installation in which another node has the role `projector`. */
const withOther = (seenAt: string) => {
  const other = { node: 'other:1', roles: ['projector'], version: '1', seenAt };
  const range = async () => [{ key: other.node, value: Buffer.from(JSON.stringify(other)) }];
  const store = { view: () => ({ range }) } as unknown as ReadStore;
  const nodes = new Nodes(store, ['api', 'push', 'history'], () => NOON, { debug: () => undefined });
  return { other, missing: async () => (await nodes.others()).missing };
};

it('Other nodes are there until a minute after their last heartbeat, however their clocks differ', async () => {
  const pass = stopClock();
  const { other, missing } = withOther('2026-03-01T11:00:00.000Z');
  expect(await missing()).toEqual([]);
  pass(59_000);
  other.seenAt = '2026-03-01T11:00:59.000Z';
  expect(await missing()).toEqual([]);
  pass(60_000);
  expect(await missing()).toEqual([]);
  pass(1);
  expect(await missing()).toEqual(['projector']);
});

it.each(['2026-03-01T10:59:59.000Z', '2026-03-01T13:00:01.000Z'])(
  'A node first seen with a heartbeat more than an hour from now, at %s, is there from its next one on',
  async (seenAt) => {
    const { other, missing } = withOther(seenAt);
    expect([await missing(), await missing()]).toEqual([['projector'], ['projector']]);
    other.seenAt = '2026-03-01T14:00:00.000Z';
    expect(await missing()).toEqual([]);
  },
);
