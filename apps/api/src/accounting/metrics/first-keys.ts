import { TimeSlice } from '#domain/shared/time-slice.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';

/** Keys beyond twice the limit that are kept before they are sorted and cut. */
const SURPLUS = 1_000;

/** Keeps the first keys of many, however many are added. */
export class FirstKeys {
  /** How many keys were added. */
  total = 0;
  private keys: string[] = [];

  /** @param limit how many keys are kept */
  constructor(private readonly limit: number) {}

  /** A thousand keys or so at a time. */
  async add(keys: readonly string[]): Promise<void> {
    this.total += keys.length;
    for (const key of keys) this.keys.push(key);
    if (this.keys.length >= 2 * this.limit + SURPLUS) await this.sort();
  }

  /** The keys in their order, from an offset to the limit. */
  async from(offset: number): Promise<readonly string[]> {
    await this.sort();
    return this.keys.slice(offset);
  }

  private async sort(): Promise<void> {
    await sortInSlices(this.keys, (a, b) => (a < b ? -1 : 1), new TimeSlice());
    this.keys = this.keys.slice(0, this.limit);
  }
}
