import { type Day, dayAfter } from '#domain/shared/time.js';
import { endpointKey } from '#domain/status/results/plan.js';
import type { Slice } from '#projections/shared/pages.js';
import type { PointQueries, PointsOfEndpoint, StampedDays } from '#projections/status/metric-results/point-queries.js';
import type { Configurations, DayConfiguration, ProfileChanges } from './configuration.js';
import { withCurrent } from './current-configuration.js';
import { type ExpectedEndpoints, expectedEndpoints } from './endpoint-points.js';
import type { Memo } from './memory.js';
import { type Plans, topologyStamp } from './plans.js';
import type { DaySpan } from './report-reader.js';
import type { ReportSettings } from './report-settings.js';
import { monthsOf } from './span.js';

type FirstDayParts = Readonly<{
  configurations: Configurations;
  plans: Plans;
  points: PointQueries;
  kept: Memo;
}>;

/** The first days that may have results, and the changes of the profiles by which they were found. */
export type FirstDaysAndChanges = Readonly<{ days: StampedDays; changes: ProfileChanges }>;

/** A day and its last second that counts. */
type DayUntil = Readonly<{ day: Day; second: number }>;

/** Result for the points of a day up to a stamp. `at`: the second of one that counts for a report, absent if none does. */
type Verdict = Readonly<{ stamp: string; at?: number }>;
const VERDICT_BYTES = 500;

/** The first day as last found: while it still is a day with results, only earlier ones are looked at. */
type Found = Readonly<{ day: Day }>;

/** Endpoints that are looked up one by one before the points of the whole day are read. */
const PROBED = 20;

/** The second of a point of the endpoint that counts: one that has passed, otherwise the first future one. */
type Counting = (endpoint: PointsOfEndpoint) => number | undefined;

type Look = Readonly<{ counting: Counting; second: number; slice: Slice }>;

const monthIn = (day: Day): string => day.slice(0, 7);

/** The months of the days, which are in order. The first and last month are clipped to the first and last day. */
function* monthsWith(days: StampedDays): Generator<DaySpan> {
  const [from, to] = [days[0]?.[0], days.at(-1)?.[0]];
  if (from === undefined || to === undefined) return;
  const wanted = new Set(days.map(([day]) => monthIn(day)));
  for (const month of monthsOf({ from, to })) if (wanted.has(monthIn(month.from))) yield month;
}

/**
 * Finds the first day on which a report has results: the day of its first point that counts. Such a point is expected on its own day and belongs
 * neither to another report nor to a group that does not expect it. Recomputations are ignored (results contract 2).
 */
export class FirstDays {
  constructor(private readonly parts: FirstDayParts) {}

  /** `first`: from `earliest`. `now`: today and its current second. `undefined`: no point counts yet. @throws ReadStoreUnavailable */
  async of(report: ReportSettings, first: FirstDaysAndChanges, now: DayUntil, slice: Slice): Promise<Day | undefined> {
    const { kept } = this.parts;
    const name = `first/${report.tenantId}/${report.id}`;
    const known = kept.get<Found>(name)?.day;
    const upToKnown = known !== undefined && known <= now.day ? await this.among(report, first, known, now, slice) : undefined;
    const found = upToKnown ?? (await this.among(report, first, now.day, now, slice));
    if (found !== undefined && found !== known) kept.set(name, { day: found } satisfies Found, VERDICT_BYTES);
    return found;
  }

  /**
   * The first days with points from the first configured one on, found without reading lists or points. No earlier day has results. Empty: none has.
   */
  async earliest(report: ReportSettings, slice: Slice): Promise<FirstDaysAndChanges> {
    const { configurations, points } = this.parts;
    const { day: from, changes } = await configurations.firstDay(report);
    if (from !== undefined) for await (const days of points.days(report.tenantId, { from }, slice)) return { days, changes };
    return { days: [], changes };
  }

  /** The days with points up to a day: the first ones, which are known, and those after them. */
  private async *days({ tenantId }: ReportSettings, first: StampedDays, to: Day, slice: Slice): AsyncGenerator<StampedDays> {
    yield first.filter(([day]) => day <= to);
    const last = first.at(-1)?.[0];
    if (last !== undefined && last < to) yield* this.parts.points.days(tenantId, { from: dayAfter(last), to }, slice);
  }

  private async among(
    report: ReportSettings,
    { days, changes }: FirstDaysAndChanges,
    to: Day,
    now: DayUntil,
    slice: Slice,
  ): Promise<Day | undefined> {
    for await (const page of this.days(report, days, to, slice)) {
      const stamps = new Map(page);
      for (const month of monthsWith(page)) {
        const configurations = await this.parts.configurations.during(report, month, slice, { recomputations: [], changes });
        const found = await this.firstOf(report, configurations, stamps, now, slice);
        if (found !== undefined) return found;
        if (slice.isOver) await slice.next();
      }
    }
    return undefined;
  }

  private async firstOf(
    report: ReportSettings,
    days: ReadonlyMap<Day, DayConfiguration>,
    stamps: ReadonlyMap<Day, string>,
    now: DayUntil,
    slice: Slice,
  ): Promise<Day | undefined> {
    const { configurations, plans } = this.parts;
    for (const [day, configuration] of days) {
      const stamp = stamps.get(day);
      if (stamp === undefined) continue;
      const second = day === now.day ? now.second : Number.POSITIVE_INFINITY;
      const at = await withCurrent(configurations, report, configuration, async (current) => {
        const { groups } = await plans.topology(report, current);
        return this.countingAt(report, current, expectedEndpoints(groups), { stamp, second, slice });
      });
      if (at !== undefined && at <= second) return day;
      if (slice.isOver) await slice.next();
    }
    return undefined;
  }

  /** Points are never removed, so a positive result is final. After a negative one, only newer points have to be searched. */
  private async countingAt(
    report: ReportSettings,
    configuration: DayConfiguration,
    expected: ExpectedEndpoints,
    { stamp, second, slice }: Readonly<{ stamp: string; second: number; slice: Slice }>,
  ): Promise<number | undefined> {
    if (expected.size === 0) return undefined;
    const { kept } = this.parts;
    const { day } = configuration;
    const name = `counting/${report.id}/${day}/${topologyStamp(report, configuration)}`;
    const known = kept.get<Verdict>(name);
    if (known && (known.stamp === stamp || (known.at !== undefined && known.at <= second))) return known.at;
    const counting = countingFor(expected, report.id, second);
    const found = known
      ? await this.amongTouched(report.tenantId, day, known.stamp, { counting, second, slice })
      : await this.amongAll(report.tenantId, day, expected, { counting, second, slice });
    const at = least(found, known?.at);
    kept.set(name, (at === undefined ? { stamp } : { stamp, at }) satisfies Verdict, VERDICT_BYTES);
    return at;
  }

  private async amongTouched(tenantId: string, day: Day, stamp: string, { counting, second, slice }: Look): Promise<number | undefined> {
    const { points } = this.parts;
    let at: number | undefined;
    for (const { host, service } of await points.touchedAfter(tenantId, day, stamp, slice)) {
      at = least(at, counting({ host, service, points: await points.ofEndpoint(tenantId, day, host, service, slice) }));
      if (at !== undefined && at <= second) return at;
    }
    return at;
  }

  private async amongAll(tenantId: string, day: Day, expected: ExpectedEndpoints, { counting, second, slice }: Look) {
    const { points } = this.parts;
    let [at, probed]: [number | undefined, number] = [undefined, 0];
    for (const { host, service } of expected.values()) {
      if (probed++ === PROBED) break;
      at = least(at, counting({ host, service, points: await points.ofEndpoint(tenantId, day, host, service, slice) }));
      if (at !== undefined && at <= second) return at;
    }
    if (expected.size <= PROBED) return at;
    for await (const page of points.ofDay(tenantId, day, slice)) {
      for (const endpoint of page) at = least(at, counting(endpoint));
      if (at !== undefined && at <= second) return at;
      if (slice.isOver) await slice.next();
    }
    return at;
  }
}

const least = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);

const countingFor =
  (expected: ExpectedEndpoints, report: string, second: number): Counting =>
  ({ host, service, points }) => {
    const places = expected.get(endpointKey(service, host))?.places ?? [];
    const groups = new Set(places.map(({ group }) => group.name));
    let first: number | undefined;
    for (const metric of places[0]?.planned.metrics ?? []) {
      const point = points
        .get(metric)
        ?.find(({ origin }) => (origin.report ?? report) === report && (origin.group === undefined || groups.has(origin.group)));
      first = least(first, point?.at); // the metric's first point in time
      if (first !== undefined && first <= second) return first;
    }
    return first;
  };
