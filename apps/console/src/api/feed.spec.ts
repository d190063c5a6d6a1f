import { describe, expect, it } from '@jest/globals';
import { MOST, NONE, withNewer, withOlder } from './feed.js';

type Item = Readonly<{ key: number; count?: number }>;

const keyOf = ({ key }: Item): number => key;
const ending = { keyOf };
const goingOn = { keyOf, placeOf: ({ key }: Item) => `${key + 10}` };
const down = (from: number, count: number): readonly Item[] => Array.from({ length: count }, (_, at) => ({ key: from - at }));
const page = (items: readonly Item[], next: string | null = null) => ({ items, next });

describe('A list with the newest on top', () => {
  it.each([ending, goingOn])('goes on below, and gets new ones on top; one that has changed is there once, as it is now', (kind) => {
    const first = withOlder<Item>(NONE, page([{ key: 5, count: 2 }, { key: 4 }], '7'), kind);
    const all = withOlder(first, page([{ key: 4 }, { key: 1 }]), kind);
    expect(all).toEqual({ items: [{ key: 5, count: 2 }, { key: 4 }, { key: 1 }], next: null, before: false });
    const live = withNewer(all, [{ key: 6 }, { key: 5, count: 5 }], kind);
    expect(live).toEqual({ items: [{ key: 6 }, { key: 5, count: 5 }, { key: 4 }, { key: 1 }], next: null, before: false });
  });

  it('ends with the most items', () => {
    const full = withNewer(withOlder<Item>(NONE, page(down(9_999, MOST - 1), '7'), ending), down(10_001, 2), ending);
    expect([full.items.length, full.items[0], full.next, full.before]).toEqual([MOST, { key: 10_001 }, null, false]);
    expect(withOlder<Item>(NONE, page(down(9_999, MOST + 1), '7'), ending)).toMatchObject({ next: null, before: false });
  });

  it('goes on beyond them where older ones can be found by an item: it lets go of the other end', () => {
    const some = withOlder<Item>(NONE, page(down(9_999, 1_500), '8509'), goingOn);
    expect(some.before).toBe(false);
    const older = withOlder(some, page(down(8_499, 1_000), '7509'), goingOn);
    const ends = ({ items }: Readonly<{ items: readonly Item[] }>) => [items.length, items[0]?.key, items.at(-1)?.key];
    expect([...ends(older), older.before, older.next]).toEqual([MOST, 9_499, 7_500, true, '7509']);
    const newer = withNewer(withOlder<Item>(NONE, page(down(9_999, MOST)), goingOn), down(10_004, 5), goingOn);
    expect([...ends(newer), newer.before, newer.next]).toEqual([MOST, 10_004, 8_005, false, '8015']);
  });
});
