import type { Position } from '#domain/shared/events.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import type { CommitListener } from '#projections/shared/read-store.js';

/** Commit listeners by projection. */
export class CommitListeners {
  private readonly byProjection = new Map<string, Set<CommitListener>>();

  get projections(): readonly string[] {
    return [...this.byProjection.keys()];
  }

  has(projection: string): boolean {
    return this.byProjection.has(projection);
  }

  /** Returns a function that removes the listener; calling it twice is safe. The same function may be added more than once. */
  add(projection: string, listener: CommitListener): () => void {
    const added: CommitListener = (checkpoint, token) => listener(checkpoint, token);
    const listeners = getOrInsert(this.byProjection, projection, () => new Set()).add(added);
    return () => {
      if (listeners.delete(added) && listeners.size === 0) this.byProjection.delete(projection);
    };
  }

  /** Calls each listener before it returns. An exception is rethrown later, outside any caller. */
  notify(projection: string, checkpoint: Position, token: string): void {
    for (const listener of this.byProjection.get(projection) ?? []) {
      try {
        listener(checkpoint, token);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
