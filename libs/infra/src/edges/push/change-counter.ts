/** Counts changes, and wakes workers that wait for the next one. */
export class ChangeCounter {
  private changes = 0;
  private readonly waiting = new Set<() => void>();

  /** Number of changes so far. */
  get count(): number {
    return this.changes;
  }

  /** Counts a possible change. */
  readonly announce = (): void => {
    this.changes += 1;
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  };

  /** Resolves once there have been more changes than `count`. @throws the reason of the signal */
  async since(count: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.changes > count) return;
    await new Promise<void>((resolve, reject) => {
      const refuse = (): void => {
        this.waiting.delete(proceed);
        reject(signal.reason);
      };
      const proceed = (): void => {
        signal.removeEventListener('abort', refuse);
        resolve();
      };
      signal.addEventListener('abort', refuse, { once: true });
      this.waiting.add(proceed);
    });
  }
}
