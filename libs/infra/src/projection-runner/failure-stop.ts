import type { Position } from '#domain/shared/events.js';
import type { Logger } from '#infra/logging/logger.js';
import { describeFailure, type EventFailed, type ProjectionFailure } from './failure.js';
import type { PositionGate } from './position-gate.js';

export type StopParts = Readonly<{
  projection: string;
  gate: PositionGate;
  log: Pick<Logger, 'error'>;
  now: () => number;
  /** For good. */
  signal: AbortSignal;
}>;

/** A projection as a whole stands still at an event that belongs to no partition, until somebody ends that. */
export class FailureStop {
  private currentFailure: ProjectionFailure | null = null;
  /** A checkpoint from here on means that another process got past the event. */
  private passed: Position | null = null;
  private wake: (() => void) | null = null;

  constructor(private readonly parts: StopParts) {}

  get failure(): ProjectionFailure | null {
    return this.currentFailure;
  }

  /** False when nothing stands still. */
  end(): boolean {
    const wake = this.wake;
    wake?.();
    return wake !== null;
  }

  reached(checkpoint: Position): void {
    if (this.passed !== null && checkpoint >= this.passed) this.wake?.();
  }

  /** Returns when it has ended. @throws AbortError */
  async at(failure: EventFailed, passed: Position | null): Promise<void> {
    const { projection, gate, log, now, signal } = this.parts;
    this.currentFailure = describeFailure(failure, now());
    this.passed = passed;
    const { position, id, type } = failure.event;
    log.error({ projection, position: `${position}`, eventId: id, type, err: failure.cause }, 'projection stopped at an event that fails');
    gate.close();
    await new Promise<void>((resolve) => {
      this.wake = () => {
        this.wake = null;
        this.passed = null;
        this.currentFailure = null;
        resolve();
      };
      if (signal.aborted) this.wake();
    });
    signal.throwIfAborted();
    gate.open();
  }
}
