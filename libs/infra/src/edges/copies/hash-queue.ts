import { HASH_BYTES } from '#domain/integrity/merkle.js';

const CHUNK_HASHES = 4_096;

/** Queue of hashes with consecutive indices, from which the oldest are dropped. It takes about 32 bytes per hash, even for a million. */
export class HashQueue {
  private readonly chunks: Buffer[] = [];
  /** Index of the first hash of the first chunk. */
  private base: number;
  private end: number;

  /** @param start index of the first hash to be added */
  constructor(start: number) {
    this.base = start;
    this.end = start;
  }

  add(hash: Buffer): void {
    const at = this.end - this.base;
    if (at % CHUNK_HASHES === 0) this.chunks.push(Buffer.alloc(CHUNK_HASHES * HASH_BYTES));
    this.chunks.at(-1)?.set(hash, (at % CHUNK_HASHES) * HASH_BYTES);
    this.end += 1;
  }

  /** Returns whether this is the hash of an index. */
  has(index: number, hash: Buffer): boolean {
    const at = index - this.base;
    const start = (at % CHUNK_HASHES) * HASH_BYTES;
    return index < this.end && this.chunks[Math.floor(at / CHUNK_HASHES)]?.subarray(start, start + HASH_BYTES).equals(hash) === true;
  }

  /** Drops the hashes before an index. */
  dropBefore(index: number): void {
    while (this.chunks.length > 0 && this.base + CHUNK_HASHES <= index) {
      this.chunks.shift();
      this.base += CHUNK_HASHES;
    }
  }
}
