import { TimeSlice } from '#domain/shared/time-slice.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';

/** Keys above twice the limit that are collected before sorting and cutting. */
const SURPLUS = 1_000;

/** Keeps the first keys in sort order, however many are added. */
export class FirstKeys {
  /** Number of added keys. */
  total = 0;
  private keys: string[] = [];

  /** @param limit number of keys to keep */
  constructor(private readonly limit: number) {}

  /** Call it with about a thousand keys at a time. */
  async add(keys: readonly string[]): Promise<void> {
    this.total += keys.length;
    if (this.limit === 0) return;
    for (const key of keys) this.keys.push(key);
    if (this.keys.length >= 2 * this.limit + SURPLUS) await this.sort();
  }

  /** The keys in order, from an offset to the limit. */
  async from(offset: number): Promise<readonly string[]> {
    await this.sort();
    return this.keys.slice(offset);
  }

  private async sort(): Promise<void> {
    await sortInSlices(this.keys, (a, b) => (a < b ? -1 : 1), new TimeSlice());
    this.keys = this.keys.slice(0, this.limit);
  }
}
