/** The longest that timers of Node take, in milliseconds: 24 days. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A pause that others may end early. */
export class Alarm {
  private isRinging = false;
  private wake: () => void = () => undefined;

  /** Ends the pause under way, or else the next one as soon as it begins. */
  readonly ring = (): void => {
    this.isRinging = true;
    this.wake();
  };

  /** Resolves after so long, or when it rings. @throws AbortError on the signal */
  async pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.isRinging)
      await new Promise<void>((resolve, reject) => {
        const end = (settle: () => void) => () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', aborted);
          settle();
        };
        const aborted = end(() => reject(signal.reason));
        const timer = setTimeout(() => this.wake(), milliseconds);
        this.wake = end(resolve);
        signal.addEventListener('abort', aborted);
      });
    this.isRinging = false;
  }
}
