import { DamagedLog } from '#domain/shared/damaged-log.js';
import type { Position } from '#domain/shared/events.js';
import { isOutage, StepRefused } from '#infra/platform/program/outage.js';
import { Waiters } from '#infra/platform/scheduling/waiters.js';
import { CheckpointConflict, NamespaceGone, type ReadStore } from '#projections/shared/read-store.js';
import { type BackOff, backOff } from './back-off.js';

/** Pauses between attempts, in milliseconds: the first one, and the longest one. Each further pause is twice as long. */
export type RetryTiming = Readonly<{ firstRetryMs: number; longestRetryMs: number }>;

/** Retries through outages of the stores, with pauses that grow until something works again. */
export class OutageRetry {
  private failures = 0;
  private readonly pauseMs: BackOff;
  private readonly pauses = new Waiters<void>();

  /** @param onAttempt called with each failure, before the pause that follows it */
  constructor(
    { firstRetryMs, longestRetryMs }: RetryTiming,
    private readonly signal: AbortSignal,
    private readonly onAttempt: (error: unknown, attempt: number) => void,
  ) {
    this.pauseMs = backOff(firstRetryMs, longestRetryMs);
  }

  /** True from the first failed attempt until something works again. */
  get waiting(): boolean {
    return this.failures > 0;
  }

  /** Something worked: the next outage starts with a short pause. */
  reset(): void {
    this.failures = 0;
  }

  /** Waits before the next attempt. @throws AbortError on the signal */
  async pause(error: unknown): Promise<void> {
    this.signal.throwIfAborted();
    this.failures += 1;
    this.onAttempt(error, this.failures);
    await this.pauses.wait(this.pauseMs(this.failures), this.signal);
    this.signal.throwIfAborted();
  }

  /** The outage seems to be over: ends the pauses under way. */
  hurry(): void {
    this.pauses.wakeAll();
  }

  /**
   * Repeats an operation without side effects until it succeeds. It gets the signal that ends the retries.
   * @throws DamagedLog waiting does not mend it
   * @throws NamespaceGone, StepRefused, AbortError
   */
  async retryUntilAvailable<T>(operation: (signal: AbortSignal) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const result = await operation(this.signal);
        this.reset();
        return result;
      } catch (error) {
        if (error instanceof NamespaceGone || error instanceof StepRefused || error instanceof DamagedLog) throw error;
        await this.pause(error);
      }
    }
  }

  /**
   * Commits, and asks again until the outcome is known: a commit that had arrived is not an error, and is not written twice.
   * @throws CheckpointConflict somebody else moved the checkpoint
   * @throws StepRefused the commit fails for another reason than an outage
   * @throws NamespaceGone, AbortError
   */
  async commit(store: ReadStore, ...commit: Parameters<ReadStore['commit']>): Promise<void> {
    await this.untilKnown(() => store.commit(...commit), commit[3]);
  }

  /** The same with {@link ReadStore.commitSoon}. */
  async commitSoon(store: ReadStore, ...commit: Parameters<ReadStore['commitSoon']>): Promise<void> {
    await this.untilKnown(() => store.commitSoon(...commit), commit[3]);
  }

  private async untilKnown(commit: () => Promise<void>, to: Position): Promise<void> {
    for (let isOutcomeUnknown = false; ; isOutcomeUnknown = true) {
      try {
        await commit();
        break;
      } catch (error) {
        // The same events always make the same documents, so it does not matter whose commit has arrived.
        if (isOutcomeUnknown && error instanceof CheckpointConflict && error.actual === to) break;
        if (error instanceof NamespaceGone || error instanceof CheckpointConflict) throw error;
        if (!isOutage(error)) throw new StepRefused(error);
        await this.pause(error);
      }
    }
    this.reset();
  }
}
