import { expect, it } from '@jest/globals';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { IndexedEvent } from '#infra/engine/audit-index/audit-index.js';
import { AuditIndexIncomplete } from '#infra/engine/audit-index/index-files.js';
import { placeIn, sequenceOf } from '#projections/status/sequence.js';
import { lateDays } from './late-days.js';

/** Position of the event with the last point of each day, and when it arrived. */
const ARRIVALS: readonly (readonly [day: string, position: bigint, at: string])[] = [
  ['2026-03-01', 10n, '2026-03-01T23:59:00Z'],
  ['2026-03-02', 20n, '2026-03-03T01:00:00Z'],
  ['2026-03-03', 30n, '2026-03-04T01:00:01Z'],
  ['2026-03-04', 40n, '2026-03-09T07:00:00Z'],
];

const indexed = {
  indexAt: (position: bigint): number => Number(position),
  event: (index: number) => ({ logTime: Date.parse(ARRIVALS[index / 10 - 1]?.[2] ?? '') }) as IndexedEvent,
};

it('days are late if their last point arrived more than an hour after them, as far as the index has its event', async () => {
  const stamps = async () => new Map(ARRIVALS.map(([day, position]) => [day, sequenceOf(position, 7)]));
  const points = { stamps, lastOf: async (_tenant: string, _day: string, stamp: string) => placeIn(stamp).position };
  const index = { ...indexed, indexAt: (position: bigint) => (position === 40n ? null : Number(position)) };
  const span = { from: '2026-03-01', to: '2026-03-04' };
  expect(await lateDays({ points, index }, 't', span, new TimeSlice())).toEqual([{ day: '2026-03-03', at: '2026-03-04T01:00:01Z' }]);
});

it('a day is late only by points that the view shows', async () => {
  const points = { stamps: async () => new Map([['2026-03-01', sequenceOf(40n, 999)]]), lastOf: async () => 10 };
  expect(await lateDays({ points, index: indexed }, 't', { from: '2026-03-01', to: '2026-03-01' }, new TimeSlice())).toEqual([]);
});

it('no day is known to be late while the index is built', async () => {
  const points = { stamps: async () => new Map([['2026-03-03', sequenceOf(30n, 7)]]), lastOf: async () => 30 };
  const indexAt = (): number => {
    throw new AuditIndexIncomplete('it is built');
  };
  const index = { indexAt, event: () => ({}) as IndexedEvent };
  expect(await lateDays({ points, index }, 't', { from: '2026-03-03', to: '2026-03-03' }, new TimeSlice())).toEqual([]);
});
