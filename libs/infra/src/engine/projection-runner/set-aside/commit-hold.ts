import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOLD, isHold, MarksConflict, type Namespace, type ReadStore } from '#projections/shared/read-store.js';
import type { SetAside } from './set-aside.js';
import { newMarks, readSetAside } from './set-aside-documents.js';

/*
 * /* A hold keeps all runners, in all processes, from committing to a namespace, so that it can be compared at one position. It is part of
 * the marks, which every commit compares: once it is taken, commits of runners that do not know of it fail, and runners that do know wait
 * for its end.
 */

/** Interval at which holders renew their hold. */
const RENEWED_MS = 1_000;
/** A hold not renewed for this long was left by a process that is gone. */
const ABANDONED_MS = 5_000;
const LOOK_MS = 20;
const MAX_ATTEMPTS = 50;

/**
 * Waits, as a runner, for the end of a hold; ends an abandoned one. @throws MarksConflict always: the set-aside state must be read again
 */
export const outlastHold = async (store: ReadStore, namespace: Namespace, marks: string, signal: AbortSignal): Promise<never> => {
  let seen = marks;
  let since = performance.now();
  for (let now = await store.marks(namespace); isHold(now) && !signal.aborted; now = await store.marks(namespace)) {
    if (now !== seen) {
      seen = now;
      since = performance.now();
    } else if (performance.now() - since > ABANDONED_MS) {
      const { setAside } = await readSetAside(store, namespace);
      await store.mark(namespace, [], { from: now, to: newMarks(setAside) });
      break;
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
  throw new MarksConflict(namespace.projection, marks, '');
};

/** A hold from the perspective of its holder. */
export class CommitHold {
  private renewedAt = performance.now();

  private constructor(
    private readonly store: ReadStore,
    private readonly namespace: Namespace,
    private readonly setAside: SetAside,
    private token: string,
  ) {}

  /** Takes the hold; an abandoned one is replaced. @throws NamespaceGone, ReadStoreUnavailable, MarksConflict */
  static async take(store: ReadStore, namespace: Namespace): Promise<CommitHold> {
    for (let attempt = 1; ; attempt++) {
      const { setAside, marks } = await readSetAside(store, namespace);
      const token = HOLD + randomUUID();
      try {
        await store.mark(namespace, [], { from: marks, to: token });
        return new CommitHold(store, namespace, setAside, token);
      } catch (error) {
        if (!(error instanceof MarksConflict) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** Shows that the holder is alive; must be called often. @throws MarksConflict another process has ended the hold */
  async renew(): Promise<void> {
    if (performance.now() - this.renewedAt < RENEWED_MS) return;
    await this.changeTo(HOLD + randomUUID());
    this.renewedAt = performance.now();
  }

  /** Ends the hold. @throws MarksConflict it was ended before: data read under it may be inconsistent */
  async end(): Promise<void> {
    await this.changeTo(newMarks(this.setAside));
  }

  private async changeTo(token: string): Promise<void> {
    await this.store.mark(this.namespace, [], { from: this.token, to: token });
    this.token = token;
  }
}
