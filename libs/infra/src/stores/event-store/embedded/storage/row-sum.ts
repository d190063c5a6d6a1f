import { crc32 } from 'node:zlib';

/** With a checksum added it is below 2^53: a larger sum would be rounded, and would depend on the order of the rows. */
export const SUMS_BELOW = 2 ** 52;

/** A sum of checksums: two collections with the same rows have the same sum, whatever their order and however many they are. */
export class RowSum {
  /** @param sum below {@link SUMS_BELOW} */
  constructor(private sum = 0) {}

  add(...row: readonly (string | number)[]): void {
    this.sum = (this.sum + crc32(row.join(' '))) % SUMS_BELOW;
  }

  equals(other: RowSum): boolean {
    return this.sum === other.sum;
  }
}
