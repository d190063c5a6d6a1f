import type { EventCatalogue } from '#domain/shared/catalogue.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import { jsonSize } from '#domain/shared/json/json-size.js';
import { ended, type Mapping, text } from '#domain/shared/resource-change.js';
import type { Day } from '#domain/shared/time.js';
import { recordOfTenant } from '#domain/status/audited-records.js';
import { overLimit, RECORD_DEPTH, STATUS_LIMITS } from '#domain/status/limits.js';
import { sealedForTenant } from '#domain/status/tenants/tenants.js';

/**
 * One part of the list of a day, which is there with the last of its parts. `count` is the number of items in all parts. The parts of a long list
 * are appended one after another and bear the id of their `upload`; those of a short one are appended together.
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
  /** Items of the list that this one replaces, which stays until the last part is there. Absent where the day had no list. */
  replaces?: number;
  /** How often the list of the day was replaced, this time included. Absent where it never was. */
  edition?: number;
}>;
/** The list of a day is gone; it had `count` items. */
export type DayDeleted = Readonly<{ tenantId: string; date: Day; count: number }>;

export type DayListEvent<Item extends object> = Readonly<{ type: string; data: DayListed<Item> } | { type: string; data: DayDeleted }>;

/**
 * Writes parts of a list of so many parts and items, from the part `first` on: all of them at once, or one command after another under the id of one
 * `upload`.
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
  /** Whether a list that the day has is replaced; otherwise that is refused. */
  replace?: boolean;
}>;

export type DayListCommand<Item extends object> = ListDay<Item> | Readonly<{ type: 'DeleteDay'; tenantId: string; date: Day }>;

/** `count`: items of the list of the day, `null` when there is no list; `edition`: of that list. `next`: the part that an unfinished upload is at. */
type DayListState = Readonly<{ count: number | null; edition?: number; upload?: string; next?: number }>;

/** A kind of list that is written as a whole for a day, and never changed but only deleted (status extended contract 3, 4). */
export type DayList<Item extends object> = Readonly<{
  /** As in stream names, for example `topology_endpoints`. */
  kind: string;
  events: Readonly<{ listed: string; deleted: string }>;
  /** Paths in an item to what is personal, and marked so: sealed with the key of the tenant. Default none. */
  sensitive?: readonly string[];
  /** Texts of an item that say where it is listed, by their bytes; where they are equal, items stay in the order in which they were sent. Default: all do. */
  placedBy?: (item: Item) => readonly string[];
  /** How deep an item stands in an answer. Those of {@link RECORD_DEPTH} bear the day of their list. */
  depth: number;
  decider: Decider<DayListState, DayListCommand<Item>, DayListEvent<Item>>;
}>;

/** What callers that only route and name need of any kind. */
export type AnyDayList = Omit<DayList<object>, 'decider' | 'placedBy'>;

export const categoryOfDayList = (list: AnyDayList): string => `status.${list.kind}`;
/** Nothing but "a day has one list at most" must hold, so each day of a tenant has a stream of its own. */
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

/** A list is there with the last of its parts. */
const withLastPart =
  (changes: Mapping): Mapping =>
  (event) =>
    Number(event.data.part) === Number(event.data.parts) - 1 ? changes(event) : [];

export const catalogueOfDayList = ({ kind, events, sensitive = [] }: AnyDayList): EventCatalogue => {
  const list = listOfDay(kind);
  const personal = sensitive.length > 0 && personalOfTenant(sensitive.map((path) => `items[].${path}`));
  return { [events.listed]: { resource: withLastPart(list), ...personal }, [events.deleted]: { resource: ended(list) } };
};

/** Bytes of JSON text at which a part is full, and those of the parts that are appended together: every store takes that in one append. */
const [PART_BYTES, APPEND_BYTES] = [200_000, 400_000];
/** What the day adds to an item where it stands in an answer: `\n   "date": "YYYY-MM-DD",`. */
const DATE_BYTES = 25;

/**
 * How the items of a list go into the log: which of them share a part, and which parts are appended together. A single long item may make a part
 * longer. An empty list has one empty part.
 */
export class DayParts {
  count = 0;
  private placed = 0;
  /** Of each part, the first of its items and its bytes. */
  private readonly all: { start: number; bytes: number }[] = [{ start: 0, bytes: 0 }];
  /** Bytes in an answer. */
  private size = 0;

  constructor(private readonly list: Pick<AnyDayList, 'depth'>) {}

  /** Makes room for the next item. @throws DomainError `OVER_LIMIT` */
  add(item: object): void {
    this.place(this.measure(item));
  }

  /** Counts an item, in whatever order. Returns its bytes, for {@link place}. @throws DomainError `OVER_LIMIT` */
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

  /** Makes room for the next item that was measured. */
  place(bytes: number): void {
    const last = this.all.at(-1);
    if (last && (last.bytes === 0 || last.bytes + bytes <= PART_BYTES)) last.bytes += bytes;
    else this.all.push({ start: this.placed, bytes });
    this.placed += 1;
  }

  get parts(): number {
    return this.all.length;
  }

  /** Places of the items of a part: the first, and the one after the last. */
  itemsOf(part: number): readonly [start: number, end: number] {
    return [this.all[part]?.start ?? this.count, this.all[part + 1]?.start ?? this.count];
  }

  /** Stretches of parts, each small enough for one append: the first, and the one after the last. */
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

/** Whether the parts are those that the stream waits for. */
const continues = ({ upload, next }: DayListState, command: Readonly<{ upload: string; first: number }>): boolean =>
  upload === command.upload && next === command.first;

/** The events of parts that are written. @throws DomainError `DAY_TAKEN` */
const partsOf = <Item extends object>(
  { listed }: AnyDayList['events'],
  command: ListDay<Item>,
  state: DayListState,
): readonly DayListEvent<Item>[] => {
  const { tenantId, date, count, parts, first, items, replace = false } = command;
  if (first === 0 ? state.count !== null && !replace : !continues(state, command)) throw new DomainError('DAY_TAKEN');
  const upload = items.length === parts ? {} : { upload: command.upload };
  const replaced = state.count === null ? {} : { replaces: state.count, edition: (state.edition ?? 0) + 1 };
  const all = { tenantId, date, count, parts, ...upload, ...replaced };
  return items.map((some, index) => ({ type: listed, data: { ...all, part: first + index, items: some } }));
};

/**
 * A kind of day list. Its decider rejects with `DAY_TAKEN` when the day has a list already that is not to be replaced, or somebody else has begun to
 * write one since the upload began; with `DAY_NOT_FOUND` when there is none to delete. An upload that was never finished is no list: whoever comes
 * next begins anew. Every event tells the whole state, so a stream is picked up from its newest one.
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
