import type { RootDatabase } from 'lmdb';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';

/**
 * Copies of the whole environment as it is at a moment, made by threads of LMDB. Until one ends, pages that appends have replaced meanwhile are not used
 * again, and the environment must not be closed.
 */
export class LogCopies {
  private readonly underWay = new Set<Promise<void>>();

  constructor(private readonly root: RootDatabase) {}

  /** @param directory exists and is empty @throws EventStoreUnavailable */
  async make(directory: string): Promise<void> {
    const copying = this.root.backup(directory, true);
    this.underWay.add(copying);
    try {
      await copying;
    } catch (error) {
      throw new EventStoreUnavailable('the embedded log cannot be copied', { cause: error });
    } finally {
      this.underWay.delete(copying);
    }
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.underWay);
  }
}
