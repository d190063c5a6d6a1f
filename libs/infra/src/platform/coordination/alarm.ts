import { Waiters } from '#infra/platform/scheduling/waiters.js';

/** The longest that timers of Node take, in milliseconds: 24 days. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A pause that others may end early. */
export class Alarm {
  private isRinging = false;
  private readonly pauses = new Waiters<void>();

  /** Ends the pause under way, or else the next one as soon as it begins. */
  readonly ring = (): void => {
    this.isRinging = true;
    this.pauses.wakeAll();
  };

  /** Resolves after so long, or when it rings. @throws AbortError on the signal */
  async pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.isRinging) await this.pauses.wait(milliseconds, signal);
    signal.throwIfAborted();
    this.isRinging = false;
  }
}
