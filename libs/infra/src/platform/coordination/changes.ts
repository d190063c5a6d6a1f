import { setTimeout as sleep } from 'node:timers/promises';

/** Waiters for the next change of something. */
export class Changes {
  private readonly waiting = new Set<() => void>();

  notify(): void {
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const resolve of waiting) resolve();
  }

  /** Resolves at the next change, at the latest after this time. */
  async next(timeoutMs: number): Promise<void> {
    const ended = new AbortController();
    let wake = (): void => undefined;
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
      this.waiting.add(wake);
    });
    await Promise.race([changed, sleep(timeoutMs, undefined, { signal: ended.signal }).catch(() => undefined)]);
    ended.abort();
    this.waiting.delete(wake);
  }
}
