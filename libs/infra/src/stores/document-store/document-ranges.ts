import type { RangeOptions } from 'lmdb';
import { byBytes } from '#domain/shared/text/text-order.js';
import type { KeyRange } from '#projections/shared/read-store.js';
import type { Build } from './build.js';
import { type DocumentIndex, namesFrom, prefixLength, rangeIn } from './document-index.js';
import type { KeyEntry, LayeredRange } from './layer.js';

/** Entries that are read at once. */
const PAGE = 1_000;

type Order = (one: string, other: string) => number;
const orderOf = (reverse: boolean | undefined): Order => (reverse ? (one, other) => byBytes(other, one) : byBytes);

/** Entries of existing documents, in the order of the range, from its offset on. The caller applies the limit. */
export function* liveEntries(build: Build, index: DocumentIndex, collection: string, range: KeyRange): Generator<KeyEntry> {
  const options = rangeIn(build.file.number, collection, range);
  const changes = build.layer.within(collection, range);
  const { offset = 0 } = range;
  if (changes.length === 0) return yield* entriesOf(build, index, collection, { ...options, offset }, true);
  const start = startAt(build, index, collection, options, changes, offset);
  if (!start) return;
  let passed = start.passed;
  const stored = entriesOf(build, index, collection, start.options, true);
  for (const found of merged(stored, start.changes, orderOf(range.reverse))) if (found.entry.isAlive && passed++ >= offset) yield found;
}

/**
 * Entries of all existing documents of a collection. They may be read over several turns of the event loop, during which no document may change: no
 * iterator of LMDB lasts that long.
 */
export function* everyEntry(build: Build, index: DocumentIndex, collection: string): Generator<KeyEntry> {
  for (let range: KeyRange = {}; ; ) {
    const page: KeyEntry[] = [];
    for (const found of liveEntries(build, index, collection, range)) if (page.push(found) === PAGE) break;
    yield* page;
    const last = page.at(-1);
    if (page.length < PAGE || !last) return;
    range = { gt: last.key };
  }
}

/** Entries of existing and removed documents, in the order of the range. The caller applies offset and limit. */
export const allEntries = (build: Build, index: DocumentIndex, collection: string, range: KeyRange): Iterable<KeyEntry> => {
  const options = rangeIn(build.file.number, collection, range);
  const order = orderOf(range.reverse);
  const [live, dead] = [true, false].map((isAlive) => entriesOf(build, index, collection, options, isAlive));
  const stored = merged(live as Iterable<KeyEntry>, dead as Iterable<KeyEntry>, order);
  return merged(stored, build.layer.within(collection, range), order);
};

export const countLive = (build: Build, index: DocumentIndex, collection: string, range: KeyRange): number => {
  const { offset: _, limit: __, reverse: ___, ...bounds } = range;
  const stored = index.count(rangeIn(build.file.number, collection, bounds));
  return stored + gained(build, index, collection, build.layer.within(collection, bounds));
};

function* entriesOf(build: Build, index: DocumentIndex, collection: string, options: RangeOptions, isAlive: boolean): Generator<KeyEntry> {
  const start = prefixLength(build.file.number, collection);
  for (const { key, value } of index.entries(options, isAlive)) yield { key: key.slice(start), entry: value };
}

/** Number of documents that the changes add to those in the index. */
const gained = (build: Build, index: DocumentIndex, collection: string, changes: Iterable<KeyEntry>): number => {
  let gain = 0;
  for (const { key, entry } of changes) gain += Number(entry.isAlive) - Number(index.has(`${build.file.number}.${collection}\0${key}`));
  return gain;
};

/**
 * Start for an offset. Unindexed changes before an entry shift it by at most their number; lmdb can skip up to that point by itself.
 * `passed`: number of documents before the start.
 */
const startAt = (
  build: Build,
  index: DocumentIndex,
  collection: string,
  options: RangeOptions,
  changes: LayeredRange,
  offset: number,
): Readonly<{ options: RangeOptions; changes: LayeredRange; passed: number }> | undefined => {
  const counted = offset - changes.length;
  if (counted <= 0) return { options, changes, passed: 0 };
  const [start] = [...index.keys({ ...options, offset: counted, limit: 1 })];
  if (start === undefined) return undefined;
  const key = start.slice(prefixLength(build.file.number, collection));
  const order = orderOf(options.reverse);
  const before: KeyEntry[] = [];
  for (const change of changes) {
    if (order(change.key, key) >= 0) break;
    before.push(change);
  }
  const passed = counted + gained(build, index, collection, before);
  return { options: { ...options, start, exclusiveStart: false }, changes: changes.from(before.length), passed };
};

/** Merges both in one order. For equal keys, `over` wins. */
function* merged(under: Iterable<KeyEntry>, over: Iterable<KeyEntry>, order: Order): Generator<KeyEntry> {
  const changes = over[Symbol.iterator]();
  let change = changes.next();
  for (const found of under) {
    for (; !change.done && order(change.value.key, found.key) < 0; change = changes.next()) yield change.value;
    if (!change.done && change.value.key === found.key) {
      yield change.value;
      change = changes.next();
    } else yield found;
  }
  for (; !change.done; change = changes.next()) yield change.value;
}

/** Collections that hold documents, and perhaps some that no longer do. Takes one look-up per collection, whatever its size. */
export const collectionsOf = (build: Build, index: DocumentIndex): readonly string[] => {
  const { number } = build.file;
  const collections = new Set(build.layer.collections);
  const start = prefixLength(number, '') - 1;
  for (let from = ''; ; ) {
    const [first] = [...index.keys({ ...namesFrom(number, from), limit: 1 })];
    if (first === undefined) return [...collections];
    const collection = first.slice(start, first.indexOf('\0'));
    collections.add(collection);
    from = `${collection}\x01`;
  }
};
