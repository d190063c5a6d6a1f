import { sha256 } from '#domain/shared/bytes/sha256.js';
import { type Day, dayBefore, dayOf } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { PlannedRecomputation } from '#domain/status/results/plan.js';
import { recomputationOn } from '#domain/status/results/windows.js';
import type { Slice } from '#projections/shared/pages.js';
import type { DatedQueries } from '#projections/status/dated-records/queries.js';
import type { DayListQueries } from '#projections/status/day-lists/queries.js';
import type { InForceDocument, RecomputationQueries } from '#projections/status/recomputations/queries.js';
import { cachedIfSmall, cachedRead, type Memo, NO_READ_CACHE, type ReadCache } from './memory.js';
import type { DaySpan } from './report-reader.js';
import { NEEDED_PROFILES, PROFILE_TYPES, type ProfileType, type ReportSettings } from './report-settings.js';
import { daysOf, later, lengthOf } from './span.js';

/** The snapshot of a profile that is valid on a day, identified by the hash of its content. */
export type VersionRef = Readonly<{ id: string; date: Day; hash: string }>;

/** A list of a day, identified by the event that completed it. */
export type ListRef = Readonly<{ day: Day; event: string }>;

/** References to the inputs of a day's plan, which are not read yet. */
export type DayConfiguration = Readonly<{
  day: Day;
  /** Changes with every input of the day's results except points. Days may share it: then their plans differ only in the day. */
  stamp: string;
  profiles: Readonly<Record<'metric' | 'operations' | 'aggregation', VersionRef> & Partial<Record<'thresholds' | 'weights', VersionRef>>>;
  /** List of the closest day. */
  groups: ListRef;
  /** List of the same day as the groups. */
  endpoints?: ListRef;
  /** List of exactly this day. */
  downtimes?: ListRef;
  recomputations: readonly PlannedRecomputation[];
}>;

export type ConfigurationSources = Readonly<{
  profiles: Readonly<Record<ProfileType, DatedQueries>>;
  groups: DayListQueries;
  endpoints: DayListQueries;
  downtimes: DayListQueries;
  recomputations: RecomputationQueries;
}>;

/** Values by the day from which each is valid, in order of days. */
type Since<Value> = readonly Readonly<{ day: Day; value: Value }>[];

/** Finds the value that is valid on a day. Days must be passed in order. */
const following = <Value>(since: Since<Value>): ((day: Day) => Value | undefined) => {
  let next = 0;
  return (day) => {
    while (next < since.length && (since[next]?.day ?? '') <= day) next++;
    return since[next - 1]?.value;
  };
};

/** Last changes of the tenant's profiles, by their type ({@link DatedQueries.lastChange}). */
export type ProfileChanges = ReadonlyMap<ProfileType, string>;

/** A recomputation in force, identified by the hash of its content. */
type InForce = Readonly<{ document: InForceDocument; hash: string }>;

/** The lists of a span that are valid or lie in it, by day. */
type Lists = Readonly<Record<'groups' | 'endpoints' | 'downtimes', ReadonlyMap<Day, string>>>;

/** Approximate memory of a reference. */
const VERSION_BYTES = 300;

const listOf = (lists: ReadonlyMap<Day, string>, day: Day): ListRef | undefined => {
  const event = lists.get(day);
  return event === undefined ? undefined : { day, event };
};

/** A recomputation on a day. The window is empty if a time is invalid. */
const plannedOn = (day: Day, { id, start_time, end_time, exclude, ...lists }: InForceDocument): PlannedRecomputation => {
  const { exclude_metrics = [], exclude_monitoring_source = [], applied_status_changes = [] } = lists;
  const { from, to } = recomputationOn(day, start_time, end_time) ?? { from: 0, to: 0 };
  const window = from < to ? { from, to } : { from: 0, to: 0 };
  return { id, window, exclude, exclude_metrics, exclude_monitoring_source, applied_status_changes };
};

/** Finds the configurations of a report's days with a few range reads, for any number of days (results contract 1). */
export class Configurations {
  constructor(
    private readonly sources: ConfigurationSources,
    private readonly kept: Memo,
    private readonly reads: ReadCache = NO_READ_CACHE,
  ) {}

  /** A configuration turned out to be outdated: the next look-ups read everything again. */
  changed(): void {
    this.reads.clear();
  }

  /**
   * The days of a short span that can be computed, as far as can be determined without reading lists: the list of groups may still be empty.
   * @param known recomputations in force in the span, and changes of profiles, as far as they are already known
   */
  async during(
    report: ReportSettings,
    span: DaySpan,
    slice: Slice = new TimeSlice(),
    known: Readonly<{ recomputations?: readonly InForce[]; changes?: ProfileChanges }> = {},
  ): Promise<ReadonlyMap<Day, DayConfiguration>> {
    if (!report.computable) return new Map();
    const { tenantId } = report;
    const changes = known.changes ?? this.changes(report);
    const [versions, lists, inForce] = await Promise.all([
      Promise.all(PROFILE_TYPES.map((type) => this.versions(report, type, span, changes, slice))),
      this.lists(tenantId, span),
      known.recomputations ?? this.inForce(report, span, slice),
    ]);
    const groupsAt = following([...lists.groups].map(([day, event]) => ({ day, value: { day, event } })));
    const [metricAt, operationsAt, aggregationAt, thresholdsAt, weightsAt] = versions.map(following);
    const configurations = new Map<Day, DayConfiguration>();
    for (const day of daysOf(span)) {
      const [metric, operations, aggregation] = [metricAt?.(day), operationsAt?.(day), aggregationAt?.(day)];
      const [thresholds, weights, list] = [thresholdsAt?.(day), weightsAt?.(day), groupsAt(day)];
      if (!metric || !operations || !aggregation || !list) continue;
      const [endpointsOf, downtimesOf] = [listOf(lists.endpoints, list.day), listOf(lists.downtimes, day)];
      const covering = inForce.filter(({ document }) => covers(document, day));
      const planned = covering.map(({ document }) => plannedOn(day, document));
      const parts = [report.stamp, metric.hash, operations.hash, aggregation.hash, thresholds?.hash, weights?.hash];
      const forced = covering.map(({ hash }, index) => [hash, planned[index]?.window]);
      configurations.set(day, {
        day,
        stamp: sha256(JSON.stringify([...parts, list.event, endpointsOf?.event, downtimesOf?.event, forced])),
        profiles: { metric, operations, aggregation, ...(thresholds && { thresholds }), ...(weights && { weights }) },
        groups: list,
        ...(endpointsOf && { endpoints: endpointsOf }),
        ...(downtimesOf && { downtimes: downtimesOf }),
        recomputations: planned,
      });
      if (slice.isOver) await slice.next();
    }
    return configurations;
  }

  /** The first day that may be computable, absent if there is none, and the changes of the profiles by which it was found. */
  async firstDay(report: ReportSettings): Promise<Readonly<{ day?: Day | undefined; changes: ProfileChanges }>> {
    const { tenantId, computable, profiles } = report;
    if (!computable) return { changes: new Map() };
    const [changes, { day: ofGroups }] = await Promise.all([
      this.changes(report),
      cachedRead(this.reads, ['first', tenantId], async () => ({ day: await this.sources.groups.firstDay(tenantId) })),
    ]);
    const needed = NEEDED_PROFILES.map((type) => {
      const id = profiles.get(type) ?? '';
      return this.kept.fill(['first', type, tenantId, id, changes.get(type)].join('/'), async () => ({
        value: { day: await this.sources.profiles[type].firstDay({ tenantId, id }) },
        bytes: VERSION_BYTES,
      }));
    });
    const firsts = [ofGroups, ...(await Promise.all(needed)).map(({ day }) => day)];
    return { changes, day: firsts.includes(undefined) ? undefined : firsts.map(String).sort().at(-1) };
  }

  private changes({ tenantId, profiles }: ReportSettings): Promise<ProfileChanges> {
    const types = PROFILE_TYPES.filter((type) => profiles.has(type));
    const last = async (type: ProfileType) => [type, await this.sources.profiles[type].lastChange(tenantId)] as const;
    return cachedRead(this.reads, ['changes', tenantId, ...types], async () => new Map(await Promise.all(types.map(last))));
  }

  private lists(tenantId: string, { from, to }: DaySpan): Promise<Lists> {
    const { sources } = this;
    return cachedRead(this.reads, ['lists', tenantId, from, to], async () => {
      const [groups, downtimes] = await Promise.all([
        sources.groups.during(tenantId, from, to),
        sources.downtimes.during(tenantId, from, to),
      ]);
      return { groups, downtimes, endpoints: await sources.endpoints.eventsOf(tenantId, [...groups.keys()]) };
    });
  }

  /** Number of items in the topology lists that are valid on the days of a span, counted for each day. No list is read for this. */
  async itemDays({ tenantId }: ReportSettings, span: DaySpan, kind: 'groups' | 'endpoints'): Promise<number> {
    const since = [...(await this.sources.groups.during(tenantId, span.from, span.to)).keys()];
    const counts = await this.sources[kind].countsOf(tenantId, since);
    return since.reduce((sum, day, index) => {
      const next = since[index + 1];
      return sum + (counts.get(day) ?? 0) * lengthOf({ from: later(day, span.from), to: next === undefined ? span.to : dayBefore(next) });
    }, 0);
  }

  private async versions(
    { tenantId, profiles }: ReportSettings,
    type: ProfileType,
    { from, to }: DaySpan,
    changes: ProfileChanges | Promise<ProfileChanges>,
    slice: Slice,
  ): Promise<Since<VersionRef>> {
    const id = profiles.get(type);
    if (id === undefined) return [];
    const source = this.sources.profiles[type];
    const name = ['versions', type, tenantId, id, from, to, (await changes).get(type)].join('/');
    return this.kept.fill(name, async () => {
      const found: { day: Day; value: VersionRef }[] = [];
      for await (const page of source.during({ tenantId, id }, from, to, slice))
        for (const { date, body } of page) found.push({ day: date, value: { id, date, hash: sha256(body) } });
      return { value: found, bytes: VERSION_BYTES * (1 + found.length) };
    });
  }

  /** The recomputations in force on at least one day of a span, in order of requests. */
  async inForce({ tenantId, name }: ReportSettings, { from, to }: DaySpan, slice: Slice): Promise<readonly InForce[]> {
    const found = await cachedIfSmall(this.reads, ['in-force', tenantId, name, from, to], () =>
      this.readInForce(tenantId, name, { from, to }, slice),
    );
    return found ?? [];
  }

  private async readInForce(tenantId: string, name: string, { from, to }: DaySpan, slice: Slice) {
    const value: InForce[] = [];
    let size = 0;
    for await (const { document, bytes } of this.sources.recomputations.inForce(tenantId, name, slice)) {
      const inSpan = dayOf(document.start_time) <= to && dayOf(document.end_time) >= from;
      if (!inSpan) continue;
      value.push({ document, hash: sha256(bytes) });
      size += bytes.length;
    }
    return { value, bytes: size };
  }
}

const covers = ({ start_time, end_time }: InForceDocument, day: Day): boolean => dayOf(start_time) <= day && day <= dayOf(end_time);
