import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '#api/shared/tokens.js';
import { BackgroundWork, loopsFor } from '#api/status/background-work.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { STATUS_LIMITS } from '#domain/status/limits.js';
import { ChangeCounter } from '#infra/edges/push/change-counter.js';
import { backOff, isLogged } from '#infra/platform/coordination/back-off.js';
import type { LeaseKey } from '#infra/platform/coordination/lease.js';
import type { ReportItem } from '#infra/platform/coordination/leased-work.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { isOutage } from '#infra/platform/program/outage.js';
import { Turnstile } from '#infra/platform/scheduling/turnstile.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { PartitionSetAside } from '#projections/shared/read-store.js';
import { NotificationQueries, type SettingsDocument } from '#projections/status/notifications/queries.js';
import { NoticePublisher, NotificationsUnusable } from './notice-publisher.js';
import { type LookMemory, ReportFailed, type ReportProblem, StatusWatcher } from './status-watcher.js';

/** Lease of the node that watches statuses; its problems are those of tenants. */
export const NOTIFICATIONS_LEASE: LeaseKey = { name: 'status.notifications.lease', collection: 'work', key: 'holder' };

/** Changes come in bursts. */
const GATHER_MS = 200;
/** Pause after a look, as a multiple of its duration, up to the longest pause. So watching uses only a small part of the processor. */
const PAUSE_FACTOR = 4;
/** Statuses also change without events: downtimes begin and end, days begin, points were sent ahead of their time. */
const LONGEST_PAUSE_MS = 5_000;
const pauseMs = backOff(500, 30_000);
/** Looks at a time, because each holds two days of a report. More than one, so that a slow look does not delay all tenants. */
const LOOKS_AT_ONCE = 2;

/** Pause after a look. Notifications arrive within seconds even if many statuses change at a time. */
const pauseAfter = (tookMs: number): number => Math.max(GATHER_MS, Math.min(PAUSE_FACTOR * tookMs, LONGEST_PAUSE_MS), tookMs);

const problemOf = (error: unknown): string => {
  if (error instanceof PartitionSetAside) return 'The read model is behind an event that could not be applied';
  return isOutage(error) ? 'The stores cannot be reached' : 'Statuses cannot be watched: see the log of the server';
};

/** Notifies tenants of changes of statuses, on one node at a time, until the server ends. */
@Injectable()
export class NotificationsService {
  private readonly settingsChanges = new ChangeCounter();
  private readonly statusChanges = new ChangeCounter();
  private readonly looks = new Turnstile(LOOKS_AT_ONCE);

  constructor(
    private readonly watcher: StatusWatcher,
    private readonly publisher: NoticePublisher,
    private readonly queries: NotificationQueries,
    private readonly resources: ResourceQueries,
    private readonly background: BackgroundWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Called by Nest. */
  onApplicationBootstrap(): void {
    const { settingsChanges, statusChanges, queries } = this;
    const work = loopsFor<SettingsDocument>({
      at: NOTIFICATIONS_LEASE,
      changes: settingsChanges,
      all: async () => new Map((await queries.all(new TimeSlice())).map(({ tenantId, settings }) => [tenantId, settings])),
      run: (...item) => this.run(...item),
      pauseMs: () => GATHER_MS,
    });
    this.background.start(work, () => [
      queries.onCommit(settingsChanges.announce),
      this.resources.onCommit(statusChanges.announce),
      queries.onStatusSources(statusChanges.announce),
    ]);
  }

  private async run(tenantId: string, settings: SettingsDocument, signal: AbortSignal, report: ReportItem): Promise<void> {
    let failures = 0;
    let failedLooks = 0;
    let failedTurns = 0;
    const memory: LookMemory = new Map();
    while (!signal.aborted) {
      const seen = this.statusChanges.count;
      let took = 0;
      try {
        const turn = await this.turn(tenantId, settings, memory, signal);
        took = turn.took;
        failedTurns = 0;
        failedLooks = this.logUnexpected(tenantId, turn.problem, failedLooks);
        report(tenantId, (turn.unusable ?? turn.problem)?.message ?? null);
        failures = turn.unusable ? failures + 1 : 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        report(tenantId, problemOf(error));
        failedTurns += 1;
        this.logFailure(tenantId, error, failedTurns);
      }
      const least = failures > 0 ? pauseMs(failures) : pauseAfter(took);
      await sleep(least, undefined, { signal }).catch(() => undefined);
      if (failures === 0) await this.untilChange(seen, signal);
    }
  }

  private logFailure(tenantId: string, err: unknown, failures: number): void {
    if (isLogged(failures)) this.logger.warn({ err, tenantId }, 'a tenant is notified of changes later');
  }

  /** Logs some of the unexpected errors of reports in a row. Returns their number. @param before number before this problem */
  private logUnexpected(tenantId: string, problem: ReportProblem | undefined, before: number): number {
    if (!(problem instanceof ReportFailed)) return 0;
    if (isLogged(before + 1)) this.logger.warn({ err: problem, tenantId }, 'a report cannot be watched');
    return before + 1;
  }

  /**
   * Publishes pending notices, looks for changes and publishes those. Changes are found even if the topic is unusable, because a later look would miss
   * those of earlier days. Resolves with the duration of the look in milliseconds, the problem of a report, and why the topic is unusable.
   */
  private async turn(
    tenantId: string,
    settings: SettingsDocument,
    memory: LookMemory,
    signal: AbortSignal,
  ): Promise<Readonly<{ took: number; problem: ReportProblem | undefined; unusable: NotificationsUnusable | undefined }>> {
    const unusable = await this.publish(tenantId, settings, signal);
    const { pending } = await this.queries.totals(tenantId);
    const isFull = pending >= STATUS_LIMITS.pendingNotices.value;
    const { took, problem } = isFull ? { took: 0, problem: undefined } : await this.lookInTurn(tenantId, settings, memory, signal);
    return { took, problem, unusable: unusable ?? (await this.publish(tenantId, settings, signal)) };
  }

  private async lookInTurn(
    ...look: Parameters<StatusWatcher['look']>
  ): Promise<Readonly<{ took: number; problem: ReportProblem | undefined }>> {
    const [, , , signal] = look;
    const leave = await this.looks.enter('', signal);
    const start = performance.now();
    try {
      const problem = await this.watcher.look(...look);
      return { took: performance.now() - start, problem };
    } finally {
      leave();
    }
  }

  /** Resolves with the reason if the topic is unusable. */
  private async publish(tenantId: string, settings: SettingsDocument, signal: AbortSignal): Promise<NotificationsUnusable | undefined> {
    try {
      while (!signal.aborted && (await this.publisher.publish(tenantId, settings)));
      return undefined;
    } catch (error) {
      if (error instanceof NotificationsUnusable) return error;
      throw error;
    }
  }

  private async untilChange(seen: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const waits = [this.statusChanges.since(seen, either), sleep(LONGEST_PAUSE_MS, undefined, { signal: either })];
    await Promise.race(waits).catch(() => undefined);
    over.abort();
    await Promise.allSettled(waits);
  }
}
