import { expect, it } from '@jest/globals';
import { isLate, lateOf } from './late.js';

const DAY = '2026-03-01';
const point = (at: string, time: string | null) => ({ at, event: time === null ? null : { time } });

it('a point is late when it arrived after its day had ended', () => {
  expect(isLate(point('2026-03-01T12:00:00.000Z', '2026-03-01T23:59:59.999Z'), DAY)).toBe(false);
  expect(isLate(point('2026-03-01T12:00:00.000Z', '2026-03-02T00:00:00.000Z'), DAY)).toBe(true);
  expect(isLate(point('2026-02-28T23:00:00.000Z', '2026-03-02T00:00:00.000Z'), DAY)).toBe(true); // of the day before
  expect(isLate(point('2026-03-01T12:00:00.000Z', null), DAY)).toBe(false);
});

it('late points are counted, with the arrival of the last one', () => {
  const times = ['2026-03-01T13:00:00.000Z', '2026-03-03T09:00:00.000Z', '2026-03-02T08:00:00.000Z'];
  const points = times.map((time) => point('2026-03-01T12:00:00.000Z', time));
  const before = point('2026-02-28T23:00:00.000Z', '2026-03-04T00:00:00.000Z');
  const endpoints = [{ metrics: [{ points: [before, ...points.slice(0, 2)] }, { points: points.slice(2) }] }];
  expect(lateOf({ day: DAY, endpoints, next: null })).toEqual({ points: 2, last: '2026-03-03T09:00:00Z', isLeast: false });
  expect(lateOf({ day: '2026-03-05', endpoints, next: '1.1' })).toBeNull();
});
