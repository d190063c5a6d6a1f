import type { Database, RangeOptions } from 'lmdb';
import { checkedText } from '#infra/platform/lmdb/checksum.js';
import { type Environment, openStoreIn } from '#infra/platform/lmdb/environment.js';
import { keyEncoder } from '#infra/platform/lmdb/key-encoder.js';
import { Damaged } from '#infra/stores/document-store/texts/record.js';
import type { Change } from '#projections/shared/read-store.js';
import { returnToLastFlush } from './last-flush.js';
import {
  decodeNewest,
  decodeVersion,
  type NewestVersion,
  type StoredVersion,
  textOf,
  type VersionKey,
  versionKeyEncoder,
} from './records.js';
import { buildsOf, type EarlierBuild, type FrontRow, type ProjectionRow } from './rows.js';

const FORMAT = 1;
const DATABASES = 4;
/** Keys per read. No LMDB transaction stays open between two turns of the event loop. */
const KEYS_AT_ONCE = 200;
/** Maximum number of deltas before a whole version. */
const VERSIONS_AT_ONCE = 64;

/** Place of an event that is never removed from the log of the history. */
type LogRow = Readonly<{ stream: string; revision: string; id: string; position: string }>;

const NEVER_WRITTEN = (): never => {
  throw new Error('the earlier history is read-only');
};

/** lmdb's types omit the key encoder. */
const options = <Value>(keys: object, decode: (bytes: Buffer) => Value) => ({
  encoding: 'binary' as const,
  keyEncoder: keys,
  encoder: { encode: NEVER_WRITTEN, decode: (bytes: Buffer) => decode(bytes) },
});

/**
 * The past of read models in the format of releases before the document store, in a directory of its own. Newest states of documents are
 * stored under `<build>.<collection>\0<key>`, earlier ones under the number of the document and the position from which they were valid.
 */
export class EarlierHistory {
  private readonly documents: Database<NewestVersion, string>;
  private readonly versions: Database<StoredVersion, VersionKey>;
  private readonly meta: Database<string, string>;

  private constructor(private readonly environment: Environment) {
    const { root } = environment;
    this.documents = root.openDB<NewestVersion, string>('documents', options(keyEncoder, decodeNewest));
    this.versions = root.openDB<StoredVersion, VersionKey>('versions', options(versionKeyEncoder, decodeVersion));
    this.meta = root.openDB<string, string>('meta', { encoding: 'string' });
  }

  /** @throws EnvironmentError, file system errors */
  static open(path: string, report: (message: string) => void): EarlierHistory {
    const options = { path, durability: 'replayable', maxDbs: DATABASES, format: FORMAT, report } as const;
    returnToLastFlush(path, report);
    return openStoreIn(options, (environment) => new EarlierHistory(environment));
  }

  /** Returns `undefined` if none was stored. @throws Damaged */
  get log(): LogRow | undefined {
    return this.row<LogRow>('log');
  }

  /** Builds of a projection that can be shown, oldest first. @throws Damaged */
  builds(projection: string): readonly EarlierBuild[] {
    const row = this.row<ProjectionRow>(`projection/${projection}`);
    return row ? buildsOf(row, this.row<FrontRow>('front')) : [];
  }

  /** All versions of all documents of a build, grouped by document, oldest first. @throws Damaged */
  *changes(build: EarlierBuild): Generator<Change> {
    try {
      yield* this.allChanges(build);
    } catch (cause) {
      throw cause instanceof Damaged ? cause : new Damaged('the earlier history', { cause });
    }
  }

  private *allChanges({ build }: EarlierBuild): Generator<Change> {
    const prefix = `${build.toString(36)}.`;
    for (const name of this.names(prefix)) {
      const separator = name.indexOf('\0');
      const [collection, key] = [name.slice(prefix.length, separator), name.slice(separator + 1)];
      for (const { at, text } of this.texts(name)) {
        const position = BigInt(at);
        if (text) yield { kind: 'put', position, collection, key, value: text.toString() };
        else yield { kind: 'delete', position, collection, key };
      }
    }
  }

  close(): Promise<void> {
    return this.environment.close();
  }

  /** The end lies behind all names with the prefix, because a slash sorts after its dot. */
  private *names(prefix: string): Generator<string> {
    const end = `${prefix.slice(0, -1)}/`;
    for (let after: string | undefined = prefix; after !== undefined; ) {
      const range: RangeOptions = { start: after, exclusiveStart: true, end, limit: KEYS_AT_ONCE };
      const names: readonly string[] = [...this.documents.getKeys(range)];
      yield* names;
      after = names.at(-1);
    }
  }

  private *texts(name: string): Generator<Readonly<{ at: number; text: Buffer | null }>> {
    const newest = this.documents.get(name);
    if (!newest) throw new Damaged('a document of the earlier history');
    let run: { at: number; version: StoredVersion }[] = [];
    for (const one of this.earlier(newest.number)) {
      run.push(one);
      if (one.version.kind === 'delta') continue;
      yield* textsOf(run, null, newest.position);
      run = [];
    }
    yield* textsOf(run, newest.text, newest.position);
    yield { at: newest.position, text: newest.text };
  }

  private *earlier(number: number): Generator<Readonly<{ at: number; version: StoredVersion }>> {
    for (let from: number | undefined = 0; from !== undefined; ) {
      const range = { start: [number, from] as VersionKey, end: [number + 1, 0] as VersionKey, limit: VERSIONS_AT_ONCE };
      const found: readonly Readonly<{ at: number; version: StoredVersion }>[] = [
        ...this.versions.getRange(range).map(({ key: [, at], value }) => ({ at, version: value })),
      ];
      yield* found;
      const last = found.at(-1);
      from = found.length < VERSIONS_AT_ONCE || !last ? undefined : last.at + 1;
    }
  }

  private row<Row extends object>(key: string): Row | undefined {
    const stored = this.meta.get(key);
    if (stored === undefined) return undefined;
    const text = checkedText(key, stored);
    if (text === undefined) throw new Damaged(`the row ${key} of the earlier history`);
    return JSON.parse(text);
  }
}

/**
 * Texts of consecutive versions, each decoded with the one after it.
 * @param after text of the version after them @param end omit versions from this position on: the same event replaced them
 */
const textsOf = (
  run: readonly Readonly<{ at: number; version: StoredVersion }>[],
  after: Buffer | null,
  end: number,
): readonly Readonly<{ at: number; text: Buffer | null }>[] => {
  let next = after;
  const texts = run.toReversed().map(({ at, version }) => {
    next = textOf(version, next);
    return { at, text: next };
  });
  return texts.reverse().filter(({ at }) => at < end);
};
