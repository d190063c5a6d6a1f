import type { Position } from '#domain/shared/events.js';
import type { PositionGate } from '#infra/engine/projection-runner/progress/position-gate.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { describeFailure, type EventFailed, type ProjectionFailure } from './failure.js';

type FailureStopDependencies = Readonly<{
  projection: string;
  gate: PositionGate;
  log: Pick<Logger, 'error'>;
  now: () => number;
  /** Aborted when the runner stops permanently. */
  signal: AbortSignal;
}>;

/** Stops a whole projection at a failing event without a partition, until the stop is ended. */
export class FailureStop {
  private currentFailure: ProjectionFailure | null = null;
  /** A checkpoint from here on means that another process has passed the event. */
  private passedAt: Position | null = null;
  private wake: (() => void) | null = null;

  constructor(private readonly dependencies: FailureStopDependencies) {}

  /** The failure at which the projection is stopped. */
  get failure(): ProjectionFailure | null {
    return this.currentFailure;
  }

  /** Ends the stop. Returns false if the projection was not stopped. */
  end(): boolean {
    const { wake } = this;
    wake?.();
    return wake !== null;
  }

  /** Ends the stop if the checkpoint shows that another process has passed the event. */
  reached(checkpoint: Position): void {
    if (this.passedAt !== null && checkpoint >= this.passedAt) this.wake?.();
  }

  /**
   * Stops at the event, and returns when the stop has ended.
   * @param passedAt checkpoint from which on the stop is over; `null`: none
   * @throws AbortError on the signal
   */
  async at(failure: EventFailed, passedAt: Position | null): Promise<void> {
    const { projection, gate, log, now, signal } = this.dependencies;
    this.currentFailure = describeFailure(failure, now());
    this.passedAt = passedAt;
    const { position, id, type } = failure.event;
    log.error({ projection, position: `${position}`, eventId: id, type, err: failure.cause }, 'projection stopped at an event that fails');
    gate.close();
    await new Promise<void>((resolve) => {
      this.wake = () => {
        this.wake = null;
        this.passedAt = null;
        this.currentFailure = null;
        resolve();
      };
      if (signal.aborted) this.wake();
    });
    signal.throwIfAborted();
    gate.open();
  }
}
