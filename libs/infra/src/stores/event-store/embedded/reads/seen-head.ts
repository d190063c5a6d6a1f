import { onNews } from '#infra/platform/scheduling/news.js';
import type { GrowthSignal } from './subscription.js';

/** Last known head of a log to which another opening appends. */
export class SeenHead {
  position = 0;

  constructor(
    private readonly head: () => number,
    private readonly growth: GrowthSignal,
  ) {}

  /**
   * Notifies `growth` on abort, and on news of another head. One listener serves all waits, because listeners are costly. Returns a stop
   * function.
   * @param news name of the log in notifications between threads of this process; `undefined`: nobody else appends
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

  /** Errors are reported by the reads themselves. */
  private headOrNothing(): number | undefined {
    try {
      return this.head();
    } catch {
      return undefined;
    }
  }
}
