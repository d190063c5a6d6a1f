import { hash as hashOnce } from 'node:crypto';
import { sha256Bytes } from '#domain/shared/bytes/sha256.js';
import { nodesOf } from './merkle-ranges.js';

/** A hash of the tree: 32 bytes. */
export type Hash = Buffer;

export const HASH_BYTES = 32;

/** Root of the tree without leaves: SHA-256 of the empty input. */
export const EMPTY_ROOT: Hash = sha256Bytes('');

/** Shared input buffer of node hashes: `0x01 ‖ left ‖ right`. */
const NODE = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

/** RFC 9162 2.1.1: `SHA-256(0x01 ‖ left ‖ right)`. */
export const nodeHash = (left: Hash, right: Hash): Hash => {
  left.copy(NODE, 1);
  right.copy(NODE, 1 + HASH_BYTES);
  return sha256Bytes(NODE);
};

/** Root of the perfect tree over 2^n concatenated hashes. */
export const perfectRoot = (hashes: Buffer): Hash => {
  let level = hashes;
  while (level.length > HASH_BYTES) {
    const above = Buffer.allocUnsafe(level.length / 2);
    for (let at = 0; at < above.length; at += HASH_BYTES) {
      level.copy(NODE, 1, 2 * at, 2 * (at + HASH_BYTES));
      above.write(hashOnce('sha256', NODE, 'binary'), at, 'latin1');
    }
    level = above;
  }
  return level;
};

/** Root over perfect trees of decreasing size, as {@link nodesOf} divides a range. Joins them from the right. */
export const joinPeaks = (peaks: readonly Hash[]): Hash =>
  peaks.length === 0 ? EMPTY_ROOT : peaks.reduceRight((right, left) => nodeHash(left, right));

/**
 * A growing Merkle tree that keeps only its peaks: the roots of the perfect trees that it consists of, largest first. The peaks are sufficient to append
 * leaves and to compute the root.
 */
export class Frontier {
  private constructor(
    private leaves: number,
    private readonly peaks: Hash[],
  ) {}

  static empty(): Frontier {
    return new Frontier(0, []);
  }

  /** @throws RangeError if the peaks do not belong to a tree of this size */
  static decode(size: number, encoded: string): Frontier {
    const hashes = splitHashes(Buffer.from(encoded, 'base64'));
    if (hashes.length !== nodesOf(0, size).length) throw new RangeError(`not the frontier of a tree of ${size} leaves`);
    return new Frontier(size, [...hashes]);
  }

  get size(): number {
    return this.leaves;
  }

  /** Base64 of the peaks. */
  encode(): string {
    return Buffer.concat(this.peaks).toString('base64');
  }

  root(): Hash {
    return joinPeaks(this.peaks);
  }

  copy(): Frontier {
    return new Frontier(this.leaves, [...this.peaks]);
  }

  append(leaf: Hash): void {
    let hash = leaf;
    for (let rest = this.leaves; rest % 2 === 1; rest = Math.floor(rest / 2)) hash = nodeHash(this.peaks.pop() as Hash, hash);
    this.peaks.push(hash);
    this.leaves += 1;
  }
}

/** Splits concatenated hashes. */
export const splitHashes = (bytes: Buffer): readonly Hash[] =>
  Array.from({ length: Math.floor(bytes.length / HASH_BYTES) }, (_, index) => bytes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES));
