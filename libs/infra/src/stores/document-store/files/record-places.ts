import type { FileRange } from '../texts/record.js';

/** Each name takes about 110 bytes of memory, and each record 20. */
const MOST_NAMES = 2 ** 17;

/** Places of the records of documents. */
export class RecordPlaces {
  /** Number of the last record of each name. */
  private readonly lasts = new Map<string, number>();
  private readonly offsets: number[] = [];
  private readonly lengths: number[] = [];
  /** Number of the record before of the same name; -1: there is none. */
  private readonly before: number[] = [];

  /** Whether there are so many names that no more should be added. */
  get isFull(): boolean {
    return this.lasts.size >= MOST_NAMES;
  }

  get names(): string[] {
    return [...this.lasts.keys()];
  }

  add(name: string, { offset, length }: FileRange): void {
    this.before.push(this.lasts.get(name) ?? -1);
    this.lengths.push(length);
    this.lasts.set(name, this.offsets.push(offset) - 1);
  }

  /** In the order in which they were added. */
  of(name: string): readonly FileRange[] {
    const places: FileRange[] = [];
    for (let at = this.lasts.get(name) ?? -1; at >= 0; at = this.before[at] ?? -1)
      places.push({ offset: this.offsets[at] ?? 0, length: this.lengths[at] ?? 0 });
    return places.reverse();
  }
}
