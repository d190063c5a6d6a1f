import type { RootDatabase } from 'lmdb';
import { EnvironmentNotCopied } from '#infra/platform/lmdb/environment-error.js';

/** LMDB may add to an error a step of its opening that did not fail. */
const STALE_STEP = /: Attempting to setup locks( after open)?$/;

/**
 * Copies of the whole environment at one moment, made by LMDB threads. While one is in progress, pages that appends have replaced are not
 * reused, and the environment must not be closed.
 */
export class LogCopies {
  private readonly underWay = new Set<Promise<void>>();

  constructor(private readonly root: RootDatabase) {}

  /** @param directory must exist and be empty @throws EnvironmentNotCopied */
  async make(directory: string): Promise<void> {
    const copying = this.root.backup(directory, true);
    this.underWay.add(copying);
    try {
      await copying;
    } catch (error) {
      const reason = (error as Error).message.replace(STALE_STEP, '');
      throw new EnvironmentNotCopied(`the log cannot be copied: ${reason}`, { cause: error });
    } finally {
      this.underWay.delete(copying);
    }
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.underWay);
  }
}
