import type { Day } from '#domain/shared/time.js';
import type { DayList } from '#domain/status/day-lists/day-lists.js';
import { topologyEndpoints, topologyGroups, topologyServiceTypes } from '#domain/status/topology/topology.js';
import type { TakeDocument } from '../migration.js';
import { type Fields, integerIn, quietly } from '../read/fields.js';
import type { DocumentPlace } from '../report.js';
import { type CollectionReader, fileOf } from '../table.js';
import { differences } from '../verification.js';
import { BoundedRunner } from '../write/bounded-runner.js';
import { dayDigests, daysToWrite } from './day-digests.js';
import { countedDays, DayListWriter, queriesOfList } from './day-lists.js';
import { dayOfList, madeAt } from './documents/members.js';
import { topologyEndpoint, topologyGroup, topologyServiceType } from './documents/topology-items.js';
import { Findings, type StatusMigration, type StatusQueries, type TenantRow, type TenantScope } from './row.js';

/** A topology list, and the reader of its items. `kind` is also the name of the original's collection. */
type TopologyKind = Readonly<{ list: DayList<object>; item(fields: Fields): object }>;

const kindOf = <Item extends object>(list: DayList<Item>, item: (fields: Fields) => Item): TopologyKind => ({ list, item }) as TopologyKind;

/** Kinds whose days are written or skipped together. */
const TOGETHER: readonly (readonly TopologyKind[])[] = [
  [kindOf(topologyServiceTypes, topologyServiceType)],
  [kindOf(topologyGroups, topologyGroup), kindOf(topologyEndpoints, topologyEndpoint)],
];

/** Lists with at least this many items are written one after another. */
const LONG = 10_000;
const AT_ONCE = 4;

const sortedBy = (fields: Fields): string => String(quietly(() => integerIn(fields, 'date_integer')) ?? '').padStart(8, '0');

/** `documents`: including those of later days with the same list. */
type Gathered = { day: Day; items: object[]; documents: number; place: DocumentPlace; time: string };

/** Takes over the lists of one kind, day by day. Only the documents of one day, and of a few short lists, are in memory. */
const takeDays = (migration: StatusMigration, { list, item }: TopologyKind, tenant: TenantScope): CollectionReader => {
  const { found } = migration;
  const key = Findings.key(list.kind, tenant);
  const [days, digests] = [found.days.get(key), found.digests.get(key)];
  found.digests.delete(key);
  const writer = new DayListWriter(migration, list, tenant);
  const runner = new BoundedRunner(AT_ONCE);
  let gathered: Gathered | undefined;
  const write = async (): Promise<void> => {
    if (!gathered) return;
    const { documents, ...whole } = gathered;
    gathered = undefined;
    await runner.run(() => writer.writeDocuments({ ...whole, version: digests?.get(whole.day) ?? '' }, documents));
    if (whole.items.length >= LONG) await runner.end();
  };
  const each: TakeDocument = async ({ fields, place }) => {
    const day = dayOfList(fields);
    const one = item(fields);
    if (!days?.has(day)) {
      if (gathered) gathered.documents += 1; // it is part of that list
      return 'written';
    }
    if (gathered?.day !== day) await write();
    gathered ??= { day, items: [], documents: 0, place, time: madeAt(fields) };
    gathered.items.push(one);
    gathered.documents += 1;
    return 'written';
  };
  const end = async (): Promise<void> => {
    await write();
    await runner.end();
    runner.check();
  };
  return { each, sortedBy, end };
};

/** Finds the days of kinds that must be written: those with a change. */
const findDays = async (migration: StatusMigration, kinds: readonly TopologyKind[], tenant: TenantScope): Promise<void> => {
  const { report, options, found } = migration;
  const digests = new Map<string, ReadonlyMap<Day, string>>();
  for (const { list, item } of kinds) digests.set(list.kind, await dayDigests(migration, fileOf(migration, tenant, list.kind), item));
  const all = new Set([...digests.values()].flatMap((one) => [...one.keys()]));
  const days = options.everyDay ? all : daysToWrite([...digests.values()]);
  if (days.size < all.size)
    report.note(
      `${[...digests.keys()].join(' and ')} of ${tenant.name}: ${all.size - days.size} of ${all.size} days are those before them, and are not written again`,
    );
  for (const [kind, own] of digests) {
    const key = Findings.key(kind, tenant);
    found.digests.set(key, own);
    found.days.set(key, new Set([...days].filter((day) => own.has(day))));
  }
};

/** Returns whether an item is in the list of a day. */
const isListed = async (queries: StatusQueries, { list }: TopologyKind, tenantId: string, day: string, item: object): Promise<boolean> => {
  const found = await queriesOfList(queries, list).asOf(tenantId, day);
  if (!found) return false;
  for await (const { items } of found.items<object>()) {
    for (const { item: one } of items) {
      const { date: _day, ...members } = one as Readonly<{ date?: string }>;
      if (differences(item, members).length === 0) return true;
    }
  }
  return false;
};

/** Service types, groups and endpoints of a tenant: one list for each day with a change. */
export const topologyRows: readonly TenantRow[] = TOGETHER.flatMap((kinds) =>
  kinds.map((kind) => ({
    collection: kind.list.kind,
    twice: true,
    take: async (migration, tenant) => {
      if (kind === kinds[0]) await findDays(migration, kinds, tenant);
      return takeDays(migration, kind, tenant);
    },
    compared: {
      whole: true,
      expected: ({ fields }, { migration, scope }) =>
        migration.found.isRefused(kind.list.kind, scope, dayOfList(fields)) ? undefined : kind.item(fields),
      found: async ({ fields }, { queries, scope }) => {
        const item = kind.item(fields);
        return (await isListed(queries, kind, scope.tenantId, dayOfList(fields), item)) ? item : undefined;
      },
    },
    counted: countedDays(kind.list),
  })),
);
