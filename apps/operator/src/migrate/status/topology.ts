import type { Day } from '#domain/shared/time.js';
import type { DayList } from '#domain/status/day-lists/day-lists.js';
import { topologyEndpoints, topologyGroups, topologyServiceTypes } from '#domain/status/topology/topology.js';
import type { TakeDocument } from '../migration.js';
import { type Fields, integerIn, quietly } from '../read/fields.js';
import type { DocumentPlace } from '../report.js';
import { BoundedRunner } from '../write/bounded-runner.js';
import { type DayDigests, dayDigests, daysToWrite } from './day-digests.js';
import { DayListWriter } from './day-lists.js';
import { dayOfList, madeAt } from './documents/members.js';
import { topologyEndpoint, topologyGroup, topologyServiceType } from './documents/topology-items.js';
import type { StatusMigration } from './options.js';
import { Findings, fileOf, type TenantScope } from './tenant-scope.js';

/** A topology list, and the reader of its items. `kind` is also the name of the original's collection. */
type TopologyKind = Readonly<{ list: DayList<object>; item(fields: Fields): object }>;

const kindOf = <Item extends object>(list: DayList<Item>, item: (fields: Fields) => Item): TopologyKind => ({ list, item }) as TopologyKind;

const endpoints = kindOf(topologyEndpoints, topologyEndpoint);
const groups = kindOf(topologyGroups, topologyGroup);
const serviceTypes = kindOf(topologyServiceTypes, topologyServiceType);

/** Kinds whose days are written or skipped together. */
const TOGETHER: readonly (readonly TopologyKind[])[] = [[serviceTypes], [groups, endpoints]];

export const topologyKinds: readonly TopologyKind[] = TOGETHER.flat();

/** Lists with at least this many items are written one after another. */
const LONG = 10_000;
const AT_ONCE = 4;

const sortedBy = (fields: Fields): string => String(quietly(() => integerIn(fields, 'date_integer')) ?? '').padStart(8, '0');

/** `documents`: including those of later days with the same list. */
type Gathered = { day: Day; items: object[]; documents: number; place: DocumentPlace; time: string };

/** Takes over the lists of one kind, day by day. Only the documents of one day, and of a few short lists, are in memory. */
const takeDays = async (
  migration: StatusMigration,
  { list, item }: TopologyKind,
  { tenant, digests, days }: Readonly<{ tenant: TenantScope; digests: DayDigests; days: ReadonlySet<Day> }>,
): Promise<void> => {
  const writer = new DayListWriter(migration, list, tenant);
  const runner = new BoundedRunner(AT_ONCE);
  let gathered: Gathered | undefined;
  const write = async (): Promise<void> => {
    if (!gathered) return;
    const { place, documents, ...whole } = gathered;
    gathered = undefined;
    await runner.run(() => writer.writeDocuments({ ...whole, version: digests.get(whole.day) ?? '' }, { place, documents }));
    if (whole.items.length >= LONG) await runner.end();
  };
  const take: TakeDocument = async ({ fields, place }) => {
    const day = dayOfList(fields);
    const one = item(fields);
    if (!days.has(day)) {
      if (gathered) gathered.documents += 1; // it is part of that list
      return 'written';
    }
    if (gathered?.day !== day) await write();
    gathered ??= { day, items: [], documents: 0, place, time: madeAt(fields) };
    gathered.items.push(one);
    gathered.documents += 1;
    return 'written';
  };
  try {
    await migration.each(fileOf(migration, tenant, list.kind), take, { sortedBy });
    await write();
  } finally {
    await runner.end();
  }
  runner.check();
};

/** Takes over service types, groups and endpoints of a tenant: one list for each day with a change. */
export const takeTopology = async (migration: StatusMigration, tenant: TenantScope, findings: Findings): Promise<void> => {
  for (const kinds of TOGETHER) {
    const digests: DayDigests[] = [];
    for (const { list, item } of kinds) digests.push(await dayDigests(migration, fileOf(migration, tenant, list.kind), item));
    const all = new Set(digests.flatMap((one) => [...one.keys()]));
    const days = migration.options.everyDay ? all : daysToWrite(digests);
    if (days.size < all.size) {
      const names = kinds.map(({ list }) => list.kind).join(' and ');
      migration.report.note(
        `${names} of ${tenant.name}: ${all.size - days.size} of ${all.size} days are those before them, and are not written again`,
      );
    }
    for (const [index, kind] of kinds.entries()) {
      const own = digests[index] ?? new Map();
      findings.days.set(Findings.key(kind.list.kind, tenant), new Set([...days].filter((day) => own.has(day))));
      await takeDays(migration, kind, { tenant, digests: own, days });
    }
  }
};
