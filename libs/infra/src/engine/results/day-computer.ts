import { LRUCache } from 'lru-cache';
import type { Day } from '#domain/shared/time.js';
import { dayBefore } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { Plan } from '#domain/status/results/plan.js';
import { DAY_SECONDS } from '#domain/status/results/timeline.js';
import type { ReportQueries } from '#projections/status/reports/queries.js';
import type { DayConfiguration } from '#projections/status/results/configuration.js';
import { readAnew } from '#projections/status/results/current-configuration.js';
import { type ReportSettings, settingsOf } from '#projections/status/results/report-settings.js';
import type { ReaderParts } from '#projections/status/results/stored-report-reader.js';
import { type DayStamps, FollowedDay } from './followed-day.js';
import type { ResultsOrigin } from './origin.js';
import type { Proof, ReportDay, ResultsStore } from './results-store.js';
import { stampOfPoints } from './stamps.js';

export type DayComputerParts = Readonly<{
  reader: Pick<ReaderParts, 'configurations' | 'plans' | 'points' | 'endpointsPoints'>;
  reports: Pick<ReportQueries, 'byName'>;
  store: ResultsStore;
  origin: Pick<ResultsOrigin, 'record'>;
  /** Milliseconds since 1970-01-01 UTC. */
  now: () => number;
}>;

/** A day of a report, given by its name. */
export type DayRequest = Readonly<{ tenantId: string; name: string; day: Day }>;

/** A proof, with the id of its report. */
type ComputedProof = Proof & Readonly<{ report: string }>;

type Followed = Readonly<{ plan: string; followed: FollowedDay }>;

type Found = Readonly<{ key: ReportDay; settings: ReportSettings; configuration: DayConfiguration; stamps: DayStamps; proof: Proof }>;

/** Maximum total weight of days kept up to date in memory (steps, metrics, and points counted twice): about 250 MB. */
const MAX_WEIGHT = 4_000_000;

/** Last second of the day that counts at a moment: 86,400 for a past day, negative for a future one. */
const secondOf = (day: Day, now: number): number => Math.min(DAY_SECONDS, Math.floor((now - Date.parse(day)) / 1_000));

/** Returns whether stored results are right at the second of the proof, apart from figures of an unfinished day. */
const holds = (stored: Proof, { plan, points, seconds }: Proof): boolean => {
  if (stored.plan !== plan || stored.points !== points) return false;
  return stored.seconds === seconds || (stored.seconds < seconds && seconds < (stored.until ?? DAY_SECONDS));
};

/** Computes days and stores them. Days that still receive points stay in memory, so that only affected parts are recomputed. */
export class DayComputer {
  private readonly followed = new LRUCache<string, Followed>({ maxSize: MAX_WEIGHT });

  constructor(private readonly parts: DayComputerParts) {}

  /**
   * Updates the stored results of the day, and returns their proof. `undefined` if there are no results of that day.
   * @param sliceMs longest time for which it holds the event loop. Default: as other work
   * @throws ReadStoreUnavailable; DomainError `OVER_LIMIT`; Error nothing can be stored now
   */
  compute(request: DayRequest, sliceMs?: number): Promise<ComputedProof | undefined> {
    return readAnew(this.parts.reader.configurations, request.day, () => this.computeOnce(request, new TimeSlice(sliceMs)));
  }

  /** Drops the days of reports that are no longer wanted. */
  forget(isWanted: (key: Omit<ReportDay, 'day'>) => boolean): void {
    for (const name of [...this.followed.keys()]) {
      const [tenantId = '', report = ''] = JSON.parse(name) as string[];
      if (!isWanted({ tenantId, report })) this.followed.delete(name);
    }
  }

  private async computeOnce(request: DayRequest, slice: TimeSlice): Promise<ComputedProof | undefined> {
    const { reader, store } = this.parts;
    const found = await this.lookUp(request, slice);
    if (!found) return undefined;
    const { key, proof } = found;
    const stored = store.proof(key);
    if (stored && holds(stored, proof)) {
      const confirmed = { ...stored, at: proof.at };
      store.confirm(key, confirmed); // readers need the age of the shown results
      return { ...confirmed, report: key.report };
    }
    store.requireRoom(); // otherwise the reader of the day computes it: not both
    const plan = await reader.plans.plan(found.settings, found.configuration);
    if (plan) return this.store(found, plan, stored, slice);
    store.remove([key]);
    return undefined;
  }

  /** Looks up the inputs of the day's results. */
  private async lookUp({ tenantId, name, day }: DayRequest, slice: TimeSlice): Promise<Found | undefined> {
    const { reader, reports, store, now } = this.parts;
    const document = await reports.byName({ tenantId, name });
    if (!document) return undefined;
    const settings = settingsOf(tenantId, name, document);
    const key: ReportDay = { tenantId, report: settings.id, day };
    const at = now();
    const seconds = secondOf(day, at);
    const configuration = seconds < 0 ? undefined : (await reader.configurations.during(settings, { from: day, to: day })).get(day);
    if (!configuration) {
      store.remove([key]);
      return undefined;
    }
    const points = await reader.points.stamps(tenantId, dayBefore(day), day, slice);
    const stamps = { today: points.get(day) ?? '', before: points.get(dayBefore(day)) ?? '' };
    return { key, settings, configuration, stamps, proof: { plan: configuration.stamp, points: stampOfPoints(points, day), seconds, at } };
  }

  private async store(
    { key, settings, stamps, proof }: Found,
    plan: Plan,
    stored: Proof | undefined,
    slice: TimeSlice,
  ): Promise<ComputedProof> {
    const { reader, store, origin } = this.parts;
    const { seconds, at } = proof;
    const known = this.known(key, proof.plan);
    try {
      const changed = await known?.advance(stamps, seconds, slice);
      const followed = known ?? (await FollowedDay.compute({ ...reader, tenantId: key.tenantId, plan }, stamps, seconds, slice));
      const { until } = followed;
      const complete: Proof = until === undefined ? proof : { ...proof, until };
      const results = await followed.at(seconds, slice);
      await origin.record();
      // At the end of a day, all figures are recomputed for the whole day.
      const ends = seconds === DAY_SECONDS && stored?.seconds !== DAY_SECONDS;
      store.write({ ...key, name: settings.name }, complete, results, ends ? undefined : changed);
      this.keep(key, { plan: proof.plan, followed }, stored?.plan === proof.plan, at);
      return { ...complete, report: key.report };
    } catch (error) {
      this.followed.delete(nameOf(key)); // it may be ahead of the stored results
      throw error;
    }
  }

  private known(key: ReportDay, plan: string): FollowedDay | undefined {
    const known = this.followed.get(nameOf(key));
    return known?.plan === plan ? known.followed : undefined;
  }

  /** Keeps past days only if points have arrived since they were computed. */
  private keep(key: ReportDay, followed: Followed, grows: boolean, now: number): void {
    const name = nameOf(key);
    this.followed.delete(name);
    if (grows || secondOf(key.day, now) < DAY_SECONDS) this.followed.set(name, followed, { size: Math.max(1, followed.followed.weight) });
  }
}

const nameOf = ({ tenantId, report, day }: ReportDay): string => JSON.stringify([tenantId, report, day]);
