import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { freeBytesUnder } from '#infra/platform/lmdb/free-space.js';

/** Too short for the reserve to fill up. A write to a full disk would make LMDB write to standard error. */
const CHECK_INTERVAL_MS = 50;

/** Error codes of temporary failures of a small write: no space, no quota, a file system mounted read-only. */
const PASSING: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EROFS'];

/** Larger than the data that a file system stores in an inode. */
const PROBE_BYTES = 64 * 2 ** 10;

/** The file system as the log uses it. */
export type Disk = Readonly<{
  /** Free bytes; throws if the file system does not report them. */
  freeBytes(): number;
  /** Writes and flushes a small file. @throws the system's error */
  tryWrite(): void;
}>;

export const diskUnder = (path: string): Disk => ({
  freeBytes: () => freeBytesUnder(path),
  tryWrite: () => {
    const file = join(path, `probe.${process.pid}`);
    try {
      const descriptor = openSync(file, 'w', 0o600);
      try {
        writeSync(descriptor, Buffer.alloc(PROBE_BYTES, 1));
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
    } finally {
      rmSync(file, { force: true });
    }
  },
});

/** Checks whether the disk accepts appends, at most every 50 ms. */
export class DiskRoom {
  private freeBytes = Number.POSITIVE_INFINITY;
  /** Error code of the last refused write, until the disk accepts a write again. */
  private refusal: string | undefined;
  private askedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly disk: Disk,
    private readonly reserveBytes: number,
  ) {}

  /** Returns why this many bytes cannot be written without using the reserve; `undefined` if they can. */
  obstacle(bytes: number): string | undefined {
    if (performance.now() - this.askedAt > CHECK_INTERVAL_MS) this.ask();
    if (this.refusal) return `the disk refuses writes (${this.refusal})`;
    return this.freeBytes - bytes < this.reserveBytes ? 'too little space is left on the disk' : undefined;
  }

  /**
   * Must be called after a failed write. Returns whether a temporary state of the disk explains the failure. `obstacle` then reports it
   * until it has passed.
   */
  explainsFailure(): boolean {
    this.refusal = this.refusalNow();
    this.ask();
    return this.refusal !== undefined || this.freeBytes < this.reserveBytes;
  }

  private ask(): void {
    this.askedAt = performance.now();
    if (this.refusal) this.refusal = this.refusalNow();
    try {
      this.freeBytes = this.disk.freeBytes();
    } catch {
      this.freeBytes = Number.POSITIVE_INFINITY; // without this figure, only failed writes count
    }
  }

  private refusalNow(): string | undefined {
    try {
      this.disk.tryWrite();
      return undefined;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      return PASSING.includes(code) ? String(code) : undefined;
    }
  }
}
