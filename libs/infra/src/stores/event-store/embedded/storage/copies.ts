import type { RootDatabase } from 'lmdb';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';

/**
 * Copies of the whole environment at one moment, made by LMDB threads. While one is in progress, pages that appends have replaced are not
 * reused, and the environment must not be closed.
 */
export class LogCopies {
  private readonly underWay = new Set<Promise<void>>();

  constructor(private readonly root: RootDatabase) {}

  /** @param directory must exist and be empty @throws EventStoreUnavailable */
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
