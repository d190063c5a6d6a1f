import type { RangeOptions } from 'lmdb';
import { byBytes } from '#domain/shared/text-order.js';
import { CHECKSUM_BYTES, checkedBytes } from '#infra/platform/lmdb/checksum.js';
import { type Bound, isKey, isLongBound, lowerBound, MAX_KEY_BYTES, upperBound } from '#infra/stores/read-store/keys.js';
import type { KeyRange, StoredDocument } from '#projections/shared/read-store.js';
import type { DocumentDatabase } from './databases.js';
import type { Layer, LayeredValue } from './layer.js';

/** The documents of one build: those on disk, and before them what was changed since. */
export type Documents = Readonly<{ db: DocumentDatabase; layer?: Layer | undefined }>;

/** `collection`, a zero byte, `key`: sorts by collection, then by key. */
export const documentKey = (collection: string, key: string): string => `${collection}\0${key}`;

/** A document does not read as it was written. */
export class DamagedDocument extends Error {
  override readonly name = 'DamagedDocument';
}

const checked = (documentKey: string, stored: Buffer): Buffer => {
  const document = checkedBytes(documentKey, stored);
  if (!document) throw new DamagedDocument(`a document of collection ${documentKey.slice(0, documentKey.indexOf('\0'))}`);
  return document;
};

/** @throws DamagedDocument */
export const getDocument = ({ db, layer }: Documents, collection: string, key: string): Buffer | null => {
  if (!isKey(key)) return null;
  const changed = layer?.get(collection, key);
  if (changed === null) return null;
  if (changed) return changed.subarray(0, changed.length - CHECKSUM_BYTES);
  const name = documentKey(collection, key);
  const stored = db.get(name);
  return stored === undefined ? null : checked(name, stored);
};

/** @throws DamagedDocument */
export const getRange = (from: Documents, collection: string, range: KeyRange): readonly StoredDocument[] => {
  const { limit, maxBytes = Number.POSITIVE_INFINITY } = range;
  let bytes = 0;
  const documents: StoredDocument[] = [];
  if (limit === 0) return documents;
  const prefixLength = collection.length + 1;
  for (const { key, value } of entriesIn(from, collection, range)) {
    const document = checked(key, value);
    documents.push({ key: key.slice(prefixLength), value: document });
    // Ending here keeps lmdb from moving its cursor once more, which would cost as much as the document.
    bytes += document.length;
    if (documents.length === limit || bytes >= maxBytes) break;
  }
  return documents;
};

/** A look-up for each collection, however many documents it has. */
export const collectionsIn = ({ db, layer }: Documents): readonly string[] => {
  const collections: string[] = [];
  for (let start = ''; ; ) {
    const [first] = [...db.getKeys(start === '' ? { limit: 1 } : { start, limit: 1 })];
    if (first === undefined) return [...new Set([...collections, ...(layer?.collections ?? [])])];
    const collection = first.slice(0, first.indexOf('\0'));
    collections.push(collection);
    start = `${collection}\x01`;
  }
};

export const countRange = ({ db, layer }: Documents, collection: string, range: KeyRange): number =>
  db.getKeysCount(rangeOptions(collection, range, undefined)) + gained(db, changesIn(layer, collection, range));

/** An entry as lmdb gives it: its whole key, and its value with the checksum. */
type Entry = Readonly<{ key: string; value: Buffer }>;

type Change = Readonly<{ key: string; value: LayeredValue }>;

const entriesIn = ({ db, layer }: Documents, collection: string, range: KeyRange): Iterable<Entry> => {
  const changes = changesIn(layer, collection, range);
  if (changes.length === 0) return db.getRange(rangeOptions(collection, range, range.offset));
  const { reverse = false, offset = 0 } = range;
  if (reverse) changes.reverse();
  return overlaid(db, rangeOptions(collection, range, undefined), changes, offset);
};

/** What was changed in a range, by whole keys, in ascending order. */
const changesIn = (layer: Layer | undefined, collection: string, range: KeyRange): Change[] =>
  layer
    ? layer.keys(collection, range).map((key) => ({ key: documentKey(collection, key), value: layer.get(collection, key) ?? null }))
    : [];

/** By how many documents changes make those on disk more. */
const gained = (db: DocumentDatabase, changes: readonly Change[]): number =>
  changes.reduce((sum, { key, value }) => sum + Number(value !== null) - Number(db.doesExist(key)), 0);

/** The entries on disk as the changes make them, in the order of the options. @param changes in that order, too */
function* overlaid(db: DocumentDatabase, options: RangeOptions, changes: readonly Change[], offset: number): Generator<Entry> {
  const { reverse = false } = options;
  const order = (left: string, right: string): number => (reverse ? byBytes(right, left) : byBytes(left, right));
  let passed = 0;
  let at = 0;
  let rest = options;
  // Changes before an entry on disk put it forward or back by their number at the most: that far lmdb can count by itself.
  const counted = offset - changes.length;
  if (counted > 0) {
    const [start] = [...db.getKeys({ ...options, offset: counted, limit: 1 })];
    if (start === undefined) return;
    while (at < changes.length && order(changes[at]?.key ?? '', start) < 0) at++;
    passed = counted + gained(db, changes.slice(0, at));
    rest = { ...options, start, exclusiveStart: false };
  }
  for (const entry of merged(db.getRange(rest), changes.slice(at), order)) if (passed++ >= offset) yield entry;
}

function* merged(stored: Iterable<Entry>, changes: readonly Change[], order: (left: string, right: string) => number): Generator<Entry> {
  let at = 0;
  for (const entry of stored) {
    let change = changes[at];
    for (; change && order(change.key, entry.key) < 0; change = changes[++at])
      if (change.value) yield { key: change.key, value: change.value };
    if (change?.key !== entry.key) {
      yield entry;
      continue;
    }
    at++;
    if (change.value) yield { key: change.key, value: change.value };
  }
  for (const { key, value } of changes.slice(at)) if (value) yield { key, value };
}

/** The range as lmdb takes it, over keys `<collection>\0<key>`. */
export const rangeOptions = (collection: string, range: KeyRange, offset: number | undefined): RangeOptions => {
  const lower = lowerBound(range);
  const upper = upperBound(range);
  const start = lower ? edge(collection, lower, false) : { key: `${collection}\0`, inclusive: true };
  const end = upper ? edge(collection, upper, true) : { key: `${collection}\x01`, inclusive: false };
  return range.reverse
    ? { start: end.key, exclusiveStart: !end.inclusive, end: start.key, inclusiveEnd: start.inclusive, reverse: true, offset }
    : { start: start.key, exclusiveStart: !start.inclusive, end: end.key, inclusiveEnd: end.inclusive, reverse: false, offset };
};

/**
 * LMDB refuses to look for more bytes than a key may have. A bound longer than every key is replaced by its beginning: a key equal to that
 * beginning lies below the bound, and any other key lies on the same side of both.
 */
const edge = (collection: string, bound: Bound, isUpper: boolean): Readonly<{ key: string | Buffer; inclusive: boolean }> => {
  const key = documentKey(collection, bound.key);
  if (!isLongBound(bound.key)) return { key, inclusive: bound.inclusive };
  return { key: Buffer.from(key).subarray(0, Buffer.byteLength(collection) + 1 + MAX_KEY_BYTES), inclusive: isUpper };
};
