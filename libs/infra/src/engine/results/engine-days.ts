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

/** Updates stored results in a thread. */
export interface DayEngine {
  /** Resolves when the stored results include everything up to the call, or there are none. @throws Error it is impossible now */
  compute(request: DayRequest): Promise<void>;
}

type StoredDays = Pick<ResultsStore, 'proof' | 'summary' | 'group'>;

/** Stored results of a day with their proof. `plan`: for an unfinished day. */
type StoredDay = Readonly<{ store: StoredDays; key: ReportDay; proof: Proof; plan: Plan | undefined }>;

export type EngineDaysParts = Readonly<{
  /** Computes here what the engine does not handle, or cannot do at the moment. */
  inner: Days;
  /** Returns the stored results; `undefined` while they may not be shown: then `inner` computes all days. */
  stored: () => StoredDays | undefined;
  engine: DayEngine;
  /** Milliseconds since 1970-01-01 UTC, as `at` of proofs. */
  now: () => number;
  /** Days with fewer expected metrics are computed by `inner`. Default 1,000. */
  largeFrom?: number | undefined;
  timing?: Partial<typeof TIMING>;
}>;

/**
 * `patienceMs`: time that a read waits for results with every point of that moment, if older ones exist. `oldMs`: maximum age of those.
 * Results of another configuration are never shown. After `limitMs` the engine counts as dead.
 */
const TIMING = { patienceMs: 300, oldMs: 2_000, limitMs: 120_000 };

/** Attempts of a read if the stored results change meanwhile or do not match the request. */
const ATTEMPTS = 5;

const LARGE_FROM = 1_000;

/** Begin of a read, by the clock of proofs and by the monotonic one, which measures the read. Both in milliseconds. */
type Began = Readonly<{ at: number; since: number }>;

const elapsed = ({ since }: Began): number => performance.now() - since;

type Groups = ReadonlyMap<string, PlannedGroup>;

/** Number of expected metrics. */
const sizeOf = (groups: Groups): number => {
  let size = 0;
  for (const { endpoints } of groups.values()) for (const { metrics } of endpoints) size += metrics.length;
  return size;
};

/** Returns whether results, apart from figures, are still right at the second. Those of a later second of the same moment are. */
const countsAt = ({ seconds, until = DAY_SECONDS }: Proof, now: number): boolean => now <= seconds || now < until;

/** Serves days of large reports from disk, where the engine keeps them up to date, and computes all others here. */
export class EngineDays implements Days {
  private readonly asked = new Map<string, Promise<void>>();
  /** Stamps of configurations known to be small: most days share one, and computing a plan costs more than a look-up. */
  private readonly small = new Set<string>();
  /** Summaries of unfinished days at the last second that was asked for, by the stored ones. */
  private readonly later = new WeakMap<ResultsDay, Readonly<{ stamp: string; now: number; summary: ResultsDay }>>();
  private readonly timing: typeof TIMING;

  constructor(private readonly parts: EngineDaysParts) {
    this.timing = { ...TIMING, ...parts.timing };
  }

  async of(wanted: DayToCompute, group?: string): Promise<ComputedDay | undefined> {
    const found = await this.read(wanted, (stored) => this.details(stored, wanted.now, group, new TimeSlice()));
    return found ?? this.parts.inner.of(wanted, group);
  }

  async groups(wanted: DayToCompute): Promise<ResultsDay | undefined> {
    const found = await this.read(wanted, async (stored) => {
      const summary = stored.store.summary(stored.key, stored.proof);
      return summary && this.summaryAt(summary, stored, wanted.now);
    });
    return found ?? this.parts.inner.groups(wanted);
  }

  /** Result of `use` on the stored results, updated if necessary. `undefined`: it must be computed here. */
  private async read<Result>(wanted: DayToCompute, use: (stored: StoredDay) => Promise<Result | undefined>): Promise<Result | undefined> {
    const store = this.parts.stored();
    if (!store || isBlank(wanted)) return undefined;
    const { tenantId, id: report } = wanted.report;
    const key = { tenantId, report, day: wanted.configuration.day };
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const proof = await this.rightProof(store, key, wanted);
      if (!proof) return undefined;
      const plan = wanted.now < DAY_SECONDS ? await wanted.plan() : undefined;
      if (wanted.now < DAY_SECONDS && !plan) return undefined;
      const found = await use({ store, key, proof, plan });
      if (found) return found;
    }
    return undefined;
  }

  private async details(stored: StoredDay, now: number, wantedGroup: string | undefined, slice: Slice): Promise<ComputedDay | undefined> {
    const { store, key, proof, plan } = stored;
    const summary = store.summary(key, proof);
    if (!summary) return undefined;
    const { supergroups } = this.summaryAt(summary, stored, now);
    const groups: GroupDay[] = [];
    for (const { name } of summary.groups) {
      if (wantedGroup !== undefined && name !== wantedGroup) continue;
      const group = store.group(key, proof, name);
      if (!group) return undefined; // it was rewritten in the meantime
      groups.push(plan ? detailsAt(plan, group, now) : group);
      if (slice.isOver) await slice.next();
    }
    const day = { ...summary, seconds: Math.max(1, now), groups, supergroups };
    return proof.until === undefined ? { day, now } : { day, now, nextChangeAt: proof.until };
  }

  private summaryAt(stored: ResultsDay, { proof: { plan: stamp }, plan }: StoredDay, now: number): ResultsDay {
    if (!plan) return stored;
    const known = this.later.get(stored);
    if (known?.stamp === stamp && known.now === now) return known.summary;
    const summary = summaryAt(plan, stored, now);
    this.later.set(stored, { stamp, now, summary });
    return summary;
  }

  /** Proof of stored results that may be shown. `undefined`: there are none, and the engine does not compute them. */
  private async rightProof(store: StoredDays, key: ReportDay, wanted: DayToCompute): Promise<Proof | undefined> {
    const began = { at: this.parts.now(), since: performance.now() };
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const stored = store.proof(key);
      if (stored && isExact(stored, wanted)) return stored;
      if (!stored && !(await this.isLarge(wanted))) return undefined;
      if (!(await this.refreshed(store, key, wanted, began))) return undefined;
      const found = store.proof(key);
      if (!found) return undefined;
      if (isExact(found, wanted) || this.mayBeShown(found, wanted, began)) return found;
    }
    return undefined;
  }

  /** Accepts results of later points than those seen when the read began; or slightly older ones, if the read has waited long enough. */
  private mayBeShown(found: Proof, { configuration, now: second }: DayToCompute, began: Began): boolean {
    if (found.plan !== configuration.stamp || !countsAt(found, second)) return false;
    const age = Math.ceil(began.at + elapsed(began) - found.at); // of whole milliseconds
    if (age < 0) return false; // the clock was set back since: their age is not known
    return found.at >= began.at || (elapsed(began) >= this.timing.patienceMs && age <= this.timing.oldMs);
  }

  /** Waits for the engine, for a limited time if older results can be shown. Returns false if it cannot compute now. */
  private async refreshed(store: StoredDays, key: ReportDay, wanted: DayToCompute, began: Began): Promise<boolean> {
    const asked = this.ask(key, wanted).then(
      () => true,
      () => false,
    );
    for (;;) {
      const left = this.timing.patienceMs - elapsed(began);
      const late = new AbortController();
      const waited = await Promise.race([
        asked,
        sleep(Math.max(left, LOOK_MS), 'late' as const, { signal: late.signal }).catch(() => 'late' as const),
      ]);
      late.abort();
      if (waited !== 'late') return waited;
      const stored = store.proof(key);
      if (stored && (isExact(stored, wanted) || this.mayBeShown(stored, wanted, began))) return true;
      if (elapsed(began) > this.timing.limitMs) return false;
    }
  }

  /** Sends one request per day at a time; later callers share it. */
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
    const isLarge = plan !== undefined && sizeOf(plan.groups) >= (this.parts.largeFrom ?? LARGE_FROM);
    if (isLarge) return true;
    if (this.small.size >= MOST_SMALL) this.small.clear();
    this.small.add(stamp);
    return false;
  }
}

/** Maximum number of configurations cached as small. */
const MOST_SMALL = 10_000;

/** Interval at which a waiting read checks for results. */
const LOOK_MS = 50;

/** Past days without points are the same for whole months, so they are kept in memory. */
const isBlank = ({ configuration: { day }, stamps, now }: DayToCompute): boolean =>
  now === DAY_SECONDS && !stamps.has(day) && !stamps.has(dayBefore(day));

const isExact = (stored: Proof, { configuration, stamps, now }: DayToCompute): boolean =>
  stored.plan === configuration.stamp && stored.points === stampOfPoints(stamps, configuration.day) && countsAt(stored, now);
