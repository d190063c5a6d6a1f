/** Those who wait for something, in the order in which they came. */
export class Waiters<Reason> {
  private readonly waiting = new Set<(reason?: Reason) => void>();

  /** How many there are. */
  get size(): number {
    return this.waiting.size;
  }

  /** Wakes the one that has waited for the longest time. */
  wakeOne(reason: Reason): void {
    const [first] = this.waiting;
    first?.(reason);
  }

  wakeAll(reason: Reason): void {
    for (const wake of [...this.waiting]) wake(reason);
  }

  /** Resolves with the reason when woken, and with `undefined` after this many milliseconds or on the signal. */
  wait(timeoutMs: number, signal?: AbortSignal): Promise<Reason | undefined> {
    if (signal?.aborted || timeoutMs <= 0) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const end = (reason?: Reason): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        this.waiting.delete(end);
        resolve(reason);
      };
      const giveUp = (): void => end();
      const timer = setTimeout(giveUp, timeoutMs);
      signal?.addEventListener('abort', giveUp, { once: true });
      this.waiting.add(end);
    });
  }
}
