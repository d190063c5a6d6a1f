import { describe, expect, it } from '@jest/globals';
import { callQueryOf, filtersIn } from './filters.js';
import { type ChangeItem, type ChangesAnswer, NONE, withNewer, withOlder } from './items.js';

const item = (key: string, count = 1): ChangeItem => ({ key, count, sentence: key }) as ChangeItem;
const page = (keys: readonly ChangeItem[], next: string | null, newer: string): ChangesAnswer => ({ items: [...keys], next, newer });

describe('The items of changes', () => {
  it('go on below, and get new ones on top; a folded one is there once, with its latest count', () => {
    const first = withOlder(NONE, page([item('b', 2), item('a')], '7', '9'));
    const all = withOlder(first, page([item('z')], null, '12'));
    expect(all).toEqual({ items: [item('b', 2), item('a'), item('z')], next: null, newer: '9' });
    const live = withNewer(all, page([item('c'), item('b', 5)], null, '13'));
    expect(live).toEqual({ items: [item('c'), item('b', 5), item('a'), item('z')], next: null, newer: '13' });
  });

  it('are 2,000 at most', () => {
    const many = page(
      Array.from({ length: 1_999 }, (_, at) => item(`${at}`)),
      '7',
      '9',
    );
    const full = withNewer(withOlder(NONE, many), page([item('x'), item('y')], null, '10'));
    expect([full.items.length, full.items[0], full.next]).toEqual([2_000, item('x'), null]);
  });

  it('have days of filters included', () => {
    const filters = filtersIn(new URLSearchParams('service=status&text= &reads=true&from=2026-03-01&to=2026-03-31'));
    expect(filters).toEqual({ service: 'status', reads: 'true', from: '2026-03-01', to: '2026-03-31' });
    expect(callQueryOf(filters)).toEqual({
      service: 'status',
      reads: true,
      traffic: false,
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-04-01T00:00:00.000Z',
    });
  });
});
