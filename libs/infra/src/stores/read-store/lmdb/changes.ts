import { bytesWithChecksum } from '#infra/platform/lmdb/checksum.js';
import { isLongBound } from '#infra/stores/read-store/keys.js';
import type { Change } from '#projections/shared/read-store.js';
import type { DocumentDatabase } from './databases.js';
import { documentKey } from './documents.js';
import type { Layer } from './layer.js';

/** A change with its value as bytes: text is encoded before the write lock is taken. */
export type EncodedChange = Exclude<Change, { kind: 'put' }> | Readonly<{ kind: 'put'; collection: string; key: string; bytes: Buffer }>;

export const encodeChange = (change: Change): EncodedChange => {
  if (change.kind !== 'put') return change;
  const { kind, collection, key, value } = change;
  return { kind, collection, key, bytes: bytesWithChecksum(documentKey(collection, key), value) };
};

/** Only inside a transaction. */
export const applyChange = (db: DocumentDatabase, change: EncodedChange): void => {
  switch (change.kind) {
    case 'put':
      db.putSync(documentKey(change.collection, change.key), change.bytes);
      break;
    case 'delete':
      db.removeSync(documentKey(change.collection, change.key));
      break;
    case 'delete-prefix':
      removePrefix(db, change.collection, change.prefix);
  }
};

const MAX_REMOVED_AT_ONCE = 1_000;

/** Some of the whole keys on disk that begin with a prefix. */
const keysWith = (db: DocumentDatabase, collection: string, prefix: string, limit: number): readonly string[] => {
  // No key is that long, and LMDB refuses to look for it.
  if (isLongBound(prefix)) return [];
  const start = documentKey(collection, prefix);
  // No byte of UTF-8 is 0xff, so this bound lies behind every key with the prefix.
  const end = Buffer.concat([Buffer.from(start), Buffer.of(0xff)]);
  return [...db.getKeys({ start, end, limit })];
};

/** Collects the keys first, a bounded number at a time: a cursor must not stand on what is being removed. */
const removePrefix = (db: DocumentDatabase, collection: string, prefix: string): void => {
  for (;;) {
    const keys = keysWith(db, collection, prefix, MAX_REMOVED_AT_ONCE);
    for (const key of keys) db.removeSync(key);
    if (keys.length < MAX_REMOVED_AT_ONCE) return;
  }
};

/** Changes for a layer: of each prefix that is removed, its keys on disk in the place of the prefix. */
export type LayerableChange = EncodedChange & Readonly<{ stored?: readonly string[] }>;

/** @returns `undefined`: they remove more documents by a prefix than should be held in memory one by one */
export const layerable = (db: DocumentDatabase, changes: readonly EncodedChange[]): readonly LayerableChange[] | undefined => {
  const found: LayerableChange[] = [];
  let room = MAX_REMOVED_AT_ONCE;
  for (const change of changes) {
    if (change.kind !== 'delete-prefix') {
      found.push(change);
      continue;
    }
    const stored = keysWith(db, change.collection, change.prefix, room + 1);
    room -= stored.length;
    if (room < 0) return undefined;
    found.push({ ...change, stored });
  }
  return found;
};

export const layerChange = (layer: Layer, change: LayerableChange): void => {
  const { collection } = change;
  switch (change.kind) {
    case 'put':
      layer.set(collection, change.key, change.bytes);
      break;
    case 'delete':
      layer.set(collection, change.key, null);
      break;
    case 'delete-prefix': {
      for (const key of layer.keysWith(collection, change.prefix)) layer.set(collection, key, null);
      for (const name of change.stored ?? []) layer.set(collection, name.slice(collection.length + 1), null);
    }
  }
};
