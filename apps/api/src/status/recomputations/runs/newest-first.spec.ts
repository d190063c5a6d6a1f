import { describe, expect, it } from '@jest/globals';
import { NewestFirst } from './newest-first.js';

const of = (start_time: string, end_time: string, today = '2024-03-02') => new NewestFirst([{ start_time, end_time }], today);

/** All portions. Each has `found` days with results, and was quick or not. */
const portions = (days: NewestFirst, found: number, quick = true): readonly string[] => {
  const all: string[] = [];
  for (let span = days.next(); span; span = days.next()) {
    all.push(`${span.from}..${span.to}`);
    days.took(found, quick);
  }
  return all;
};

describe('days of a recomputation', () => {
  it('come from the newest on, each once', () =>
    expect(portions(of('2024-02-01T10:00:00Z', '2024-02-29T00:00:00Z'), 1)).toEqual([
      '2024-02-28..2024-02-29',
      '2024-02-24..2024-02-27',
      '2024-02-16..2024-02-23',
      '2024-02-01..2024-02-15',
    ]));

  it('come one by one where they take long', () =>
    expect(portions(of('2024-02-26T00:00:00Z', '2024-02-29T00:00:00Z'), 1, false)).toEqual([
      '2024-02-28..2024-02-29',
      '2024-02-27..2024-02-27',
      '2024-02-26..2024-02-26',
    ]));

  it('end with today', () => {
    expect(portions(of('2024-03-01T00:00:00Z', '2030-01-01T00:00:00Z'), 1)).toEqual(['2024-03-01..2024-03-02']);
    expect(portions(of('2024-03-03T00:00:00Z', '2030-01-01T00:00:00Z'), 1)).toEqual([]);
  });

  it('of several requests come once, without long gaps between them, and each request is through when its first day was there', () => {
    const [old, recent, none] = [
      { start_time: '2020-01-01T00:00:00Z', end_time: '2020-01-02T00:00:00Z' },
      { start_time: '2024-02-28T00:00:00Z', end_time: '2024-02-29T00:00:00Z' },
      { start_time: 'whenever', end_time: '2024-02-29T00:00:00Z' },
    ];
    const days = new NewestFirst([old, recent, none], '2024-03-02');
    expect([old, recent, none].map((one) => days.isThrough(one))).toEqual([false, false, true]);
    expect(days.next()).toEqual({ from: '2024-02-28', to: '2024-02-29' });
    expect([old, recent].map((one) => days.isThrough(one))).toEqual([false, true]);
    expect(days.next()).toEqual({ from: '2020-01-01', to: '2020-01-02' });
    expect([days.isThrough(old), days.next()]).toEqual([true, undefined]);
  });

  it('are few portions where there are no results, however many years', () => {
    const all = portions(of('0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z'), 0);
    expect(all.length).toBeLessThan(21);
    expect(all.at(-1)).toMatch(/^0000-01-01\.\./);
  });

  it.each([
    ['whenever', '2024-03-01T00:00:00Z'],
    ['2024-03-01T00:00:00Z', ''],
    ['2024-02-30T00:00:00Z', '2024-03-01T00:00:00Z'],
    ['2024-03-01T00:00:00Z', '2024-02-01T00:00:00Z'],
  ])('are none from %j to %j', (start, end) => expect(portions(of(start, end), 1)).toEqual([]));
});
