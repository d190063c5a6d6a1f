import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { type Day, dayBefore } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { atSecond, supergroupDays } from '#domain/status/results/compute-group.js';
import type { Plan } from '#domain/status/results/plan.js';
import type { GroupDay, ResultsDay } from '#domain/status/results/results.js';
import { DAY_SECONDS } from '#domain/status/results/timeline.js';
import type { Slice } from '#projections/shared/pages.js';
import { type ComputedDay, computeDay } from './compute-day.js';
import type { DayConfiguration } from './configuration.js';
import type { EndpointsPoints } from './endpoint-points.js';
import type { Memo } from './memory.js';
import type { ReportSettings } from './report-settings.js';

/** Stamps of the points of some days. A stamp changes with every point of its day. Days without points are absent. */
type PointStamps = ReadonlyMap<Day, string>;

/** Inputs of a day of a report. `now`: last second of the day that counts, 86,400 for a past day. */
export type DayToCompute = Readonly<{
  report: ReportSettings;
  configuration: DayConfiguration;
  stamps: PointStamps;
  now: number;
  /** Creates the plan on demand. `undefined`: the day cannot be computed. */
  plan: () => Promise<Plan | undefined>;
}>;

/** Identifies all inputs of results except time. */
const stampOf = ({ configuration: { stamp, day }, stamps }: Pick<DayToCompute, 'configuration' | 'stamps'>): string =>
  [stamp, stamps.get(day) ?? '', stamps.get(dayBefore(day)) ?? ''].join('/');

/** Whether results computed for an earlier second of the day are still valid. */
const holdsAt = ({ now: then, nextChangeAt = DAY_SECONDS }: ComputedDay, now: number): boolean =>
  then === now || (then < now && now < nextChangeAt);

/** The same results at a later second, if nothing has changed since. */
const computedAt = async (computed: ComputedDay, plan: Plan, now: number, slice: Slice): Promise<ComputedDay> => {
  const groups = [];
  for (const group of computed.day.groups) {
    groups.push(atSecond(plan, group, now));
    if (slice.isOver) await slice.next();
  }
  return { ...computed, day: { ...computed.day, seconds: Math.max(1, now), groups, supergroups: supergroupDays(plan, groups) }, now };
};

/** Source of the results of days for readers. All calls throw ConfigurationChanged and ReadStoreUnavailable. */
export interface Days {
  /** Results with services and endpoints. `group`: only this endpoint group is required. `undefined`: the day cannot be computed. */
  of(wanted: DayToCompute, group?: string): Promise<ComputedDay | undefined>;
  /** Results of groups and groups of groups, possibly with more. `undefined`: the day cannot be computed. */
  groups(wanted: DayToCompute): Promise<ResultsDay | undefined>;
}

const STEP_BYTES = 40;
const METRIC_BYTES = 200;
const ROW_BYTES = 250;

/** Approximate memory of a group's results. */
const bytesOf = ({ services, timeline }: GroupDay): number => {
  let bytes = ROW_BYTES + STEP_BYTES * timeline.length;
  for (const service of services) {
    bytes += ROW_BYTES + STEP_BYTES * service.timeline.length;
    for (const endpoint of service.endpoints)
      bytes += ROW_BYTES + STEP_BYTES * endpoint.timeline.length + METRIC_BYTES * endpoint.metrics.length;
  }
  return bytes;
};

/** Approximate memory of results. */
const memoryOf = ({ day: { groups } }: ComputedDay): number => groups.reduce((sum, group) => sum + bytesOf(group), ROW_BYTES);

/** Results with the stamp of their inputs. */
type Stamped = Readonly<{ stamp: string; computed: ComputedDay }>;

/** `computed`: absent if the days cannot be computed. */
type Blank = Readonly<{ computed?: ComputedDay }>;

/** Computes each day once and keeps the latest results of it while there is room. */
export class ComputedDays implements Days {
  private readonly computing = new Map<string, Promise<ComputedDay | undefined>>();
  /** Latest results for a later second, by the results from which they were derived. */
  private readonly later = new WeakMap<ComputedDay, Promise<ComputedDay>>();

  constructor(
    private readonly points: EndpointsPoints,
    private readonly kept: Memo,
  ) {}

  async of(wanted: DayToCompute): Promise<ComputedDay | undefined> {
    const { report, configuration, now, stamps } = wanted;
    const { day } = configuration;
    const isBlank = !stamps.has(day) && !stamps.has(dayBefore(day));
    if (isBlank && now === DAY_SECONDS) return this.blank(wanted);
    const [key, stamp] = [`day/${report.tenantId}/${report.id}/${day}`, stampOf(wanted)];
    const known = this.kept.get<Stamped>(key);
    if (known?.stamp === stamp && holdsAt(known.computed, now)) return this.at(known.computed, wanted);
    return this.once(`${key}/${stamp}/${now}`, async () => {
      const fresh = await this.compute(wanted, isBlank ? undefined : this.points);
      if (fresh) this.kept.set(key, { stamp, computed: fresh } satisfies Stamped, memoryOf(fresh));
      return fresh;
    });
  }

  async groups(wanted: DayToCompute): Promise<ResultsDay | undefined> {
    return (await this.of(wanted))?.day;
  }

  /** For a past day without points on it and on the previous day: all days with the same configuration share their results. */
  private async blank(wanted: DayToCompute): Promise<ComputedDay | undefined> {
    const { stamp, day } = wanted.configuration;
    const { computed } = await this.kept.fill<Blank>(`blank/${stamp}`, async () => {
      const fresh = await this.compute(wanted, undefined);
      return fresh ? { value: { computed: fresh }, bytes: memoryOf(fresh) } : { value: {}, bytes: 1 };
    });
    return computed && { ...computed, day: { ...computed.day, day } };
  }

  private async at(computed: ComputedDay, { now, plan }: DayToCompute): Promise<ComputedDay | undefined> {
    if (computed.now === now) return computed;
    const planned = await plan();
    const known = await this.later.get(computed);
    if (!planned || known?.now === now) return planned && known;
    const later = computedAt(computed, planned, now, new TimeSlice());
    this.later.set(computed, later);
    return later;
  }

  private async compute({ report, now, plan }: DayToCompute, points: EndpointsPoints | undefined): Promise<ComputedDay | undefined> {
    const planned = await plan();
    return planned && computeDay(planned, report.tenantId, points, now, new TimeSlice());
  }

  private async once(name: string, compute: () => Promise<ComputedDay | undefined>): Promise<ComputedDay | undefined> {
    try {
      return await getOrInsert(this.computing, name, compute);
    } finally {
      this.computing.delete(name);
    }
  }
}
