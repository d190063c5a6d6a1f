import { setTimeout as sleep } from 'node:timers/promises';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { dayBefore } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { Plan, PlannedGroup } from '#domain/status/results/plan.js';
import type { GroupDay, ResultsDay } from '#domain/status/results/results.js';
import { DAY_SECONDS } from '#domain/status/results/timeline.js';
import type { Slice } from '#projections/shared/pages.js';
import type { ComputedDay } from '#projections/status/results/compute-day.js';
import type { Days, DayToCompute } from '#projections/status/results/computed-days.js';
import type { DayRequest } from './day-computer.js';
import { detailsAt, summaryAt } from './later-second.js';
import type { Proof, ReportDay, ResultsStore } from './results-store.js';
import { stampOfPoints } from './stamps.js';

/** Makes stored results right, in a thread. */
export interface DayEngine {
  /** Resolves when what is stored is as it was at the time of the call, or when there are no results. @throws Error it cannot be done now */
  compute(request: DayRequest): Promise<void>;
}

export type EngineDaysParts = Readonly<{
  /** Computes here what the engine is not for, or cannot do now. */
  inner: Days;
  store: Pick<ResultsStore, 'proof' | 'summary' | 'group'>;
  engine: DayEngine;
  /** Milliseconds since 1970-01-01 UTC. */
  now: () => number;
  /** Days with fewer expected metrics are computed by `inner`. */
  largeFrom: number;
  timing?: Partial<typeof TIMING>;
}>;

/**
 * `patienceMs`: how long a read waits for results that show every point of that moment, while there are older ones; `oldMs`: how old those may be.
 * Results of another configuration are never shown. After `limitMs` the engine is taken for dead.
 */
const TIMING = { patienceMs: 300, oldMs: 2_000, limitMs: 120_000 };

/** How often what is stored may change while it is read, or not be what was asked for. */
const ATTEMPTS = 5;

type Groups = ReadonlyMap<string, PlannedGroup>;

const sizes = new WeakMap<Groups, number>();

const sizeOf = (groups: Groups): number => {
  let size = sizes.get(groups);
  if (size === undefined) {
    size = 0;
    for (const { endpoints } of groups.values()) for (const { metrics } of endpoints) size += metrics.length;
    sizes.set(groups, size);
  }
  return size;
};

/** Whether results still show what counts at the second, apart from figures. Those of a later second of the same moment do. */
const countsAt = ({ seconds, until = DAY_SECONDS }: Proof, now: number): boolean => now <= seconds || now < until;

/** Days of large reports from disk, where the engine keeps them right; of all others as they are computed here. */
export class EngineDays implements Days {
  private readonly asked = new Map<string, Promise<void>>();
  /** Stamps of configurations that are known to be small: most days share one, and plans cost more than a look. */
  private readonly small = new Set<string>();
  private readonly timing: typeof TIMING;

  constructor(private readonly parts: EngineDaysParts) {
    this.timing = { ...TIMING, ...parts.timing };
  }

  async of(wanted: DayToCompute, group?: string): Promise<ComputedDay | undefined> {
    const { inner } = this.parts;
    const found = await this.read(wanted, (key, proof, plan) => this.details(key, proof, wanted.now, plan, group, new TimeSlice()));
    return found ?? inner.of(wanted, group);
  }

  async groups(wanted: DayToCompute): Promise<ResultsDay | undefined> {
    const { inner, store } = this.parts;
    const found = await this.read(wanted, async (key, proof, plan) => {
      const summary = store.summary(key, proof);
      return summary && (plan ? summaryAt(plan, summary, wanted.now) : summary);
    });
    return found ?? inner.groups(wanted);
  }

  /** Result of `use` on the stored results, recomputed if out of date; `plan`: of a day that is not over. `undefined`: it has to be computed here. */
  private async read<Result>(
    wanted: DayToCompute,
    use: (key: ReportDay, proof: Proof, plan: Plan | undefined) => Promise<Result | undefined>,
  ): Promise<Result | undefined> {
    if (isBlank(wanted)) return undefined;
    const { tenantId, id: report } = wanted.report;
    const key = { tenantId, report, day: wanted.configuration.day };
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const proof = await this.rightProof(key, wanted);
      if (!proof) return undefined;
      const plan = wanted.now < DAY_SECONDS ? await wanted.plan() : undefined;
      if (wanted.now < DAY_SECONDS && !plan) return undefined;
      const found = await use(key, proof, plan);
      if (found) return found;
    }
    return undefined;
  }

  private async details(
    key: ReportDay,
    proof: Proof,
    now: number,
    plan: Plan | undefined,
    wantedGroup: string | undefined,
    slice: Slice,
  ): Promise<ComputedDay | undefined> {
    const { store } = this.parts;
    const summary = store.summary(key, proof);
    if (!summary) return undefined;
    const { supergroups } = plan ? summaryAt(plan, summary, now) : summary;
    const groups: GroupDay[] = [];
    for (const { name } of summary.groups) {
      if (wantedGroup !== undefined && name !== wantedGroup) continue;
      const group = store.group(key, proof, name);
      if (!group) return undefined; // it was written anew in the meantime
      groups.push(plan ? detailsAt(plan, group, now) : group);
      if (slice.isOver) await slice.next();
    }
    const day = { ...summary, seconds: Math.max(1, now), groups, supergroups };
    return proof.until === undefined ? { day, now } : { day, now, nextChangeAt: proof.until };
  }

  /** Proof of the stored results that may be shown. `undefined`: there are none, and the engine is not for them or does not make them. */
  private async rightProof(key: ReportDay, wanted: DayToCompute): Promise<Proof | undefined> {
    const { store, now } = this.parts;
    const began = now();
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const stored = store.proof(key);
      if (stored && isExact(stored, wanted)) return stored;
      if (!stored && !(await this.isLarge(wanted))) return undefined;
      if (!(await this.refreshed(key, wanted, began))) return undefined;
      const found = store.proof(key);
      if (!found) return undefined;
      if (isExact(found, wanted) || this.mayBeShown(found, wanted, began)) return found;
    }
    return undefined;
  }

  /** Not exactly of the points that were seen when the read began, but of later ones; or of a moment ago, where the read has waited long enough. */
  private mayBeShown(found: Proof, { configuration, now: second }: DayToCompute, began: number): boolean {
    if (found.plan !== configuration.stamp || !countsAt(found, second)) return false;
    const now = this.parts.now();
    return found.at >= began || (now - began >= this.timing.patienceMs && now - found.at <= this.timing.oldMs);
  }

  /** Waits for the engine; not for ever, where there is something to show. False: it cannot compute now. */
  private async refreshed(key: ReportDay, wanted: DayToCompute, began: number): Promise<boolean> {
    const asked = this.ask(key, wanted).then(
      () => true,
      () => false,
    );
    for (;;) {
      const left = began + this.timing.patienceMs - this.parts.now();
      const late = new AbortController();
      const waited = await Promise.race([
        asked,
        sleep(Math.max(left, LOOK_MS), 'late' as const, { signal: late.signal }).catch(() => 'late' as const),
      ]);
      late.abort();
      if (waited !== 'late') return waited;
      const stored = this.parts.store.proof(key);
      if (stored && (isExact(stored, wanted) || this.mayBeShown(stored, wanted, began))) return true;
      if (this.parts.now() - began > this.timing.limitMs) return false;
    }
  }

  /** One request for each day at a time: all who ask meanwhile wait for it. */
  private ask(key: ReportDay, { report: { tenantId, name } }: DayToCompute): Promise<void> {
    const of = JSON.stringify(key);
    return getOrInsert(this.asked, of, () =>
      this.parts.engine.compute({ tenantId, name, day: key.day }).finally(() => this.asked.delete(of)),
    );
  }

  private async isLarge(wanted: DayToCompute): Promise<boolean> {
    const { stamp } = wanted.configuration;
    if (this.small.has(stamp)) return false;
    const plan = await wanted.plan();
    const isLarge = plan !== undefined && sizeOf(plan.groups) >= this.parts.largeFrom;
    if (isLarge) return true;
    if (this.small.size >= MOST_SMALL) this.small.clear();
    this.small.add(stamp);
    return false;
  }
}

/** Configurations that are remembered as small. */
const MOST_SMALL = 10_000;

/** How often a read that waits looks whether there is something to show. */
const LOOK_MS = 50;

/** Past days without points are the same for whole months: those are kept in memory. */
const isBlank = ({ configuration: { day }, stamps, now }: DayToCompute): boolean =>
  now === DAY_SECONDS && !stamps.has(day) && !stamps.has(dayBefore(day));

const isExact = (stored: Proof, { configuration, stamps, now }: DayToCompute): boolean =>
  stored.plan === configuration.stamp && stored.points === stampOfPoints(stamps, configuration.day) && countsAt(stored, now);
