import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '../../../../test/support/decider-spec.js';
import { type DayListEvent, dayList, streamOfDay } from './day-lists.js';

type Item = Readonly<{ name: string }>;
const things = dayList<Item>({ kind: 'things', events: { listed: 'ThingsListed', deleted: 'ThingsDeleted' } });
const given = deciderSpec(things.decider);

const day = { tenantId: 't', date: '2024-01-02' };
const listed = (items: readonly Item[], part = 0, parts = 1, count = items.length): DayListEvent<Item> => ({
  type: 'ThingsListed',
  data: { ...day, count, part, parts, items },
});
const deleted = (count: number): DayListEvent<Item> => ({ type: 'ThingsDeleted', data: { ...day, count } });
const list = (...items: readonly Item[]) => ({ type: 'ListDay', ...day, items }) as const;
const remove = { type: 'DeleteDay', ...day } as const;
const [a, b] = [{ name: 'a' }, { name: 'b' }];

describe('lists of a day', () => {
  it('are written whole', () =>
    given()
      .when(list(a, b))
      .then(listed([a, b])));
  it('may be empty', () => given().when(list()).then(listed([])));
  it('are there once, whether they are empty or not', () => {
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
  it('cannot be deleted unless they are there', () => {
    given().when(remove).thenRejected('DAY_NOT_FOUND');
    given(listed([a]), deleted(1))
      .when(remove)
      .thenRejected('DAY_NOT_FOUND');
  });
  it('can be written again after they were deleted', () =>
    given(listed([a]), deleted(1))
      .when(list(b))
      .then(listed([b])));

  it('come in parts when they are long, in order, and a single long item has a part of its own', () => {
    const items = [...Array.from({ length: 5 }, (_, index) => ({ name: `${index}`.repeat(80_000) })), { name: 'x'.repeat(500_000) }, a];
    const events = things.decider.decide(list(...items), things.decider.initialState());
    expect(events.map(({ data }) => ('items' in data ? [data.part, data.parts, data.count, data.items.length] : []))).toEqual([
      [0, 5, 7, 2],
      [1, 5, 7, 2],
      [2, 5, 7, 1],
      [3, 5, 7, 1],
      [4, 5, 7, 1],
    ]);
    expect(events.flatMap(({ data }) => ('items' in data ? data.items : []))).toEqual(items);
  });

  it('have a stream for each day of a tenant', () => expect(streamOfDay(things, 't', '2024-01-02')).toBe('status.things-t.2024-01-02'));
});
