import type { Position } from '#domain/shared/events.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import type { CommitListener } from '#projections/shared/read-store.js';

/** Listeners to commits, by projection. */
export class CommitListeners {
  private readonly byProjection = new Map<string, Set<CommitListener>>();

  get projections(): readonly string[] {
    return [...this.byProjection.keys()];
  }

  has(projection: string): boolean {
    return this.byProjection.has(projection);
  }

  /** Returns how to stop, which is safe to call twice. The same function may be added more than once. */
  add(projection: string, listener: CommitListener): () => void {
    const added: CommitListener = (checkpoint, marks) => listener(checkpoint, marks);
    const listeners = getOrInsert(this.byProjection, projection, () => new Set()).add(added);
    return () => {
      if (listeners.delete(added) && listeners.size === 0) this.byProjection.delete(projection);
    };
  }

  /** Calls each listener in a microtask of its own: an exception of one affects neither the others nor the commit. */
  notify(projection: string, checkpoint: Position, marks: string): void {
    const listeners = this.byProjection.get(projection);
    for (const listener of listeners ?? []) {
      queueMicrotask(() => {
        if (listeners?.has(listener)) listener(checkpoint, marks);
      });
    }
  }

  /** Has called each listener when it returns. An exception of one is thrown later, by nobody's call. */
  notifyNow(projection: string, checkpoint: Position, marks: string): void {
    for (const listener of this.byProjection.get(projection) ?? []) {
      try {
        listener(checkpoint, marks);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
