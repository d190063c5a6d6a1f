import type { FileRange } from '../texts/record.js';

/** Each name takes about 110 bytes of memory, and each record 20. */
const MOST_NAMES = 2 ** 17;

/** Places of the records of documents. */
export class RecordPlaces {
  /** Number of the last record of each name. */
  private readonly lasts = new Map<string, number>();
  private readonly offsets: number[] = [];
  private readonly lengths: number[] = [];
  /** Number of the record behind it of the same name; behind the last one is the first. */
  private readonly next: number[] = [];

  /** Whether there are so many names that no more should be added. */
  get isFull(): boolean {
    return this.lasts.size >= MOST_NAMES;
  }

  get names(): string[] {
    return [...this.lasts.keys()];
  }

  /** Number of records; they are numbered from 0 in the order in which they were added. */
  get count(): number {
    return this.offsets.length;
  }

  place(number: number): FileRange {
    return { offset: this.offsets[number] ?? 0, length: this.lengths[number] ?? 0 };
  }

  add(name: string, { offset, length }: FileRange): void {
    const number = this.offsets.push(offset) - 1;
    const last = this.lasts.get(name) ?? number;
    this.lengths.push(length);
    this.next.push(this.next[last] ?? number);
    this.next[last] = number;
    this.lasts.set(name, number);
  }

  /** Numbers of the records of a name. One at a time, because a document may have hundreds of thousands. */
  *of(name: string): Generator<number> {
    const last = this.lasts.get(name);
    for (let at = this.next[last ?? -1]; at !== undefined; at = at === last ? undefined : this.next[at]) yield at;
  }
}
