import { byBytes } from '#domain/shared/text/text-order.js';
import { type Bound, lowerBound, upperBound } from '#infra/stores/read-store/keys.js';
import type { KeyRange } from '#projections/shared/read-store.js';
import type { Entry } from './texts/record.js';

/** A key with its entry. */
export type KeyEntry = Readonly<{ key: string; entry: Entry }>;

/** New keys up to this share of a collection are inserted into the sorted ones; more are sorted together with them. */
const FEW = 1 / 32;

/** Entries of a build that are not in the index yet. Keys are well-formed Unicode, as they would be read back. */
export class Layer {
  private readonly byCollection = new Map<string, LayeredCollection>();
  size = 0;

  get collections(): readonly string[] {
    return [...this.byCollection.keys()];
  }

  /** Returns `undefined` if the index is up to date for the key. */
  get(collection: string, key: string): Entry | undefined {
    return this.byCollection.get(collection)?.entries.get(key);
  }

  set(collection: string, key: string, entry: Entry): void {
    let changed = this.byCollection.get(collection);
    if (!changed) {
      changed = new LayeredCollection();
      this.byCollection.set(collection, changed);
    }
    const { size } = changed.entries;
    changed.set(key, entry);
    this.size += changed.entries.size - size;
  }

  /** Entries of a range, in its order; the caller applies offset and limit. Must be read in the same turn of the event loop. */
  within(collection: string, range: KeyRange): LayeredRange {
    return this.byCollection.get(collection)?.within(range) ?? NOTHING;
  }

  /** Keys that begin with the prefix, in ascending order. */
  keysWith(collection: string, prefix: string): readonly string[] {
    return this.byCollection.get(collection)?.keysWith(prefix) ?? [];
  }

  *all(): Generator<Readonly<{ collection: string; key: string; entry: Entry }>> {
    for (const [collection, { entries }] of this.byCollection) for (const [key, entry] of entries) yield { collection, key, entry };
  }

  /** Removes entries of records before an offset, which the index now holds. */
  forget(offset: number): void {
    for (const [collection, changed] of this.byCollection) {
      this.size -= changed.forget(offset);
      if (changed.entries.size === 0) this.byCollection.delete(collection);
    }
  }
}

/** Entries of a collection. They are sorted only when a range is read. */
class LayeredCollection {
  readonly entries = new Map<string, Entry>();
  private sorted: string[] = [];
  /** Keys not yet merged into the sorted ones. */
  private unsorted: string[] = [];

  set(key: string, entry: Entry): void {
    if (!this.entries.has(key)) this.unsorted.push(key);
    this.entries.set(key, entry);
  }

  /** Returns the number of removed entries. */
  forget(offset: number): number {
    const { size } = this.entries;
    for (const [key, entry] of this.entries) if (entry.offset < offset) this.entries.delete(key);
    this.sorted = this.sorted.filter((key) => this.entries.has(key));
    this.unsorted = this.unsorted.filter((key) => this.entries.has(key));
    return size - this.entries.size;
  }

  within(range: KeyRange): LayeredRange {
    this.sort();
    const from = firstFrom(this.sorted, lowerBound(range), false) ?? 0;
    const to = firstFrom(this.sorted, upperBound(range), true) ?? this.sorted.length;
    const length = Math.max(0, to - from);
    return new LayeredRange(this.entries, this.sorted, range.reverse ? to - 1 : from, length, range.reverse ? -1 : 1);
  }

  keysWith(prefix: string): readonly string[] {
    this.sort();
    const from = firstFrom(this.sorted, { key: prefix, inclusive: true }, false) ?? 0;
    let to = from;
    while (this.sorted[to]?.startsWith(prefix)) to++;
    return this.sorted.slice(from, to);
  }

  private sort(): void {
    const { sorted, unsorted } = this;
    if (unsorted.length === 0) return;
    if (unsorted.length <= sorted.length * FEW)
      for (const key of unsorted) sorted.splice(firstFrom(sorted, { key, inclusive: true }, false) ?? 0, 0, key);
    else this.sorted = [...sorted, ...unsorted.sort(byBytes)].sort(byBytes); // merges two sorted runs
    this.unsorted = [];
  }
}

/** Iterates over entries lazily: a reader that stops early pays nothing for the rest. */
export class LayeredRange implements Iterable<KeyEntry> {
  constructor(
    private readonly entries: ReadonlyMap<string, Entry>,
    private readonly keys: readonly string[],
    private readonly first: number,
    readonly length: number,
    private readonly step: 1 | -1,
  ) {}

  *[Symbol.iterator](): Generator<KeyEntry> {
    for (let passed = 0, at = this.first; passed < this.length; passed++, at += this.step) {
      const key = this.keys[at] as string;
      yield { key, entry: this.entries.get(key) as Entry };
    }
  }

  /** Skips the first `count` entries. */
  from(count: number): LayeredRange {
    return new LayeredRange(this.entries, this.keys, this.first + count * this.step, this.length - count, this.step);
  }
}

const NOTHING = new LayeredRange(new Map(), [], 0, 0, 1);

/** Index of the first key inside a lower bound or outside an upper one; `undefined` without a bound. */
const firstFrom = (keys: readonly string[], bound: Bound | undefined, isUpper: boolean): number | undefined => {
  if (!bound) return undefined;
  const key = wellFormed(bound.key);
  const isPast = (order: number): boolean => order > 0 || (order === 0 && bound.inclusive !== isUpper);
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isPast(byBytes(keys[middle] ?? '', key))) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** Replaces lone surrogates, which UTF-8 cannot encode: the key as it would be read back. */
export const wellFormed = (text: string): string => (text.isWellFormed() ? text : text.toWellFormed());
