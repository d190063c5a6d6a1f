import { LONGEST_TIMER_MS } from '#infra/platform/coordination/alarm.js';
import { Waiters } from '#infra/platform/scheduling/waiters.js';

/** Counts changes, and wakes workers that wait for the next one. */
export class ChangeCounter {
  private changes = 0;
  private readonly waiting = new Waiters<void>();

  /** Number of changes so far. */
  get count(): number {
    return this.changes;
  }

  /** Counts a possible change. */
  readonly announce = (): void => {
    this.changes += 1;
    this.waiting.wakeAll();
  };

  /** Resolves once there have been more changes than `count`. @throws the reason of the signal */
  async since(count: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.changes <= count) await this.waiting.wait(LONGEST_TIMER_MS, signal);
    signal.throwIfAborted();
  }
}
