import {
  type AnyDayList,
  categoryOfDayList,
  type DayDeleted,
  type DayListEvent,
  type DayListed,
} from '#domain/status/day-lists/day-lists.js';
import { dayLists } from '#domain/status/index.js';
import { RECORD_DEPTH } from '#domain/status/limits.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants/tenants.js';
import { topologyEndpoints } from '#domain/status/topology/topology.js';
import type { DocumentChange } from '#projections/shared/projection.js';
import { reading, readModel } from '#projections/shared/read-model.js';
import { tenantPartitionsOf } from '#projections/status/partitions.js';
import { DAY_LISTS, type DayListCollections, dayKey, dayListCollections, gaps, partsUnder } from './documents.js';
import { gapsAfter } from './gaps.js';

const kinds = dayLists.map((list) => ({ list, category: categoryOfDayList(list), collections: dayListCollections(list) }));
const categories = kinds.map(({ category }) => category);

/** Downtimes are nested in an object with their day. Items of the other kinds are top-level and contain their day. */
const standAlone = ({ depth }: AnyDayList): boolean => depth === RECORD_DEPTH;

/** Contacts are an empty list after the key of the tenant is destroyed. */
const shown = (item: object): object => {
  const { notifications } = item as Readonly<{ notifications?: Readonly<{ contacts?: unknown }> }>;
  return notifications?.contacts === null ? { ...item, notifications: { ...notifications, contacts: [] } } : item;
};

const deleted = ({ days, parts }: DayListCollections, day: DayDeleted): readonly DocumentChange[] => [
  parts.removeUnder(`${dayKey(day)}/`),
  parts.removeUnder(`${dayKey(day)}@`),
  days.remove(day),
];

const listed = (
  list: AnyDayList,
  { days, parts }: DayListCollections,
  data: DayListed<object>,
  event: string,
): readonly DocumentChange[] => {
  const { part, edition } = data;
  // Removes the parts of an unfinished upload.
  const cleared = part === 0 ? [parts.removeUnder(partsUnder(data))] : [];
  const items = standAlone(list) ? data.items.map((item) => ({ date: data.date, ...shown(item) })) : data.items;
  const written = data.count === 0 ? cleared : [...cleared, parts.put(data, items)];
  if (part < data.parts - 1) return written;
  // The list becomes visible only when it is complete, so no reader sees part of it, or of the list that it replaces.
  const { count } = data;
  const shownNow = days.put(data, { parts: count === 0 ? 0 : data.parts, count, event, ...(edition !== undefined && { edition }) });
  const replaced = edition === undefined ? [] : [parts.removeUnder(partsUnder({ ...data, edition: edition - 1 }))];
  return [...written, shownNow, ...replaced];
};

type DayEvent = Readonly<{ id: string; metadata: Readonly<{ time: string }> }> & DayListEvent<object>;

const endpointDays = dayListCollections(topologyEndpoints).days;

/** Handles the events of one kind of day list. */
const handlerFor = (list: AnyDayList, collections: DayListCollections) =>
  reading(
    ({ data }: DayEvent) => ({ before: gaps.at(data.tenantId), endpoints: endpointDays.at(data) }),
    ({ id, data, metadata: { time } }, { before, endpoints }): readonly DocumentChange[] => {
      const changes = 'items' in data ? listed(list, collections, data, id) : deleted(collections, data);
      const after = gapsAfter({ list, data, time, hasEndpoints: endpoints !== undefined }, before);
      return after ? [...changes, gaps.put(data.tenantId, after)] : changes;
    },
  );

const handlersOfKinds: Readonly<Record<string, ReturnType<typeof handlerFor>>> = Object.fromEntries(
  kinds.flatMap(({ list, collections }) => {
    const handler = handlerFor(list, collections);
    return [
      [list.events.listed, handler],
      [list.events.deleted, handler],
    ];
  }),
);

/** All kinds of day lists. A list is found by one reverse range of length one and read by one range of its parts, for any length of history. */
export const dayListsProjection = readModel<TenantDeleted>(
  {
    name: DAY_LISTS,
    version: 7,
    service: 'status',
    categories: [TENANTS_CATEGORY, ...categories],
    collections: [...kinds.flatMap(({ collections }) => Object.values(collections)), gaps],
    partitionsOf: tenantPartitionsOf(categories),
  },
  {
    ...handlersOfKinds,
    TenantDeleted: ({ data: { tenantId } }) => [
      ...kinds.flatMap(({ collections }) => Object.values(collections).map((collection) => collection.removeUnder(`${tenantId}/`))),
      gaps.remove(tenantId),
    ],
  },
);
