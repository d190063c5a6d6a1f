import type { RootDatabase } from 'lmdb';
import { DataFile, newestTransactionOf } from './data-file.js';
import { dataFile } from './examination.js';
import { replaceRestoreRecord, retireRestoreRecord, writeRestoreRecord } from './restore-record.js';

type Pin = Readonly<{ done(): void }>;

/** A restore point, and the pin that keeps its pages from being reused. `transaction`: its newest one. */
type Held = Readonly<{ transaction: number | undefined; pin: Pin }>;

/**
 * State to which an environment with unflushed commits can return after a power loss: the meta pages of a state on disk, stored in a record
 * beside the file. A read transaction pins that state until there is a newer one, so that commits do not reuse its pages.
 */
export class RestorePoints {
  private readonly file: DataFile;
  /** `undefined` if there is none, because a flush has failed. */
  private held: Held | undefined;
  private hasFailed = false;
  private last: Promise<boolean> = Promise.resolve(true);

  /**
   * Takes the first restore point, which flushes the writes of killed processes. Call it before the first write. Throws file system errors.
   * @param pins a second, read-only opening for pins alone, because opening a database ends the current read transaction of its environment
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

  /** Flushes earlier commits, and makes their state the restore point. Resolves with whether that succeeded. */
  take(): Promise<boolean> {
    this.last = this.last.then(() => this.takeNext());
    return this.last;
  }

  /** Must be called when this process can no longer write. Resolves with whether everything is on disk. */
  async end(): Promise<boolean> {
    await this.last;
    const isFlushed = !this.hasFailed && (await this.isFlushed());
    await this.pins.close();
    this.file.close();
    return isFlushed;
  }

  /** Must be called when everything is on disk. */
  retire(): void {
    retireRestoreRecord(this.path);
  }

  private async takeNext(): Promise<boolean> {
    if (!this.held || this.hasFailed) return false;
    let pin: Pin | undefined;
    try {
      // The pin comes first, because it protects all later commits.
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
      return false; // a full disk or a lost directory: the restore point is unchanged
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

  /** After a failed flush a later one may succeed without the pages of the failed one, so from then on nothing is known to be on disk. */
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
