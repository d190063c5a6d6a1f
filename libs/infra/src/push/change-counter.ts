/** Tells workers that have nothing to do when it is worth looking again. */
export class ChangeCounter {
  private count = 0;
  private readonly waiting = new Set<() => void>();

  /** Grows with every announcement. */
  get version(): number {
    return this.count;
  }

  /** There may be something new. */
  readonly announce = (): void => {
    this.count += 1;
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  };

  /** Resolves once there was an announcement after `version`. @throws the reason of the signal */
  async since(version: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.count > version) return;
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
