import { setTimeout as sleep } from 'node:timers/promises';
import { askedSoon } from '#api/ops-kit/asked-soon.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** From the beginning of one write of the read models to that of the next. */
const GAP_MS = 5;
/** An answer waits no longer. */
const MOST_MS = 2_000;

/**
 * Threads read what is on disk; the main process also reads what it is going to write. So its answers wait until that is written: whoever has seen
 * something, or was told that it is done, finds it with every thread. Answers that come together wait for one write.
 */
export class SharedFlush {
  private next: Promise<boolean> | undefined;
  private begunAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly store: Pick<ReadStore, 'flush' | 'isFlushed'>) {}

  /** Resolves with whether threads see everything that this process has shown before the call; `undefined`: they do. */
  wait(): Promise<boolean> | undefined {
    if (this.store.isFlushed !== false) return undefined;
    this.next ??= this.write();
    return this.next;
  }

  private async write(): Promise<boolean> {
    const pauseMs = this.begunAt + GAP_MS - performance.now();
    await (pauseMs > 0 ? sleep(pauseMs) : undefined);
    this.next = undefined; // who comes now has seen what may come too late for this write
    this.begunAt = performance.now();
    return (
      (await askedSoon(
        this.store.flush().then(() => true),
        MOST_MS,
      )) ?? false
    );
  }
}
