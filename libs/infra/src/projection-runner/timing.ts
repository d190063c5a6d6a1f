import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Change,
  CheckpointConflict,
  type MarksChange,
  MarksConflict,
  type Namespace,
  NamespaceGone,
  type ReadStore,
} from '#projections/shared/read-store.js';
import { isOutage, StepRefused } from './failure.js';

/** All in milliseconds. */
export type RunnerTiming = Readonly<{
  /** A checkpoint that has stood still for this long although the log has newer events has lost its runner. */
  takeover: number;
  /** Pause after the first failed attempt to reach a store; each further one doubles it. */
  firstRetry: number;
  /** The longest such pause. */
  longestRetry: number;
  /** How long progress that changes no document may stay uncommitted. */
  idleCommit: number;
  /** A rebuild that has not been heard of for this long is dead. */
  rebuildSilence: number;
}>;

export const defaultTiming: RunnerTiming = {
  takeover: 3_000,
  firstRetry: 50,
  longestRetry: 5_000,
  idleCommit: 1_000,
  rebuildSilence: 10_000,
};

/** Waits out the outages of the stores: pauses that grow until something works again. */
export class Patience {
  private attempts = 0;

  /** `said` is told of each outage before the pause. */
  constructor(
    private readonly timing: RunnerTiming,
    private readonly signal: AbortSignal,
    private readonly said: (error: unknown, attempt: number) => void,
  ) {}

  /** True from the first failed attempt until something works again. */
  get waiting(): boolean {
    return this.attempts > 0;
  }

  /** Something worked: the next outage starts with a short pause. */
  reset(): void {
    this.attempts = 0;
  }

  /** @throws AbortError when it is over */
  async pause(error: unknown): Promise<void> {
    this.signal.throwIfAborted();
    this.attempts += 1;
    this.said(error, this.attempts);
    await sleep(Math.min(this.timing.firstRetry * 2 ** (this.attempts - 1), this.timing.longestRetry), undefined, { signal: this.signal });
  }

  /** Repeats an operation that has no effect until it succeeds. @throws NamespaceGone, StepRefused, AbortError */
  async persist<T>(operation: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const result = await operation();
        this.reset();
        return result;
      } catch (error) {
        if (error instanceof NamespaceGone || error instanceof StepRefused) throw error;
        await this.pause(error);
      }
    }
  }

  /**
   * Commits, asking again until the outcome is known: a commit that had arrived is not an error, nor is it written twice.
   * @throws CheckpointConflict somebody else moved the checkpoint
   * @throws MarksConflict somebody else changed the marks
   * @throws StepRefused it fails for another reason than an outage
   * @throws NamespaceGone, AbortError
   */
  async commit(
    store: ReadStore,
    namespace: Namespace,
    changes: readonly Change[],
    from: bigint,
    to: bigint,
    origin?: string,
    marks?: MarksChange,
  ): Promise<void> {
    let unsure = false;
    for (;;) {
      try {
        await store.commit(namespace, changes, from, to, origin, marks);
        this.reset();
        return;
      } catch (error) {
        if (error instanceof NamespaceGone) throw error;
        // The same events always make the same documents, so it does not matter whose commit it was that arrived. Nobody else makes these marks.
        const hasArrived =
          unsure &&
          ((error instanceof CheckpointConflict && error.actual === to) || (error instanceof MarksConflict && error.actual === marks?.to));
        if (hasArrived) {
          this.reset();
          return;
        }
        if (error instanceof CheckpointConflict || error instanceof MarksConflict) throw error;
        if (!isOutage(error)) throw new StepRefused(error);
        unsure = true;
        await this.pause(error);
      }
    }
  }
}
