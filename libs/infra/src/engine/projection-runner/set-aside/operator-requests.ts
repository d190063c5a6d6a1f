import { PROJECTIONS_CATEGORY } from '#domain/operations/projection-operations.js';
import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import type { MailboxMember } from '#infra/engine/projection-runner/mailbox.js';
import type { Projector } from '#infra/engine/projection-runner/projector.js';
import { isLogged } from '#infra/platform/coordination/back-off.js';
import { OutageRetry, type RetryTiming } from '#infra/platform/coordination/outage-retry.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { operationsOf } from './skipped-events.js';

type OperatorRequestsOptions = Readonly<{
  events: Pick<EventStore, 'end' | 'readStream'>;
  projector: Pick<Projector, 'follow'>;
  /** Names of the projections whose earlier requests are read. */
  names: readonly string[];
  /** Called with each request, oldest first; those of the last moments may be repeated. `isEarlier`: it may have been carried out before. */
  take: (request: RecordedEvent, isEarlier: boolean) => void;
  log: Pick<Logger, 'warn'>;
  timing: RetryTiming;
  signal: AbortSignal;
}>;

/**
 * Follows the requests of operators concerning projections. They are decided in the log, so each process that keeps documents carries them out, also if it
 * was not running then.
 */
export class OperatorRequests implements MailboxMember {
  readonly categories = [PROJECTIONS_CATEGORY];
  private reached: Position = 0n;

  constructor(private readonly options: OperatorRequestsOptions) {}

  /** Position up to which requests were taken. */
  get processed(): Position {
    return this.reached;
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
    for (const event of events) this.options.take(event, false);
    this.reached = position;
  }

  pass(position: Position): boolean {
    this.reached = position;
    return true;
  }

  async rest(): Promise<void> {}

  private async readAll(): Promise<void> {
    const { events, names, take, signal } = this.options;
    const end = await events.end();
    for (const name of names)
      for await (const request of operationsOf(events, name)) {
        if (signal.aborted) return;
        take(request, true);
      }
    this.reached = end;
  }
}
