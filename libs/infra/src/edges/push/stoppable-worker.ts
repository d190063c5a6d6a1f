import { failureText } from '#infra/platform/outgoing/http-sender.js';

/** Works in the background until it is stopped. */
export abstract class StoppableWorker {
  /** Aborted when nothing more may begin. */
  protected readonly leave = new AbortController();
  /** Aborted when deliveries in flight are given up. */
  protected readonly abandon = new AbortController();
  protected abstract readonly done: Promise<unknown>;

  /**
   * Resolves when nothing is in flight any more. A delivery may take `grace` milliseconds more; then it is aborted, and its messages are delivered again
   * by the next worker.
   */
  async stop(grace: number): Promise<void> {
    this.leave.abort();
    if (grace === 0) this.abandon.abort();
    const timer = setTimeout(() => this.abandon.abort(), grace);
    await this.done;
    clearTimeout(timer);
  }
}

/** A failed step in the words of messaging contract 4.9 (`pushStatus`). */
export const problemText = (now: number, step: string, error: unknown): string =>
  `${new Date(now).toISOString().slice(0, 19)} - Could not ${step} message, ${failureText(error)}`;
