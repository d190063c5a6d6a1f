import { statfsSync } from 'node:fs';

const TRUST_MS = 1_000;

/** Free space of the file system under a path, asked for at most once a second. */
export class FreeSpace {
  private bytes = Number.POSITIVE_INFINITY;
  private askedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly path: string,
    private readonly reserveBytes: number,
  ) {}

  /** Whether so many bytes can be written without touching the reserve. */
  allows(bytes: number): boolean {
    if (performance.now() - this.askedAt > TRUST_MS) this.ask();
    return this.bytes - bytes >= this.reserveBytes;
  }

  /** The same, asked for afresh. */
  isExhausted(): boolean {
    this.ask();
    return this.bytes < this.reserveBytes;
  }

  private ask(): void {
    this.askedAt = performance.now();
    try {
      const { bavail, bsize } = statfsSync(this.path);
      this.bytes = bavail * bsize;
    } catch {
      this.bytes = Number.POSITIVE_INFINITY; // a file system that cannot tell is judged by its writes alone
    }
  }
}
