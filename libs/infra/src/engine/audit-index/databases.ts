import type { Database, RootDatabase } from 'lmdb';
import { copiedBytes } from '#infra/platform/lmdb/copied-bytes.js';
import { type Environment, openEnvironment } from '#infra/platform/lmdb/environment.js';
import { keyEncoder } from '#infra/stores/read-store/lmdb/databases.js';
import { decodeRecord, encodeRecord, type IndexRecord } from './record.js';

/** How far the index is, and which log it was read from. Everything up to `position` is indexed. */
export type Checkpoint = Readonly<{
  /** Number of chained events. */
  size: number;
  position: string;
  /** Log time of the last event: milliseconds since 1970-01-01 UTC; 0 before the first one. */
  logTime: number;
  /** Next free id of a name. */
  nextName: number;
  /** Newest event of a stream that loses none: another log does not have it there. */
  last: Readonly<{ stream: string; revision: string; id: string }> | null;
}>;

/** A place at which the index does not fit the chain: it was built anew, and stops where it comes to it again. */
export type Divergence = Readonly<{
  /** Index of the last leaf of the batch that does not fit. */
  index: number;
  reason: string;
  /** The index has come to the same place a second time: it holds what is before, and waits there. */
  stopped: boolean;
}>;

export const NOTHING_INDEXED: Checkpoint = { size: 0, position: '0', logTime: 0, nextName: 1, last: null };

/** 2: what is done to users is found under their tenant, too. A change of it makes every node build its index anew. */
const INDEX_FORMAT = 2;
const CHECKPOINT = 'checkpoint';
const DIVERGENCE = 'divergence';

/** Bytes of an index, and of the id of a term. */
export const ID_BYTES = 6;

/** Keys are read as bytes: not all are texts. */
const bytesKey = {
  writeKey: keyEncoder.writeKey,
  readKey: (source: Buffer, start: number, end: number): Buffer => Buffer.from(source.subarray(start, end)),
};

const RECORDS = { encoding: 'binary', keyEncoder: bytesKey, encoder: { encode: encodeRecord, decode: decodeRecord } } as const;
const BYTES = { encoding: 'binary', keyEncoder: bytesKey, encoder: copiedBytes } as const;
const TEXT = { encoding: 'string', keyEncoder: bytesKey } as const;
const JSON_VALUES = { encoding: 'json', keyEncoder: bytesKey } as const;

export type IndexDatabases = Readonly<{
  environment: Environment;
  root: RootDatabase;
  /** Index of an event → what is kept of it. */
  records: Database<IndexRecord, Uint8Array>;
  /** Term and first index → the indexes of the events behind the first one; see `postings.ts`. */
  postings: Database<Buffer, Uint8Array>;
  /** Id → name of a stream, category, type or actor. */
  names: Database<string, Uint8Array>;
  /** The reverse. */
  ids: Database<number, string>;
  /** Actors, categories, and names of keys. */
  tallies: Database<object, string | Uint8Array>;
  meta: Database<Checkpoint | Divergence, string>;
}>;

/** @throws EnvironmentError */
export const openIndexDatabases = (path: string, report: (message: string) => void): IndexDatabases => {
  const environment = openEnvironment({ path, durability: 'replayable', maxDbs: 8, format: INDEX_FORMAT, report });
  const { root } = environment;
  return {
    environment,
    root,
    records: root.openDB<IndexRecord, Uint8Array>('records', RECORDS),
    postings: root.openDB<Buffer, Uint8Array>('postings', BYTES),
    names: root.openDB<string, Uint8Array>('names', TEXT),
    ids: root.openDB<number, string>('ids', JSON_VALUES),
    tallies: root.openDB<object, string | Uint8Array>('tallies', JSON_VALUES),
    meta: root.openDB<Checkpoint | Divergence, string>('meta', { encoding: 'json' }),
  };
};

/** Key of a record, and of a name. */
export const numberKey = (value: number): Buffer => {
  const key = Buffer.allocUnsafe(ID_BYTES);
  key.writeUIntBE(value, 0, ID_BYTES);
  return key;
};

export const readCheckpoint = ({ meta }: IndexDatabases): Checkpoint => (meta.get(CHECKPOINT) as Checkpoint | undefined) ?? NOTHING_INDEXED;

/** Only inside a transaction. */
export const writeCheckpoint = ({ meta }: IndexDatabases, checkpoint: Checkpoint): void => {
  meta.putSync(CHECKPOINT, checkpoint);
};

export const readDivergence = ({ meta }: IndexDatabases): Divergence | undefined => meta.get(DIVERGENCE) as Divergence | undefined;

/** `undefined`: the index fits. */
export const noteDivergence = async ({ meta }: IndexDatabases, divergence: Divergence | undefined): Promise<void> => {
  await (divergence ? meta.put(DIVERGENCE, divergence) : meta.remove(DIVERGENCE));
};

/** Empties the index; first of all the checkpoint, so that no reader takes a part for the whole. */
export const clearIndex = async ({ environment, meta, records, postings, names, ids, tallies }: IndexDatabases): Promise<void> => {
  environment.requireRoom();
  for (const database of [meta, records, postings, names, ids, tallies]) await database.clearAsync();
};
