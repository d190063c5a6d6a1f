import { failureText } from '#infra/platform/outgoing/http-sender.js';

/** Works in the background until it is stopped. */
export abstract class StoppableWorker {
  /** Aborted when no new work may begin. */
  protected readonly leave = new AbortController();
  /** Aborted when deliveries in flight are abandoned. */
  protected readonly abandon = new AbortController();
  protected abstract readonly done: Promise<unknown>;

  /**
   * Resolves when nothing is in flight. A delivery may take `grace` milliseconds more. Then it is aborted, and the next worker delivers its
   * messages again.
   */
  async stop(grace: number): Promise<void> {
    this.leave.abort();
    if (grace === 0) this.abandon.abort();
    const timer = setTimeout(() => this.abandon.abort(), grace);
    await this.done;
    clearTimeout(timer);
  }
}

/** Describes a failed step in the words of messaging contract 4.9 (`pushStatus`). */
export const problemText = (now: number, step: string, error: unknown): string =>
  `${new Date(now).toISOString().slice(0, 19)} - Could not ${step} message, ${failureText(error)}`;
