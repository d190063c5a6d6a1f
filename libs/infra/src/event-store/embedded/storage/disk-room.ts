import { closeSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const CHECK_INTERVAL_MS = 1_000;

/** Failures of a small write that end by themselves: no space, no quota, a file system mounted for reading only. */
const PASSING: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EROFS'];

/** More than a file system keeps in an inode. */
const PROBE_BYTES = 64 * 2 ** 10;

/** What the file system says. */
export type Disk = Readonly<{
  /** Free bytes; throws where it cannot tell. */
  freeBytes(): number;
  /** Writes and flushes a little. @throws the system's error */
  tryWrite(): void;
}>;

/** The file system of a directory. */
export const diskUnder = (path: string): Disk => ({
  freeBytes: () => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  },
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

/** Whether the disk takes appends. It is asked at most once a second. */
export class DiskRoom {
  private freeBytes = Number.POSITIVE_INFINITY;
  /** Code of the error with which the disk refused a write, until it takes one again. */
  private refusal: string | undefined;
  private askedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly disk: Disk,
    private readonly reserveBytes: number,
  ) {}

  /** Why so many bytes cannot be written without touching the reserve. */
  obstacle(bytes: number): string | undefined {
    if (performance.now() - this.askedAt > CHECK_INTERVAL_MS) this.ask();
    if (this.refusal) return `the disk refuses writes (${this.refusal})`;
    return this.freeBytes - bytes < this.reserveBytes ? 'too little space is left on the disk' : undefined;
  }

  /** After a failed write: whether a state of the disk that passes by itself explains it. Then there is an obstacle until it has passed. */
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
      this.freeBytes = Number.POSITIVE_INFINITY; // a file system that cannot tell is judged by its writes alone
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
