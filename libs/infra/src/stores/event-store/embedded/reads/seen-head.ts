import { onNews } from '#infra/platform/scheduling/news.js';
import type { GrowthSignal } from './subscription.js';

/** The head of a log to which another opening appends, as it was last read. */
export class SeenHead {
  position = 0;

  constructor(
    /** Reads it. */
    private readonly head: () => number,
    private readonly growth: GrowthSignal,
  ) {}

  /**
   * Wakes at the signal: one listener for all waits, because they are costly. Returns how to stop.
   * @param news of the log, of which threads of this process tell; `undefined`: nobody else appends
   */
  watch(signal: AbortSignal, news: string | undefined): () => void {
    const wake = (): void => this.growth.notify();
    signal.addEventListener('abort', wake);
    const stop = news === undefined ? undefined : onNews(news, () => this.look());
    return () => {
      stop?.();
      signal.removeEventListener('abort', wake);
    };
  }

  look(): void {
    const head = this.headOrNothing();
    if (head === undefined || head === this.position) return;
    this.position = head;
    this.growth.notify();
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
