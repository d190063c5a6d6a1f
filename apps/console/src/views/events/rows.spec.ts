import { describe, expect, it } from '@jest/globals';
import { type EventRow, MOST_ROWS, NO_ROWS, newestOf, withNewer, withOlder } from './rows.js';

const event = (index: number): EventRow => ({ index, position: `${index + 10}`, type: 'T' });
const down = (from: number, count: number): readonly EventRow[] => Array.from({ length: count }, (_, at) => event(from - at));

describe('The rows of the page of events', () => {
  it('never become more than 2,000, whichever way one goes', () => {
    let rows = withOlder(NO_ROWS, down(9_999, 1_500), '8509');
    expect(rows.before).toBe(false);
    rows = withOlder(rows, down(8_499, 1_000), '7509');
    expect([rows.items.length, rows.items[0]?.index, rows.items.at(-1)?.index, rows.before, rows.next]).toEqual([
      MOST_ROWS,
      9_499,
      7_500,
      true,
      '7509',
    ]);
    rows = withNewer(withOlder(NO_ROWS, down(9_999, 2_000), null), down(10_004, 5));
    expect([rows.items.length, rows.items[0]?.index, rows.items.at(-1)?.index, rows.next]).toEqual([MOST_ROWS, 10_004, 8_005, '8015']);
    expect(newestOf(rows)).toBe('10014');
  });

  it('show an event once, however often it comes', () => {
    const rows = withNewer(withOlder(NO_ROWS, down(5, 3), null), down(6, 2));
    expect(rows.items.map(({ index }) => index)).toEqual([6, 5, 4, 3]);
    const crossed = withOlder(withNewer(NO_ROWS, down(6, 2)), down(7, 5), null);
    expect(crossed.items.map(({ index }) => index)).toEqual([7, 6, 5, 4, 3]);
  });
});
