import type { RangeOptions } from 'lmdb';
import { bytesWithChecksum, checkedBytes } from '#infra/lmdb/checksum.js';
import { type Bound, isKey, isLongBound, lowerBound, MAX_KEY_BYTES, upperBound } from '#infra/read-store/keys.js';
import type { Change, KeyRange, StoredDocument } from '#projections/shared/read-store.js';
import type { DocumentDatabase } from './databases.js';

/** `collection`, a zero byte, `key`: sorts by collection, then by key. */
const documentKey = (collection: string, key: string): string => `${collection}\0${key}`;

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
export const getDocument = (db: DocumentDatabase, collection: string, key: string): Buffer | null => {
  if (!isKey(key)) return null;
  const name = documentKey(collection, key);
  const stored = db.get(name);
  return stored === undefined ? null : checked(name, stored);
};

/** @throws DamagedDocument */
export const getRange = (db: DocumentDatabase, collection: string, range: KeyRange): readonly StoredDocument[] => {
  const { limit, maxBytes = Number.POSITIVE_INFINITY } = range;
  let bytes = 0;
  const documents: StoredDocument[] = [];
  if (limit === 0) return documents;
  const prefixLength = collection.length + 1;
  for (const { key, value } of db.getRange(rangeOptions(collection, range, range.offset))) {
    const document = checked(key, value);
    documents.push({ key: key.slice(prefixLength), value: document });
    // Ending here keeps lmdb from moving its cursor once more, which would cost as much as the document.
    bytes += document.length;
    if (documents.length === limit || bytes >= maxBytes) break;
  }
  return documents;
};

/** A look-up for each collection, however many documents it has. */
export const collectionsIn = (db: DocumentDatabase): readonly string[] => {
  const collections: string[] = [];
  for (let start = ''; ; ) {
    const [first] = [...db.getKeys(start === '' ? { limit: 1 } : { start, limit: 1 })];
    if (first === undefined) return collections;
    const collection = first.slice(0, first.indexOf('\0'));
    collections.push(collection);
    start = `${collection}\x01`;
  }
};

export const countRange = (db: DocumentDatabase, collection: string, range: KeyRange): number =>
  db.getKeysCount(rangeOptions(collection, range, undefined));

/** A change with its value as bytes: text is encoded before the write lock is taken. */
type EncodedChange = Exclude<Change, { kind: 'put' }> | Readonly<{ kind: 'put'; documentKey: string; bytes: Buffer }>;

export const encodeChange = (change: Change): EncodedChange => {
  if (change.kind !== 'put') return change;
  const name = documentKey(change.collection, change.key);
  return { kind: 'put', documentKey: name, bytes: bytesWithChecksum(name, change.value) };
};

/** Only inside a transaction. */
export const applyChange = (db: DocumentDatabase, change: EncodedChange): void => {
  switch (change.kind) {
    case 'put':
      db.putSync(change.documentKey, change.bytes);
      break;
    case 'delete':
      db.removeSync(documentKey(change.collection, change.key));
      break;
    case 'delete-prefix':
      // No key is that long, and LMDB refuses to look for it.
      if (!isLongBound(change.prefix)) removePrefix(db, documentKey(change.collection, change.prefix));
  }
};

const MAX_REMOVED_AT_ONCE = 1_000;

/** Collects the keys first, a bounded number at a time: a cursor must not stand on what is being removed. */
const removePrefix = (db: DocumentDatabase, prefix: string): void => {
  // No byte of UTF-8 is 0xff, so this bound lies behind every key with the prefix.
  const end = Buffer.concat([Buffer.from(prefix), Buffer.of(0xff)]);
  for (;;) {
    const keys = [...db.getKeys({ start: prefix, end, limit: MAX_REMOVED_AT_ONCE })];
    for (const key of keys) db.removeSync(key);
    if (keys.length < MAX_REMOVED_AT_ONCE) return;
  }
};

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
