import {
  type AnyDayList,
  categoryOfDayList,
  type DayDeleted,
  type DayListEvent,
  type DayListed,
} from '#domain/status/day-lists/day-lists.js';
import { dayLists } from '#domain/status/index.js';
import { TENANTS_CATEGORY, type TenantDeleted, tenantSubject } from '#domain/status/tenants/tenants.js';
import { defineProjection } from '#projections/shared/define.js';
import { type DocumentChange, type Projection, put, remove, removePrefix, type Sealing } from '#projections/shared/projection.js';
import { itemsCodec, RECORD_DEPTH } from '#projections/status/layout.js';
import { byTenant } from '#projections/status/partitions.js';

export const DAY_LISTS_PROJECTION = 'status.day-lists';

/** Collections of one kind. Keys begin with the tenant, so that no range can reach another tenant's documents. */
export const dayListCollections = ({ kind }: AnyDayList) => ({
  /** `<tenant>/<day>` → {@link DayDocument}: the list of the day is there, with all its parts. */
  days: `${kind}.days`,
  /** `<tenant>/<day>/<part>`, six digits → the items of a part as they stand in a response, separated as there. None for an empty list. */
  parts: kind,
});

/** `parts`: how many documents hold the items. `event`: id of the event with the last part, by which a list is told from one that replaced it. */
export type DayDocument = Readonly<{ parts: number; event: string }>;

/** Downtimes stand in an object with their day; items of the other kinds stand by themselves and bear the day each. */
const standAlone = ({ depth }: AnyDayList): boolean => depth === RECORD_DEPTH;

const tenantIn = (key: string): string => key.slice(0, key.indexOf('/'));

/** What of the items of a kind is personal; all of them are lists. */
const sealingOf = ({ sensitive = [] }: AnyDayList): Sealing =>
  sensitive.map((path) => ({ path, subject: ({ key }) => tenantSubject(tenantIn(key)), erased: '[]' }));

/** Contacts are an empty list once the key of the tenant is destroyed. */
const shown = (item: object): object => {
  const { notifications } = item as Readonly<{ notifications?: Readonly<{ contacts?: unknown }> }>;
  return notifications?.contacts === null ? { ...item, notifications: { ...notifications, contacts: [] } } : item;
};

const changes = (list: AnyDayList, data: DayListed<object> | DayDeleted, event: string): readonly DocumentChange[] => {
  const { days, parts } = dayListCollections(list);
  const day = `${data.tenantId}/${data.date}`;
  if (!('items' in data)) return [removePrefix(parts, `${day}/`), remove(days, day)];
  // An upload that was never finished left parts.
  const cleared = data.part === 0 ? [removePrefix(parts, `${day}/`)] : [];
  if (data.count === 0) return [...cleared, put(days, day, { parts: 0, event } satisfies DayDocument)];
  const items = standAlone(list) ? data.items.map((item) => ({ date: data.date, ...shown(item) })) : data.items;
  const written = [...cleared, put(parts, `${day}/${String(data.part).padStart(6, '0')}`, items)];
  // Only now that all of the list is there, so that nobody sees a part of it.
  return data.part === data.parts - 1 ? [...written, put(days, day, { parts: data.parts, event } satisfies DayDocument)] : written;
};

/** All kinds of day lists. A list is found by one reverse range of length one, and read by one range of its parts, whatever the history. */
export const dayListsProjection: Projection = defineProjection<DayListEvent<object> | TenantDeleted>({
  name: DAY_LISTS_PROJECTION,
  version: 2,
  service: 'status',
  categories: [TENANTS_CATEGORY, ...dayLists.map(categoryOfDayList)],
  handles: ['TenantDeleted', ...dayLists.flatMap(({ events }) => [events.listed, events.deleted])],
  partitions: byTenant(
    dayLists.map(categoryOfDayList),
    dayLists.flatMap((list) => Object.values(dayListCollections(list))),
  ),
  codecs: Object.fromEntries(dayLists.map((list) => [dayListCollections(list).parts, itemsCodec(list.depth)])),
  sealed: Object.fromEntries(dayLists.flatMap((list) => (list.sensitive ? [[dayListCollections(list).parts, sealingOf(list)]] : []))),
  apply: ({ type, data, id }) => {
    if (!('date' in data)) {
      const collections = dayLists.flatMap((list) => Object.values(dayListCollections(list)));
      return collections.map((collection) => removePrefix(collection, `${data.tenantId}/`));
    }
    const list = dayLists.find(({ events }) => type === events.listed || type === events.deleted);
    if (!list) throw new Error(`no day list has the event ${type}`);
    return changes(list, data, id);
  },
});
