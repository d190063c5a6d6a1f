import { crc32 } from 'node:zlib';
import type { Database, RangeOptions } from 'lmdb';
import { checkedText, withChecksum } from '#infra/platform/lmdb/checksum.js';
import { Damage } from '#infra/platform/lmdb/data-file.js';
import { type Environment, openEnvironment } from '#infra/platform/lmdb/environment.js';
import type { Inspector } from '#infra/platform/lmdb/inspection.js';
import { keyEncoder } from '#infra/platform/lmdb/key-encoder.js';
import { type Bound, isLongBound, lowerBound, MAX_KEY_BYTES, upperBound } from '#infra/stores/read-store/keys.js';
import type { KeyRange } from '#projections/shared/read-store.js';
import type { Entry } from './texts/record.js';

const INDEX_FORMAT = 1;
const DATABASES = 3;
const [LIVE, DEAD, COVERED] = ['live', 'dead', 'covered'];

const VALUE_BYTES = 40;
const KEY_SUM_AT = VALUE_BYTES - 8;
const CHECKSUM_AT = VALUE_BYTES - 4;

/** The index is damaged. The next opening rebuilds it from the build files. */
export class IndexDamaged extends Error {
  override readonly name = 'IndexDamaged';
}

/** The index covers a build file up to `covered`, where the build has this row. Up to `upTo` it may hold some entries. */
export type Coverage = Readonly<{ covered: number; upTo: number; row: object }>;

/** Buffer shared by all entries: inside a transaction LMDB copies a value at once. */
const encodedEntry = Buffer.allocUnsafeSlow(VALUE_BYTES);

const encodeEntry = ({ key, entry }: Keyed): Buffer => {
  const bytes = encodedEntry;
  bytes.writeUIntLE(entry.offset, 0, 6);
  bytes.writeUInt32LE(entry.length, 6);
  bytes.writeUIntLE(entry.last, 10, 6);
  bytes.writeUIntLE(entry.birth, 16, 6);
  bytes.writeUIntLE(entry.since, 22, 6);
  bytes.writeUInt32LE(entry.number, 28);
  bytes.writeUInt32LE(crc32(key), KEY_SUM_AT);
  bytes.writeInt32LE(checksumOf(bytes), CHECKSUM_AT);
  return bytes;
};

/** Detects any changed word. For so few bytes it takes a fifth of the time of a zlib call. */
const checksumOf = (bytes: Buffer): number => {
  let sum = 0x811c9dc5;
  for (let at = 0; at < CHECKSUM_AT; at += 4) sum = Math.imul(sum ^ bytes.readInt32LE(at), 0x01000193);
  return sum;
};

const isSoundEntry = (bytes: Buffer, length: number): boolean =>
  length === VALUE_BYTES && checksumOf(bytes) === bytes.readInt32LE(CHECKSUM_AT);

/** @throws IndexDamaged */
const decoding =
  (isAlive: boolean) =>
  (bytes: Buffer): Entry => {
    if (!isSoundEntry(bytes, bytes.length)) throw new IndexDamaged('an entry of the index');
    return {
      offset: bytes.readUIntLE(0, 6),
      length: bytes.readUInt32LE(6),
      isAlive,
      last: bytes.readUIntLE(10, 6),
      birth: bytes.readUIntLE(16, 6),
      since: bytes.readUIntLE(22, 6),
      number: bytes.readUInt32LE(28),
    };
  };

/** Checks every entry and its key against their checksums. */
const inspectIndex = (): Inspector => ({
  visit: (database, key, value) => {
    if (!isSoundIn[database]?.(key, value)) throw new Damage(`has a damaged entry in ${database}`);
  },
  finish: () => {},
});

const isWholeEntry = (key: Buffer, value: Buffer): boolean =>
  isSoundEntry(value, value.length) && crc32(key) === value.readUInt32LE(KEY_SUM_AT);

const isSoundIn: Readonly<Record<string, (key: Buffer, value: Buffer) => boolean>> = {
  [LIVE]: isWholeEntry,
  [DEAD]: isWholeEntry,
  [COVERED]: (key, value) => checkedText(key.toString(), value.toString()) !== undefined,
};

/** An entry in its stored form. */
type Keyed = Readonly<{ key: string; entry: Entry }>;
type EntryDatabase = Database<Entry, string>;

/** A change of the index. `undefined` removes the entry. */
export type IndexChange = Readonly<{ name: string; entry: Entry | undefined }>;

/**
 * Place of the newest record of each key in the build files. Existing and removed keys are in two databases of one environment. Keys are
 * `<number of the file>.<collection>\0<key>`. The index is derived from the files, so losing it loses no data.
 */
export class DocumentIndex {
  private constructor(
    private readonly environment: Environment,
    private readonly live: EntryDatabase,
    private readonly dead: EntryDatabase,
    private readonly rows: Database<string, string>,
  ) {}

  /** @throws EnvironmentError */
  static open(path: string, readOnly: boolean, report?: (message: string) => void): DocumentIndex {
    const environment = openEnvironment({
      ...{ path, readOnly, durability: 'replayable', maxDbs: DATABASES, format: INDEX_FORMAT, newInspector: inspectIndex },
      ...(report && { report }),
    });
    const { root } = environment;
    const entries = (name: string, isAlive: boolean): EntryDatabase => {
      // In a variable, because lmdb's types omit the key encoder.
      const options = { encoding: 'binary' as const, keyEncoder, encoder: { encode: encodeEntry, decode: decoding(isAlive) } };
      return root.openDB<Entry, string>(name, options);
    };
    return new DocumentIndex(environment, entries(LIVE, true), entries(DEAD, false), root.openDB(COVERED, { encoding: 'string' }));
  }

  /** Later reads show the current content of the index. */
  renew(): void {
    this.environment.root.resetReadTxn();
  }

  /** @throws IndexDamaged */
  coverage(file: number): Coverage | undefined {
    const stored = this.rows.get(String(file));
    if (stored === undefined) return undefined;
    const text = checkedText(String(file), stored);
    if (text === undefined) throw new IndexDamaged('a row of the index');
    return JSON.parse(text);
  }

  /** @throws IndexDamaged */
  check(): void {
    for (const file of this.files) this.coverage(file);
  }

  /** Entry of an existing document. */
  get(file: number, name: string): Entry | undefined {
    return this.live.get(nameIn(file, name));
  }

  /** Entry of an existing or removed document. */
  find(file: number, name: string): Entry | undefined {
    return this.get(file, name) ?? this.dead.get(nameIn(file, name));
  }

  /** @param options ranges of full keys, see `rangeIn` */
  entries(options: RangeOptions, isAlive: boolean): Iterable<Readonly<{ key: string; value: Entry }>> {
    return (isAlive ? this.live : this.dead).getRange(options);
  }

  keys(options: RangeOptions): Iterable<string> {
    return this.live.getKeys(options);
  }

  count(options: RangeOptions): number {
    return this.live.getKeysCount(options);
  }

  has(wholeKey: string): boolean {
    return this.live.doesExist(wholeKey);
  }

  /** Runs writes in a transaction. @throws DiskFull, errors of LMDB */
  async write(work: () => void): Promise<void> {
    this.environment.requireRoom();
    await this.environment.root.transaction(work);
  }

  /** Must run inside a transaction, like the methods below. */
  put(file: number, { name, entry }: IndexChange): void {
    const key = nameIn(file, name);
    const [database, other] = entry?.isAlive === false ? [this.dead, this.live] : [this.live, this.dead];
    if (entry) (database as Database<unknown, string>).putSync(key, { key, entry });
    else database.removeSync(key);
    if (entry?.number !== 0) other.removeSync(key); // the first record of a key replaces none
  }

  cover(file: number, coverage: Coverage): void {
    this.rows.putSync(String(file), withChecksum(String(file), JSON.stringify(coverage)));
  }

  /** Files that have rows in the index. */
  get files(): readonly number[] {
    return [...this.rows.getKeys()].map(Number);
  }

  /** Removes some entries of a file. Returns false if there were none; then its row is removed, too. */
  removeSome(file: number, most: number): boolean {
    for (const database of [this.live, this.dead]) {
      const keys = [...database.getKeys({ ...allOf(file), limit: most })];
      for (const key of keys) database.removeSync(key);
      if (keys.length > 0) return true;
    }
    this.rows.removeSync(String(file));
    return false;
  }

  /** Makes the next opening check the whole index first. */
  distrust(): void {
    this.environment.distrust();
  }

  close(): Promise<void> {
    return this.environment.close();
  }
}

const nameIn = (file: number, name: string): string => `${file}.${name}`;

/** All names of a file. Its end lies behind them, because a slash sorts after a dot. */
const allOf = (file: number): RangeOptions => ({ start: `${file}.`, end: `${file}/` });

/** Length of the part of a full key before the key of the document. */
export const prefixLength = (file: number, collection: string): number => String(file).length + collection.length + 2;

/** All full keys of a file, starting at one. */
export const namesFrom = (file: number, name: string): RangeOptions => ({ ...allOf(file), start: nameIn(file, name) });

/** Full keys that begin with a prefix. UTF-8 never contains the byte 0xff, so the bound lies behind all of them. */
export const namesWith = (file: number, name: string): RangeOptions => ({
  start: nameIn(file, name),
  end: Buffer.concat([Buffer.from(nameIn(file, name)), Buffer.of(0xff)]),
});

/** A range of a collection in lmdb's form. */
export const rangeIn = (file: number, collection: string, range: KeyRange): RangeOptions => {
  const lower = lowerBound(range);
  const upper = upperBound(range);
  const prefix = `${nameIn(file, collection)}\0`;
  const start = lower ? edge(prefix, lower, false) : { key: prefix, inclusive: true };
  const end = upper ? edge(prefix, upper, true) : { key: `${nameIn(file, collection)}\x01`, inclusive: false };
  return range.reverse
    ? { start: end.key, exclusiveStart: !end.inclusive, end: start.key, inclusiveEnd: start.inclusive, reverse: true }
    : { start: start.key, exclusiveStart: !start.inclusive, end: end.key, inclusiveEnd: end.inclusive, reverse: false };
};

/**
 * LMDB rejects search keys longer than its key limit. A longer bound is replaced by its beginning: a key equal to that beginning lies below
 * the bound, and any other key lies on the same side of both.
 */
const edge = (prefix: string, bound: Bound, isUpper: boolean): Readonly<{ key: string | Buffer; inclusive: boolean }> => {
  const key = prefix + bound.key;
  if (!isLongBound(bound.key)) return { key, inclusive: bound.inclusive };
  return { key: Buffer.from(key).subarray(0, Buffer.byteLength(prefix) + MAX_KEY_BYTES), inclusive: isUpper };
};
