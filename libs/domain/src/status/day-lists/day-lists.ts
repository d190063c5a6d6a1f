import type { EventCatalogue } from '#domain/shared/catalogue.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import { jsonSize } from '#domain/shared/json/json-size.js';
import { ended, type Mapping, text } from '#domain/shared/resource-change.js';
import type { Day } from '#domain/shared/time.js';
import { recordOfTenant } from '#domain/status/audited-records.js';
import { overLimit, RECORD_DEPTH, STATUS_LIMITS } from '#domain/status/limits.js';
import { sealedForTenant } from '#domain/status/tenants/tenants.js';

/**
 * One part of the list of a day. The list exists once its last part is written. `count`: number of items in all parts. The parts of a long list are
 * appended one after another with the id of their `upload`. The parts of a short list are appended together.
 */
export type DayListed<Item extends object> = Readonly<{
  tenantId: string;
  date: Day;
  count: number;
  /** From 0. */
  part: number;
  parts: number;
  items: readonly Item[];
  upload?: string;
  /** Number of items in the list that this one replaces. The old list is in force until the last part is written. Absent: the day had no list. */
  replaces?: number;
  /** Number of times that the list of the day was replaced, including this time. Absent for 0. */
  edition?: number;
}>;
/** The list of a day was deleted. It had `count` items. */
export type DayDeleted = Readonly<{ tenantId: string; date: Day; count: number }>;

export type DayListEvent<Item extends object> = Readonly<{ type: string; data: DayListed<Item> } | { type: string; data: DayDeleted }>;

/**
 * Writes parts of a list with `parts` parts and `count` items, starting with part `first`. Either one command has all parts, or several commands with
 * the same `upload` id follow each other.
 */
export type ListDay<Item extends object> = Readonly<{
  type: 'ListDay';
  tenantId: string;
  date: Day;
  upload: string;
  count: number;
  parts: number;
  first: number;
  items: readonly (readonly Item[])[];
  /** Replaces an existing list. Default: the command is rejected if the day has a list. */
  replace?: boolean;
}>;

export type DayListCommand<Item extends object> = ListDay<Item> | Readonly<{ type: 'DeleteDay'; tenantId: string; date: Day }>;

/** `count`: number of items in the list, `null` if there is no list. `edition`: that of the list. `next`: the next part of an unfinished upload. */
type DayListState = Readonly<{ count: number | null; edition?: number; upload?: string; next?: number }>;

/** A kind of list that is written as a whole for a day and is never changed, only replaced or deleted (status extended contract 3, 4). */
export type DayList<Item extends object> = Readonly<{
  /** As in stream names, for example `topology_endpoints`. */
  kind: string;
  events: Readonly<{ listed: string; deleted: string }>;
  /** Paths of personal data in an item, which is marked and sealed with the key of the tenant. Default: none. */
  sensitive?: readonly string[];
  /** Sort keys of an item, compared as bytes. Items with equal keys stay in the order in which they were sent. Default: no keys. */
  placedBy?: (item: Item) => readonly string[];
  /** Depth of an item in an answer. Items at {@link RECORD_DEPTH} include the day of their list. */
  depth: number;
  decider: Decider<DayListState, DayListCommand<Item>, DayListEvent<Item>>;
}>;

/** The members needed to route and name lists of any kind. */
export type AnyDayList = Omit<DayList<object>, 'decider' | 'placedBy'>;

export const categoryOfDayList = (list: AnyDayList): string => `status.${list.kind}`;
/** The only rule is that a day has at most one list, so each day of a tenant has its own stream. */
export const streamOfDay = (list: AnyDayList, tenantId: string, date: Day): string => `${categoryOfDayList(list)}-${tenantId}.${date}`;
const personalOfTenant = (paths: readonly string[]) => ({
  ...sealedForTenant(...paths),
  marks: Object.fromEntries(paths.map((path) => [path, 'personal'] as const)),
});

const listOfDay =
  (kind: string): Mapping =>
  ({ data }) => {
    const scope = text(data, 'tenantId');
    return [{ ...recordOfTenant(kind, text(data, 'date'), scope), scope }];
  };

/** Changes of the last part only, because the list exists from then on. */
const withLastPart =
  (changes: Mapping): Mapping =>
  (event) =>
    Number(event.data.part) === Number(event.data.parts) - 1 ? changes(event) : [];

export const catalogueOfDayList = ({ kind, events, sensitive = [] }: AnyDayList): EventCatalogue => {
  const list = listOfDay(kind);
  const personal = sensitive.length > 0 && personalOfTenant(sensitive.map((path) => `items[].${path}`));
  return { [events.listed]: { resource: withLastPart(list), ...personal }, [events.deleted]: { resource: ended(list) } };
};

/** Maximum bytes of JSON text in a part, and in the parts of one append. Every store accepts an append of that size. */
const [PART_BYTES, APPEND_BYTES] = [200_000, 400_000];
/** Bytes of the day in a displayed item: a line break, three spaces and `"date": "YYYY-MM-DD",`. */
const DATE_BYTES = 25;

/** Divides a list into parts, and the parts into appends. A single long item may exceed the size of a part. An empty list has one empty part. */
export class DayParts {
  count = 0;
  private placed = 0;
  /** Index of the first item, and size, of each part. */
  private readonly all: { start: number; bytes: number }[] = [{ start: 0, bytes: 0 }];
  /** Bytes in an answer. */
  private size = 0;

  constructor(private readonly list: Pick<AnyDayList, 'depth'>) {}

  /** Assigns the next item to a part. @throws DomainError `OVER_LIMIT` */
  add(item: object): void {
    this.place(this.measure(item));
  }

  /** Counts an item, in any order. Returns its bytes, for `place`. @throws DomainError `OVER_LIMIT` */
  measure(item: object): number {
    const { depth } = this.list;
    const { bytes, laidOut } = jsonSize(item, depth, { laidOut: STATUS_LIMITS.itemSize.value });
    const shown = laidOut + (depth === RECORD_DEPTH ? DATE_BYTES : 0);
    if (shown > STATUS_LIMITS.itemSize.value) throw overLimit('itemSize');
    this.size += shown;
    if (this.size > STATUS_LIMITS.daySize.value) throw overLimit('daySize');
    if (this.count === STATUS_LIMITS.itemsPerDay.value) throw overLimit('itemsPerDay');
    this.count += 1;
    return bytes;
  }

  /** Assigns the next measured item to a part. */
  place(bytes: number): void {
    const last = this.all.at(-1);
    if (last && (last.bytes === 0 || last.bytes + bytes <= PART_BYTES)) last.bytes += bytes;
    else this.all.push({ start: this.placed, bytes });
    this.placed += 1;
  }

  get parts(): number {
    return this.all.length;
  }

  /** Index range of the items of a part: `end` is exclusive. */
  itemsOf(part: number): readonly [start: number, end: number] {
    return [this.all[part]?.start ?? this.count, this.all[part + 1]?.start ?? this.count];
  }

  /** Ranges of parts, each small enough for one append: `end` is exclusive. */
  *appends(): Generator<readonly [first: number, end: number]> {
    let [first, together] = [0, 0];
    for (const [part, { bytes }] of this.all.entries()) {
      if (part > first && together + bytes > APPEND_BYTES) {
        yield [first, part];
        [first, together] = [part, 0];
      }
      together += bytes;
    }
    yield [first, this.all.length];
  }
}

/** Whether the parts are the next ones of the unfinished upload. */
const continues = ({ upload, next }: DayListState, command: Readonly<{ upload: string; first: number }>): boolean =>
  upload === command.upload && next === command.first;

/** Whether a repeat of the call has written the parts. */
const areWritten = ({ upload, next = 0 }: DayListState, command: Readonly<{ upload: string; first: number; items: readonly unknown[] }>) =>
  upload === command.upload && command.first + command.items.length <= next;

/** @throws DomainError `DAY_TAKEN` */
const partsOf = <Item extends object>(
  { listed }: AnyDayList['events'],
  command: ListDay<Item>,
  state: DayListState,
): readonly DayListEvent<Item>[] => {
  const { tenantId, date, count, parts, first, items, replace = false } = command;
  if (items.length < parts && areWritten(state, command)) return [];
  if (first === 0 ? state.count !== null && !replace : !continues(state, command)) throw new DomainError('DAY_TAKEN', { date });
  const upload = items.length === parts ? {} : { upload: command.upload };
  const replaced = state.count === null ? {} : { replaces: state.count, edition: (state.edition ?? 0) + 1 };
  const all = { tenantId, date, count, parts, ...upload, ...replaced };
  return items.map((some, index) => ({ type: listed, data: { ...all, part: first + index, items: some } }));
};

/**
 * A kind of day list. Its decider rejects with `DAY_TAKEN` if the day has a list that must not be replaced, or if another upload has started since;
 * with `DAY_NOT_FOUND` if there is no list to delete. An unfinished upload is not a list: the next upload starts from the beginning. Every event
 * contains the whole state, so only the newest one is read.
 */
export const dayList = <Item extends object>(list: Omit<DayList<Item>, 'decider'>): DayList<Item> => ({
  ...list,
  decider: {
    window: 1,
    initialState: () => ({ count: null }),
    decide: (command, state) => {
      const { tenantId, date } = command;
      switch (command.type) {
        case 'ListDay':
          return partsOf(list.events, command, state);
        case 'DeleteDay':
          if (state.count === null) throw new DomainError('DAY_NOT_FOUND');
          return [{ type: list.events.deleted, data: { tenantId, date, count: state.count } }];
      }
    },
    evolve: (_state, { data }) => {
      if (!('items' in data)) return { count: null };
      const { part, parts, count, upload, replaces, edition } = data;
      if (part === parts - 1) return { count, ...(edition !== undefined && { edition }) };
      const standing = replaces === undefined ? { count: null } : { count: replaces, edition: (edition ?? 1) - 1 };
      return { ...standing, upload, next: part + 1 };
    },
  },
});
