import type { GrowthSignal } from './subscription.js';

const INTERVAL_MS = 25;

/**
 * Notices appends of other processes while somebody watches: reads the log's head about every 25 ms. An append of this process can be read
 * some moments before it is reported here, so the head counts from the end of the turn on: then subscriptions find the event in memory.
 */
export class HeadPoller {
  private watchers = 0;
  private timer: NodeJS.Timeout | undefined;
  /** Position of the head that was read last. */
  seen = 0;

  constructor(
    /** Position of the newest event. */
    private readonly head: () => number,
    private readonly growth: GrowthSignal,
  ) {}

  /** Watches until the returned function is called. Who waits is woken by the signal too: one listener for all waits, because they are costly. */
  watch(signal: AbortSignal): () => void {
    const wake = (): void => this.growth.notify();
    signal.addEventListener('abort', wake);
    this.watchers += 1;
    this.timer ??= setInterval(() => this.look(), INTERVAL_MS).unref();
    return () => {
      signal.removeEventListener('abort', wake);
      this.watchers -= 1;
      if (this.watchers > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  }

  private look(): void {
    const head = this.headOrNothing();
    if (head === undefined || head === this.seen) return;
    setImmediate(() => {
      this.seen = head;
      this.growth.notify();
    });
  }

  /** A log that cannot be read is reported by the reads themselves. */
  private headOrNothing(): number | undefined {
    try {
      return this.head();
    } catch {
      return undefined;
    }
  }
}
