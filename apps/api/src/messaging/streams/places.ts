import type { OutstandingCounter } from '#domain/messaging/deliveries/held-delivery.js';
import { Waiters } from '#infra/platform/scheduling/waiters.js';

/** Places of a stream for messages of one subscription that are sent and not acknowledged. */
export class Places implements OutstandingCounter {
  private taken = 0;
  private readonly waiters = new Waiters<true>();

  /** @param ended aborted when the leases are gone and all places are free */
  constructor(
    private readonly most: number,
    private readonly ended: AbortSignal,
  ) {}

  get free(): number {
    return Math.max(0, this.most - this.taken);
  }

  took(): void {
    this.taken += 1;
  }

  freed(): void {
    this.taken -= 1;
    this.waiters.wakeOne(true);
  }

  /** Resolves when a place may be free, after the timeout, or on the signal. */
  async wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (this.ended.aborted) return;
    const wake = (): void => this.waiters.wakeAll(true);
    this.ended.addEventListener('abort', wake, { once: true });
    await this.waiters.wait(timeoutMs, signal);
    this.ended.removeEventListener('abort', wake);
  }
}
