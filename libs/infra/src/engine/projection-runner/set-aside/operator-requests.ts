import { setTimeout as sleep } from 'node:timers/promises';
import { PROJECTIONS_CATEGORY } from '#domain/operations/projection-operations.js';
import type { EventBatch } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import type { MailboxMember } from '#infra/engine/projection-runner/mailbox.js';
import type { Projector } from '#infra/engine/projection-runner/projector.js';
import { isLogged } from '#infra/platform/coordination/back-off.js';
import { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import { operationsOf } from './skipped-events.js';

type OperatorRequestsOptions = Required<Pick<RunnerDependencies, 'events' | 'log' | 'timing' | 'onRebuildRequested'>> &
  Readonly<{
    projector: Pick<Projector, 'follow'>;
    /** Names of the projections whose earlier requests are read. */
    names: readonly string[];
    signal: AbortSignal;
  }>;

/** Interval between checks of the progress, in milliseconds. */
const LOOK_MS = 25;

/**
 * Follows the requests of operators concerning projections. They are decided in the log, so each process that keeps documents carries them out, also if it
 * was not running then.
 */
export class OperatorRequests implements MailboxMember {
  readonly categories = [PROJECTIONS_CATEGORY];
  /** Position up to which requests were taken. */
  processed: Position = 0n;
  /** Number of requested rebuilds that have not ended, by projection. */
  private readonly requested = new Map<string, number>();

  constructor(private readonly options: OperatorRequestsOptions) {}

  /** Waits until requests up to a position of the log were taken, or for the time. */
  async taken(position: Position, timeoutMs: number): Promise<void> {
    const end = performance.now() + timeoutMs;
    while (this.processed < position && performance.now() < end) await sleep(LOOK_MS);
  }

  /** Returns whether a rebuild of the projection is requested and has not ended. */
  isRequested(projection: string): boolean {
    return (this.requested.get(projection) ?? 0) > 0;
  }

  /** Returns on the signal. */
  async follow(): Promise<void> {
    const { projector, log, timing, signal } = this.options;
    const retry = new OutageRetry(timing, signal, (error, attempt) => {
      if (isLogged(attempt)) log.warn({ attempt, err: error }, 'requests of operators wait for the log');
    });
    while (!signal.aborted)
      try {
        await this.readAll();
        retry.reset();
        await projector.follow(this, signal);
      } catch (error) {
        await retry.pause(error).catch(() => undefined); // it ends
      }
  }

  async take({ events, position }: EventBatch): Promise<void> {
    for (const event of events) this.carryOut(event, false);
    this.processed = position;
  }

  pass(position: Position): boolean {
    this.processed = position;
    return true;
  }

  async rest(): Promise<void> {}

  private async readAll(): Promise<void> {
    const { events, names, signal } = this.options;
    const end = await events.end();
    for (const name of names)
      for await (const request of operationsOf(events, name)) {
        if (signal.aborted) return;
        this.carryOut(request, true);
      }
    this.processed = end;
  }

  /** Requests come oldest first, and those of the last moments may be repeated. @param isEarlier it may have been carried out before */
  private carryOut({ type, data, stream, revision, id, position }: RecordedEvent, isEarlier: boolean): void {
    const { projection } = data;
    if (typeof projection !== 'string') return;
    const isResumption = type === 'ProjectionResumeRequested' || type === 'ProjectionEventSkipped';
    if (!isResumption && type !== 'ProjectionRebuildRequested') return;
    const requested = this.options.onRebuildRequested({ projection, stream, revision, id, position, isEarlier, isResumption });
    const change = (by: number): void => void this.requested.set(projection, (this.requested.get(projection) ?? 0) + by);
    change(1);
    void requested.finally(() => change(-1));
  }
}
