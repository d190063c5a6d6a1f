import type { RootDatabase } from 'lmdb';
import { DataFile, newestTransactionOf } from './data-file.js';
import { dataFile } from './examination.js';
import { replaceRestoreRecord, retireRestoreRecord, writeRestoreRecord } from './restore-record.js';

type Pin = Readonly<{ done(): void }>;

/** A restore point, and what keeps its pages from being used again. `transaction`: its newest one. */
type Held = Readonly<{ transaction: number | undefined; pin: Pin }>;

/**
 * What an environment whose commits are not flushed can go back to after a loss of power: the meta pages of a state that is on disk, kept in
 * a record beside the file. A read transaction pins that state until there is a newer one, so that commits leave its pages alone.
 */
export class RestorePoints {
  private readonly file: DataFile;
  /** `undefined`: there is none, because a flush has failed. */
  private held: Held | undefined;
  private hasFailed = false;
  private last: Promise<boolean> = Promise.resolve(true);

  /**
   * Takes the first one: what processes that were killed had not flushed is on disk then. Call it before anything is written. Throws errors of the file system.
   * @param pins the environment once more, for reading, only for this: opening a database ends the current read transaction of its environment
   */
  constructor(
    private readonly pins: RootDatabase,
    private readonly path: string,
  ) {
    this.file = new DataFile(dataFile(path));
    const pin = pins.useReadTransaction();
    const metaPages = this.file.readMetaPages();
    this.file.flushSync();
    writeRestoreRecord(path, metaPages);
    this.hold(metaPages, pin);
  }

  /** Flushes what has been committed before, and makes it the restore point. Resolves with whether that succeeded. */
  take(): Promise<boolean> {
    this.last = this.last.then(() => this.takeNext());
    return this.last;
  }

  /** Call it when nobody can write any more by this process. Resolves with whether everything is on disk. */
  async end(): Promise<boolean> {
    await this.last;
    const isFlushed = !this.hasFailed && (await this.isFlushed());
    await this.pins.close();
    this.file.close();
    return isFlushed;
  }

  /** Call it when everything is on disk. */
  retire(): void {
    retireRestoreRecord(this.path);
  }

  private async takeNext(): Promise<boolean> {
    if (!this.held || this.hasFailed) return false;
    let pin: Pin | undefined;
    try {
      // First the pin: it protects all that is committed from here on.
      pin = this.pins.useReadTransaction();
      const metaPages = this.file.readMetaPages();
      if (newestTransactionOf(metaPages) !== this.held.transaction) {
        await this.flush();
        await replaceRestoreRecord(this.path, metaPages);
        this.hold(metaPages, pin);
        pin = undefined;
      }
      return true;
    } catch {
      return false; // a full disk, a lost directory: the restore point stays as it was
    } finally {
      pin?.done();
    }
  }

  private async isFlushed(): Promise<boolean> {
    try {
      await this.file.flush();
      return true;
    } catch {
      return false;
    }
  }

  private hold(metaPages: Buffer, pin: Pin): void {
    this.held?.pin.done();
    this.held = { transaction: newestTransactionOf(metaPages), pin };
  }

  /** After a failed flush a later one may succeed without the pages of the failed one: from then on nothing is known to be on disk. */
  private async flush(): Promise<void> {
    try {
      await this.file.flush();
    } catch (error) {
      this.hasFailed = true;
      await replaceRestoreRecord(this.path, undefined);
      this.held?.pin.done();
      this.held = undefined;
      throw error;
    }
  }
}
