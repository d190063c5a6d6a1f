import type { EventCatalogue } from '../shared/catalogue.js';
import { type Decider, DomainError } from '../shared/decider.js';
import type { Day } from '../shared/time.js';
import { sealedForTenant } from './tenants.js';

/** One part of the list of a day; the parts of a list are appended together, in order. `count` is the number of items in all parts. */
export type DayListed<Item extends object> = Readonly<{
  tenantId: string;
  date: Day;
  count: number;
  /** From 0. */
  part: number;
  parts: number;
  items: readonly Item[];
}>;
/** The list of a day is gone; it had `count` items. */
export type DayDeleted = Readonly<{ tenantId: string; date: Day; count: number }>;

export type DayListEvent<Item extends object> = Readonly<{ type: string; data: DayListed<Item> } | { type: string; data: DayDeleted }>;

export type DayListCommand<Item extends object> =
  | Readonly<{ type: 'ListDay'; tenantId: string; date: Day; items: readonly Item[] }>
  | Readonly<{ type: 'DeleteDay'; tenantId: string; date: Day }>;

/** Items of the list of the day, `null` when there is no list. */
export type DayListState = Readonly<{ count: number | null }>;

/** A kind of list that is written as a whole for a day, and never changed but only deleted (status extended contract 3, 4). */
export type DayList<Item extends object> = Readonly<{
  /** As in stream names, for example `topology_endpoints`. */
  kind: string;
  events: Readonly<{ listed: string; deleted: string }>;
  /** Paths in an item to what is personal: sealed with the key of the tenant. Default none. */
  sensitive?: readonly string[];
  decider: Decider<DayListState, DayListCommand<Item>, DayListEvent<Item>>;
}>;

/** What callers that only route and name need of any kind. */
export type AnyDayList = Omit<DayList<object>, 'decider'>;

export const categoryOfDayList = (list: AnyDayList): string => `status.${list.kind}`;
/** Nothing but "a day has one list at most" must hold, so each day of a tenant has a stream of its own. */
export const streamOfDay = (list: AnyDayList, tenantId: string, date: Day): string => `${categoryOfDayList(list)}-${tenantId}.${date}`;
export const catalogueOfDayList = ({ events, sensitive = [] }: AnyDayList): EventCatalogue => ({
  [events.listed]: sensitive.length > 0 ? sealedForTenant(...sensitive.map((path) => `items[].${path}`)) : {},
  [events.deleted]: {},
});

/** Length of the JSON text at which a part is full. Its bytes, three a character at most, fit into one append of every store. */
const PART_LENGTH = 200_000;

/** The items in order, in parts that only a single long item makes longer than the limit. An empty list has one empty part. */
const partsOf = <Item extends object>(items: readonly Item[]): readonly (readonly Item[])[] => {
  const parts: Item[][] = [[]];
  let length = 0;
  for (const item of items) {
    const itemLength = JSON.stringify(item).length;
    if (length > 0 && length + itemLength > PART_LENGTH) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)?.push(item);
    length += itemLength;
  }
  return parts;
};

/**
 * A kind of day list. Its decider rejects with `DAY_TAKEN` when the day has a list already, and with `DAY_NOT_FOUND` when there is none to
 * delete. Every event tells the whole state, so a stream is picked up from its newest one.
 */
export const dayList = <Item extends object>({ kind, events, sensitive }: AnyDayList): DayList<Item> => ({
  kind,
  events,
  sensitive,
  decider: {
    window: 1,
    initialState: () => ({ count: null }),
    decide: (command, { count }) => {
      const { tenantId, date } = command;
      switch (command.type) {
        case 'ListDay': {
          if (count !== null) throw new DomainError('DAY_TAKEN');
          const parts = partsOf(command.items);
          const all = { tenantId, date, count: command.items.length, parts: parts.length };
          return parts.map((items, part) => ({ type: events.listed, data: { ...all, part, items } }));
        }
        case 'DeleteDay':
          if (count === null) throw new DomainError('DAY_NOT_FOUND');
          return [{ type: events.deleted, data: { tenantId, date, count } }];
      }
    },
    evolve: (_state, { data }) => ({ count: 'items' in data ? data.count : null }),
  },
});
