import { setTimeout as sleep } from 'node:timers/promises';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import type { Day } from '#domain/shared/time.js';
import { backOff, isLogged } from '#infra/platform/coordination/back-off.js';
import { isOutage } from '#infra/platform/program/outage.js';
import type { ReportQueries } from '#projections/status/reports/queries.js';
import { settingsOf } from '#projections/status/results/report-settings.js';
import type { DayComputer, DayComputerParts, DayRequest } from './day-computer.js';
import type { ResultsRun } from './progress.js';
import type { ResultsStore } from './results-store.js';
import type { PriorityTurns } from './turns.js';
import { wrongDays } from './wrong-days.js';

type BackgroundParts = Pick<DayComputerParts, 'reader' | 'now'> &
  Readonly<{
    reports: Pick<ReportQueries, 'byName' | 'nameOf'>;
    store: ResultsStore;
    computer: Pick<DayComputer, 'compute' | 'forget'>;
    turns: PriorityTurns;
    /** Receives a sentence about a failure. */
    report: (message: string, error: unknown) => void;
    /** Called when progress has changed. */
    onProgress: () => void;
  }>;

/** A report that is kept up to date, with its name at the last request. */
type KnownReport = Readonly<{ tenantId: string; name: string; report: string }>;

/** Number of ended runs still shown. */
const ENDED_SHOWN = 50;
/** Pause after each day, as a share of its computing time: it leaves the processor to other work. */
const REST = 0.1;
/** Pause before a failed day is tried again. */
const pauseMs = backOff(30_000, 600_000);

type Run = ResultsRun & Readonly<{ report: string }>;

/** Days of a report whose last computations failed, with the number of failures in a row. */
type FailedDays = Map<Day, Readonly<{ failures: number; until: number }>>;

const keyOf = ({ tenantId, report }: Pick<KnownReport, 'tenantId' | 'report'>): string => JSON.stringify([tenantId, report]);

/**
 * Recomputes wrong parts of stored days after their inputs have changed, newest first, so that reads find them. Such days are not derived
 * from events: each stored day records a proof of its inputs, and days whose proof no longer holds are computed again.
 */
export class BackgroundDays {
  private readonly known = new Map<string, KnownReport>();
  private readonly shown = new Map<string, Run>();
  private readonly failed = new Map<string, FailedDays>();

  constructor(private readonly parts: BackgroundParts) {
    for (const { tenantId, report, name } of parts.store.reports()) this.learn({ tenantId, report, name });
  }

  /** Running runs, then the last ended ones. */
  get runs(): readonly ResultsRun[] {
    return [...this.shown.values()].map(({ report: _, ...run }) => run);
  }

  /** Number of waiting days. */
  get waiting(): number {
    return [...this.shown.values()].reduce((sum, { done, total, state }) => sum + (state === 'running' ? total - done : 0), 0);
  }

  /** Keeps a requested report up to date from now on. Returns true if it was new. */
  learn(report: KnownReport): boolean {
    const key = keyOf(report);
    const known = this.known.get(key);
    if (known?.name === report.name) return false;
    this.known.set(key, report);
    return true;
  }

  /**
   * Checks all reports and computes outdated days. `interrupted`: returns whether inputs have changed, so that it must be repeated.
   * @throws ReadStoreUnavailable, EventStoreUnavailable; Error nothing can be stored now
   */
  async round(interrupted: () => boolean): Promise<void> {
    for (const known of [...this.known.values()]) {
      const report = await this.renamed(known);
      const days = this.due(keyOf(report), await this.wrongDays(report));
      if (interrupted()) return;
      await this.compute(report, days, interrupted);
      if (interrupted()) return;
    }
  }

  /** Wrong days without those that failed a short time ago. Forgets failures of other days. */
  private due(key: string, wrong: readonly Day[]): readonly Day[] {
    const known = this.failed.get(key);
    if (!known) return wrong;
    const failed: FailedDays = new Map();
    for (const day of wrong) {
      const failure = known.get(day);
      if (failure) failed.set(day, failure);
    }
    if (failed.size > 0) this.failed.set(key, failed);
    else this.failed.delete(key);
    return wrong.filter((day) => (failed.get(day)?.until ?? 0) <= performance.now());
  }

  private async compute(report: KnownReport, days: readonly Day[], interrupted: () => boolean): Promise<void> {
    const key = keyOf(report);
    const run = this.begin(key, report, days);
    if (!run) return;
    for (const [index, day] of days.entries()) {
      this.parts.store.requireRoom();
      const began = performance.now();
      await this.computeDay(key, { tenantId: report.tenantId, name: report.name, day });
      this.show(key, { ...run, done: run.done + index + 1 });
      if (interrupted()) return;
      await sleep((performance.now() - began) * REST);
    }
    this.show(key, { ...run, done: run.total, state: 'done' });
  }

  /** @throws errors of outages: other days would fail, too */
  private async computeDay(key: string, request: DayRequest): Promise<void> {
    const { computer, turns, report } = this.parts;
    const { day } = request;
    try {
      await turns.within(() => computer.compute(request));
      this.failed.get(key)?.delete(day);
    } catch (error) {
      if (isOutage(error)) throw error;
      const failed = getOrInsert(this.failed, key, (): FailedDays => new Map());
      const failures = (failed.get(day)?.failures ?? 0) + 1;
      failed.set(day, { failures, until: performance.now() + pauseMs(failures) });
      if (isLogged(failures)) report(`the results of ${day} could not be computed`, error);
    }
  }

  /** Begins a run, or continues an interrupted one. */
  private begin(key: string, { tenantId, name, report }: KnownReport, days: readonly Day[]): Run | undefined {
    const before = this.shown.get(key);
    const [to, from] = [days[0], days.at(-1)];
    if (from === undefined || to === undefined) {
      if (before?.state === 'running') this.show(key, { ...before, total: before.done, state: 'done' });
      return undefined;
    }
    const goesOn = before?.state === 'running' ? before : undefined;
    const run: Run = {
      tenantId,
      name,
      report,
      from: goesOn && goesOn.from < from ? goesOn.from : from,
      to: goesOn && goesOn.to > to ? goesOn.to : to,
      done: goesOn?.done ?? 0,
      total: (goesOn?.done ?? 0) + days.length,
      state: 'running',
      since: goesOn?.since ?? new Date(this.parts.now()).toISOString(),
    };
    this.show(key, run);
    return run;
  }

  private show(key: string, run: Run): void {
    this.shown.delete(key);
    this.shown.set(key, run);
    const ended = [...this.shown].filter(([, { state }]) => state === 'done');
    for (const [oldest] of ended.slice(0, Math.max(0, ended.length - ENDED_SHOWN))) this.shown.delete(oldest);
    this.parts.onProgress();
  }

  /** The report under its current name. */
  private async renamed(known: KnownReport): Promise<KnownReport> {
    const { tenantId, report } = known;
    const name = await this.parts.reports.nameOf({ tenantId, id: report });
    if (name === undefined || name === known.name) return known;
    const renamed = { ...known, name };
    this.known.set(keyOf(known), renamed);
    return renamed;
  }

  /** Removes a deleted report with its days. */
  private async wrongDays(known: KnownReport): Promise<readonly Day[]> {
    const { tenantId, name, report } = known;
    const { reports, store, computer } = this.parts;
    const document = await reports.byName({ tenantId, name });
    if (document?.id === report) return wrongDays(this.parts, settingsOf(tenantId, name, document));
    store.remove(store.days({ tenantId, report }));
    this.known.delete(keyOf(known));
    computer.forget((key) => key.tenantId !== tenantId || key.report !== report);
    return [];
  }
}
