import type { Database, RootDatabase } from 'lmdb';
import { checkedText, withChecksum } from '#infra/platform/lmdb/checksum.js';
import { type Environment, openEnvironment } from '#infra/platform/lmdb/environment.js';
import { keyEncoder } from '#infra/stores/read-store/lmdb/databases.js';
import type { ProjectionRow } from './projection-row.js';
import {
  DamagedHistory,
  type DocumentRecord,
  decodeRecord,
  decodeVersion,
  encodeRecord,
  encodeVersion,
  type StoredVersion,
} from './records.js';
import { decodeSpan, encodeSpan, type Span } from './span.js';

export const HISTORY_FORMAT = 1;
const DATABASES = 4;

/** Number of a document and position: sorts by both. */
export type VersionKey = [document: number, position: number];

const NUMBER_BYTES = 6;
const versionKeyEncoder = {
  writeKey([document, position]: VersionKey, target: Buffer, at: number): number {
    target.writeUIntBE(document, at, NUMBER_BYTES);
    target.writeUIntBE(position, at + NUMBER_BYTES, NUMBER_BYTES);
    return at + 2 * NUMBER_BYTES;
  },
  readKey: (source: Buffer, start: number): VersionKey => [
    source.readUIntBE(start, NUMBER_BYTES),
    source.readUIntBE(start + NUMBER_BYTES, NUMBER_BYTES),
  ],
};

/** lmdb's types leave the encoder of keys out. */
const options = <Value>(keys: object, encode: (value: Value) => Buffer, decode: (bytes: Buffer) => Value) => ({
  encoding: 'binary' as const,
  keyEncoder: keys,
  encoder: { encode, decode },
});

/** These builds have come to the position, whatever their rows say: one row is written for all, when nothing else changes. */
export type FrontRow = Readonly<{ position: number; builds: readonly number[] }>;

/**
 * The databases of a history. One process writes, others read. Documents are kept under `<build>.<collection>\0<key>` with their newest state; earlier
 * states under the number of the document and the position from which they held; spans of keys, by their level, under the key that begins them.
 */
export class HistoryFiles {
  readonly root: RootDatabase;
  readonly documents: Database<DocumentRecord, string>;
  readonly versions: Database<StoredVersion, VersionKey>;
  readonly spans: Database<Span, string>;
  private readonly meta: Database<string, string>;
  /** Records are read with their text if it is the state at this position. */
  private asOf = 0;

  private constructor(private readonly environment: Environment) {
    this.root = environment.root;
    const found = <Value, Key extends string | VersionKey>(database: Database<Value, Key> | undefined): Database<Value, Key> => {
      if (!database) throw new DamagedHistory('it holds nothing yet');
      return database;
    };
    const decodeAsOf = (bytes: Buffer): DocumentRecord => decodeRecord(bytes, bytes.length, this.asOf);
    const { root } = this;
    this.documents = found(root.openDB<DocumentRecord, string>('documents', options(keyEncoder, encodeRecord, decodeAsOf)));
    this.versions = found(
      root.openDB<StoredVersion, VersionKey>(
        'versions',
        options(versionKeyEncoder, encodeVersion, (bytes: Buffer) => decodeVersion(bytes, bytes.length)),
      ),
    );
    this.spans = found(root.openDB<Span, string>('spans', options(keyEncoder, encodeSpan, decodeSpan)));
    this.meta = found(root.openDB<string, string>('meta', { encoding: 'string' }));
  }

  /** @throws EnvironmentError; DamagedHistory opened for reading before anything was written */
  static open(options: Readonly<{ path: string; readOnly?: boolean; report?: (message: string) => void }>): HistoryFiles {
    const { path, readOnly = false, report } = options;
    const environment = openEnvironment({
      path,
      readOnly,
      durability: 'replayable',
      maxDbs: DATABASES,
      format: HISTORY_FORMAT,
      ...(report && { report }),
    });
    try {
      return new HistoryFiles(environment);
    } catch (error) {
      void environment.close();
      throw error;
    }
  }

  /** The record of a document, with its text if that is the state at the position. */
  record(name: string, asOf: number): DocumentRecord | undefined {
    this.asOf = asOf;
    return this.documents.get(name);
  }

  /** Runs a read whose records come with their text if it is the state at the position. Synchronous: sees one state of the store. */
  reading<Result>(asOf: number, read: () => Result): Result {
    this.root.resetReadTxn();
    this.asOf = asOf;
    return read();
  }

  /** The same again in the midst of a read, after one of another position. */
  readAsOf(asOf: number): void {
    this.asOf = asOf;
  }

  row<Row extends object>(key: string): Row | undefined {
    const stored = this.meta.get(key);
    if (stored === undefined) return undefined;
    const text = checkedText(key, stored);
    if (text === undefined) throw new DamagedHistory(`the row ${key}`);
    return JSON.parse(text) as Row;
  }

  /** What is known of a projection; undefined: it is not recorded. */
  projection(name: string): ProjectionRow | undefined {
    const row = this.row<ProjectionRow>(projectionRow(name));
    if (!row || row.failure) return row;
    const front = this.row<FrontRow>(FRONT_ROW);
    return front && front.position > row.position && front.builds.includes(row.build) ? { ...row, position: front.position } : row;
  }

  /** Only inside a transaction, like `removeRow`. */
  putRow(key: string, row: object): void {
    this.meta.putSync(key, withChecksum(key, JSON.stringify(row)));
  }

  removeRow(key: string): void {
    this.meta.removeSync(key);
  }

  rowsUnder(prefix: string): readonly string[] {
    return [...this.meta.getKeys({ start: prefix, end: `${prefix}\uffff` })];
  }

  /** All or nothing: nothing is written if it throws, for want of room too. Synchronous, as only then lmdb takes back what was written before. */
  async write<Result>(work: () => Result): Promise<Result> {
    this.environment.requireRoom();
    return this.root.transactionSync(work);
  }

  distrust(): void {
    this.environment.distrust();
  }

  close(): Promise<void> {
    return this.environment.close();
  }
}

export const projectionRow = (projection: string): string => `projection/${projection}`;
export const LOG_ROW = 'log';
export const FRONT_ROW = 'front';
export const NUMBERS_ROW = 'numbers';
/** Builds whose documents are no longer wanted, until they are removed. */
export const garbageRow = (build: number): string => `garbage/${build}`;

/** Name of a collection in the store. */
export const collectionOf = (build: number, collection: string): string => `${build.toString(36)}.${collection}`;
export const nameOf = (collection: string, key: string): string => `${collection}\0${key}`;
