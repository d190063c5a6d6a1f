import { describe, expect, it } from '@jest/globals';
import { jsonSize } from '#domain/shared/json/json-size.js';
import { limitText, STATUS_LIMITS } from '#domain/status/limits.js';
import { deciderSpec } from '#test/support/decider-spec.js';
import { type DayListEvent, DayParts, dayList, streamOfDay } from './day-lists.js';

type Item = Readonly<{ name: string }>;
const things = dayList<Item>({ kind: 'things', events: { listed: 'ThingsListed', deleted: 'ThingsDeleted' }, depth: 2 });
const given = deciderSpec(things.decider);

const day = { tenantId: 't', date: '2024-01-02' };
const listed = (items: readonly Item[], part = 0, parts = 1, count = items.length): DayListEvent<Item> => ({
  type: 'ThingsListed',
  data: { ...day, count, part, parts, items },
});
const deleted = (count: number): DayListEvent<Item> => ({ type: 'ThingsDeleted', data: { ...day, count } });
const upload = 'u';
/** A command that writes a whole list. */
const list = (...items: readonly Item[]) =>
  ({ type: 'ListDay', ...day, upload, count: items.length, parts: 1, first: 0, items: [items] }) as const;
/** A command that writes one part of a list of three items in three parts. */
const part = (first: number, item: Item, id = upload) =>
  ({ type: 'ListDay', ...day, upload: id, count: 3, parts: 3, first, items: [[item]] }) as const;
const uploaded = (first: number, item: Item, id = upload): DayListEvent<Item> => ({
  type: 'ThingsListed',
  data: { ...day, count: 3, part: first, parts: 3, items: [item], upload: id },
});
const remove = { type: 'DeleteDay', ...day } as const;
const [a, b] = [{ name: 'a' }, { name: 'b' }];

describe('lists of a day', () => {
  it('are written as a whole', () =>
    given()
      .when(list(a, b))
      .then(listed([a, b])));
  it('may be empty', () => given().when(list()).then(listed([])));
  it('are written once, empty or not', () => {
    given(listed([a]))
      .when(list(b))
      .thenRejected('DAY_TAKEN');
    given(listed([])).when(list(b)).thenRejected('DAY_TAKEN');
  });
  it('are deleted with all their items', () => {
    given(listed([a], 0, 2, 2), listed([b], 1, 2, 2))
      .when(remove)
      .then(deleted(2));
    given(listed([])).when(remove).then(deleted(0));
  });
  it('cannot be deleted unless they exist', () => {
    given().when(remove).thenRejected('DAY_NOT_FOUND');
    given(listed([a]), deleted(1))
      .when(remove)
      .thenRejected('DAY_NOT_FOUND');
  });
  it('can be written again after a deletion', () =>
    given(listed([a]), deleted(1))
      .when(list(b))
      .then(listed([b])));

  it('may be written in parts, and exist once the last part is written', () => {
    given().when(part(0, a)).then(uploaded(0, a));
    given(uploaded(0, a)).when(part(1, b)).then(uploaded(1, b));
    given(uploaded(0, a), uploaded(1, b)).when(remove).thenRejected('DAY_NOT_FOUND');
    given(uploaded(0, a), uploaded(1, b)).when(part(2, a)).then(uploaded(2, a));
    given(uploaded(0, a), uploaded(1, b), uploaded(2, a)).when(list(b)).thenRejected('DAY_TAKEN');
  });
  it('are written by the latest upload', () => {
    given(uploaded(0, a))
      .when(part(0, b, 'other'))
      .then(uploaded(0, b, 'other'));
    given(uploaded(0, a), uploaded(0, b, 'other'))
      .when(part(1, a))
      .thenRejected('DAY_TAKEN');
    given(uploaded(0, a)).when(part(2, a)).thenRejected('DAY_TAKEN');
    given().when(part(1, a)).thenRejected('DAY_TAKEN');
    given(uploaded(0, a))
      .when(list(b))
      .then(listed([b]));
  });

  it('are not written twice by a repeat beside the upload', () => {
    given(uploaded(0, a), uploaded(1, b)).when(part(0, a)).then();
    given(uploaded(0, a), uploaded(1, b)).when(part(1, b)).then();
    given(uploaded(0, a)).when(part(1, b)).then(uploaded(1, b));
  });

  it('have a stream per day and tenant', () => expect(streamOfDay(things, 't', '2024-01-02')).toBe('status.things-t.2024-01-02'));
});

describe('the parts of a list', () => {
  const laidOut = (...items: readonly Item[]): DayParts => {
    const parts = new DayParts(things);
    for (const item of items) parts.add(item);
    return parts;
  };
  const itemsOf = (parts: DayParts) => Array.from({ length: parts.parts }, (_, part) => parts.itemsOf(part));
  const named = (length: number): Item => ({ name: 'x'.repeat(length) });

  it('are one for a short or empty list', () => {
    expect([laidOut().count, itemsOf(laidOut()), [...laidOut().appends()]]).toEqual([0, [[0, 0]], [[0, 1]]]);
    expect(itemsOf(laidOut(a, b))).toEqual([[0, 2]]);
  });

  it('have 200,000 bytes each; parts of up to 400,000 bytes in total share one append', () => {
    const parts = laidOut(...Array.from({ length: 40 }, () => named(60_000)));
    expect(itemsOf(parts).slice(0, 3)).toEqual([
      [0, 3],
      [3, 6],
      [6, 9],
    ]);
    expect(itemsOf(parts).at(-1)).toEqual([39, 40]);
    expect([...parts.appends()]).toEqual([
      [0, 2],
      [2, 4],
      [4, 6],
      [6, 8],
      [8, 10],
      [10, 12],
      [12, 14],
    ]);
  });

  it('accept items up to their size limit in an answer, including the day', () => {
    const size = (length: number) => jsonSize({ date: day.date, ...named(length) }, 2).laidOut;
    const longest = STATUS_LIMITS.itemSize.value - size(0);
    expect(size(longest)).toBe(STATUS_LIMITS.itemSize.value);
    expect(laidOut(named(longest)).count).toBe(1);
    expect(() => laidOut(named(longest + 1))).toThrow(
      expect.objectContaining({ code: 'OVER_LIMIT', details: { text: limitText('itemSize') } }),
    );
  });

  it('accept items up to the limits of count and size of a list', () => {
    const many = laidOut();
    for (let count = 0; count < STATUS_LIMITS.itemsPerDay.value; count++) many.add(a);
    expect(() => many.add(a)).toThrow(expect.objectContaining({ details: { text: limitText('itemsPerDay') } }));
    const large = laidOut();
    expect(() => {
      for (let count = 0; count < 3_000; count++) large.add({ name: '<'.repeat(10_000) });
    }).toThrow(expect.objectContaining({ details: { text: limitText('daySize') } }));
    expect(large.count).toBe(Math.floor(STATUS_LIMITS.daySize.value / jsonSize({ date: day.date, name: '<'.repeat(10_000) }, 2).laidOut));
  });
});
