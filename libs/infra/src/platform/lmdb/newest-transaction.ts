import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';

/** Of the file of locks, which all processes share: behind two stamps of 4 bytes (`MDB_txbody` in `liblmdb/mdb.c`). */
const NUMBER_AT = 8;

/**
 * Number of the newest transaction of an environment that is open, as readers see it: whoever begins to read after it was read sees that transaction.
 * It takes a sixth of the time that LMDB takes for its statistics, which name a transaction a moment before readers see it.
 */
export class NewestTransaction {
  private descriptor: number | undefined;
  private readonly bytes = Buffer.alloc(8);

  /** @param path directory of the environment */
  constructor(private readonly path: string) {}

  /** Throws errors of the file system: an environment that was opened for reading only may have no such file. */
  read(): bigint {
    this.descriptor ??= openSync(join(this.path, 'lock.mdb'), 'r');
    readSync(this.descriptor, this.bytes, 0, 8, NUMBER_AT);
    return this.bytes.readBigUInt64LE();
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
  }
}
