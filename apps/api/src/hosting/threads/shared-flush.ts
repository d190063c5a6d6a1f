import { setTimeout as sleep } from 'node:timers/promises';
import { askedSoon } from '#api/ops-kit/asked-soon.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Minimum time between the starts of two writes of the read models. */
const GAP_MS = 5;
/** Longest wait of an answer. */
const MOST_MS = 2_000;

/**
 * Threads read from disk, but the main process also reads data that it has not written yet. So its answers wait for the write: a client
 * that has seen a state, or the success of a write, then sees it on every thread. Concurrent answers share one write.
 */
export class SharedFlush {
  private next: Promise<boolean> | undefined;
  private begunAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly store: Pick<ReadStore, 'flush' | 'isFlushed'>) {}

  /** Resolves with whether threads see everything that this process has shown before the call; `undefined` if they do already. */
  wait(): Promise<boolean> | undefined {
    if (this.store.isFlushed !== false) return undefined;
    this.next ??= this.write();
    return this.next;
  }

  private async write(): Promise<boolean> {
    const pauseMs = this.begunAt + GAP_MS - performance.now();
    await (pauseMs > 0 ? sleep(pauseMs) : undefined);
    this.next = undefined; // later callers may have seen data that misses this write
    this.begunAt = performance.now();
    return (
      (await askedSoon(
        this.store.flush().then(() => true),
        MOST_MS,
      )) ?? false
    );
  }
}
