import { byBytes } from '#domain/shared/text-order.js';
import { type Bound, lowerBound, upperBound } from '#infra/stores/read-store/keys.js';
import type { KeyRange } from '#projections/shared/read-store.js';

/** A document as it is stored, with its checksum; `null`: removed. */
export type LayeredValue = Buffer | null;

/** What was changed, as it was at one moment. */
export type LayeredChange = Readonly<{ collection: string; key: string; value: LayeredValue }>;

/** What an entry takes besides its texts. */
const ENTRY_BYTES = 200;

/** Without halves of surrogate pairs, which UTF-8 does not have: as the key would be read back. */
const wellFormed = (text: string): string => (text.isWellFormed() ? text : text.toWellFormed());

/** Documents of one build that lie before those on disk: what was put and removed since. */
export class Layer {
  private readonly byCollection = new Map<string, LayeredCollection>();
  /** Number of changed documents. */
  size = 0;
  /** About what they take in memory. */
  bytes = 0;

  get collections(): readonly string[] {
    return [...this.byCollection.keys()];
  }

  /** `undefined`: as on disk. */
  get(collection: string, key: string): LayeredValue | undefined {
    return this.byCollection.get(collection)?.values.get(wellFormed(key));
  }

  set(collection: string, key: string, value: LayeredValue): void {
    let changed = this.byCollection.get(collection);
    if (!changed) {
      changed = new LayeredCollection();
      this.byCollection.set(collection, changed);
    }
    const name = wellFormed(key);
    this.count(name, changed.values.get(name), value);
    changed.set(name, value);
  }

  /** Changed keys of a range, in ascending order. */
  keys(collection: string, range: KeyRange): readonly string[] {
    return this.byCollection.get(collection)?.keys(range) ?? [];
  }

  /** Changed keys that begin with the prefix, in no particular order. */
  keysWith(collection: string, prefix: string): readonly string[] {
    const start = wellFormed(prefix);
    return [...(this.byCollection.get(collection)?.values.keys() ?? [])].filter((key) => key.startsWith(start));
  }

  /** All changes, in no particular order. */
  changes(): readonly LayeredChange[] {
    const changes: LayeredChange[] = [];
    for (const [collection, { values }] of this.byCollection) for (const [key, value] of values) changes.push({ collection, key, value });
    return changes;
  }

  /** The changes are on disk now. What has been changed again since stays. */
  forget(changes: readonly LayeredChange[]): void {
    for (const { collection, key, value } of changes) {
      const changed = this.byCollection.get(collection);
      if (changed?.values.get(key) !== value) continue;
      this.count(key, value, undefined);
      changed.delete(key);
      if (changed.values.size === 0) this.byCollection.delete(collection);
    }
  }

  private count(key: string, before: LayeredValue | undefined, after: LayeredValue | undefined): void {
    const weight = (value: LayeredValue | undefined): number => (value === undefined ? 0 : ENTRY_BYTES + key.length + (value?.length ?? 0));
    this.bytes += weight(after) - weight(before);
    this.size += Number(after !== undefined) - Number(before !== undefined);
  }
}

/** The changed documents of a collection; sorted only when a range asks for them. */
class LayeredCollection {
  readonly values = new Map<string, LayeredValue>();
  private sorted: string[] = [];
  /** Keys that are not among the sorted ones. */
  private unsorted: string[] = [];
  /** Among the sorted ones are such that are not changed any more. */
  private isStale = false;

  set(key: string, value: LayeredValue): void {
    if (!this.values.has(key)) this.unsorted.push(key);
    this.values.set(key, value);
  }

  delete(key: string): void {
    this.values.delete(key);
    this.isStale = true;
  }

  keys(range: KeyRange): readonly string[] {
    this.sort();
    const from = firstFrom(this.sorted, lowerBound(range), false);
    const to = firstFrom(this.sorted, upperBound(range), true);
    return this.sorted.slice(from, to ?? this.sorted.length);
  }

  private sort(): void {
    if (this.isStale) {
      this.unsorted = [...this.values.keys()];
      this.sorted = [];
    }
    this.isStale = false;
    if (this.unsorted.length === 0) return;
    // Two sorted runs one after the other are merged, not sorted.
    this.sorted = [...this.sorted, ...this.unsorted.sort(byBytes)].sort(byBytes);
    this.unsorted = [];
  }
}

/** Place of the first key inside a lower bound, or outside of an upper one; `undefined` without a bound. */
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
