import { describe, expect, it } from '@jest/globals';
import type { Actor } from '#domain/shared/events.js';
import type { RecomputationId, WaitingRecomputation } from '#projections/status/recomputations/queries.js';
import { WaitingRecomputations } from './waiting-recomputations.js';

const waiting = (id: string, minute: number): WaitingRecomputation => ({
  ...{ tenantId: 't', id, report: 'Critical', start_time: '2026-03-01T00:00:00Z', end_time: '2026-03-01T23:59:59Z', status: 'pending' },
  since: new Date(Date.UTC(2026, 2, 2, 0, minute)).toISOString(),
});

const newest = (pages: readonly (readonly WaitingRecomputation[])[], requesters: Readonly<Record<string, Actor>> = {}) =>
  new WaitingRecomputations({
    waiting: async function* () {
      yield* pages;
    },
    requesters: async (ids: readonly RecomputationId[]) => ids.map(({ id }) => requesters[id]),
  }).newest();

describe('recomputations that wait', () => {
  it('are listed by the time of their status, newest first, with the actor that asked for them', async () => {
    const ann = { kind: 'user', id: 'ann' } as const;
    const [old, fresh] = [waiting('old', 1), waiting('fresh', 2)];
    const items = [
      { ...fresh, askedBy: null },
      { ...old, askedBy: ann },
    ];
    expect(await newest([[old], [fresh]], { old: ann })).toEqual({ items, total: 2 });
  });

  it('are all counted, however many are listed', async () => {
    const pages = Array.from({ length: 3 }, (_, page) =>
      Array.from({ length: 100 }, (_one, at) => waiting(`${page} ${at}`, 100 * page + at)),
    );
    const found = await newest(pages);
    expect([found?.total, found?.items.length, found?.items[0]?.id]).toEqual([300, 100, '2 99']);
  });
});
