import { getOrInsert } from '#domain/shared/get-or-insert.js';
import type { Change } from '#projections/shared/read-store.js';
import { type Build, bufferOf, nameOf } from './build.js';
import { deltaOf } from './delta.js';
import { type DocumentIndex, namesWith, prefixLength } from './document-index.js';
import { wellFormed } from './layer.js';
import { type DocumentVersion, type Entry, encodeRecord, encodeRun, entryOf, lengthOf, numberOf, VERSION_BYTES } from './record.js';
import type { CachedText } from './text-cache.js';
import { jumpsOf, trailAfter } from './version-chain.js';

/** Shorter texts are stored whole. */
const SHORTEST = 256;
/** Maximum length of a delta, relative to its text. */
const DELTA_PART = 1 / 4;
/** Consecutive deltas that may follow a whole text of any length, and at most. Together they may not be longer than the text. */
const [FEW_DELTAS, MOST_DELTAS] = [8, 255];
/** A longer text may have one delta for each of so many characters: reading a delta costs about as much as reading these. */
const DELTA_STRIDE = 256;
/** The caller may pause after this many changes or versions. */
const STEP = 64;
/** The texts of larger commits are not cached. */
const MOST_REMEMBERED = 1_000;
/** Maximum size of a record with several versions: reading one version reads the whole record. */
const RUN_BYTES = 2 ** 14;

/** Content of a document after a commit, at a position; null: the document is removed. */
type Outcome = { readonly position: number; text: string | null };

/** Changes that a commit makes to one document. */
type Changed = {
  readonly collection: string;
  readonly key: string;
  /** Collection and key. */
  readonly name: string;
  /** By ascending position. If no past is kept, only the newest. */
  readonly outcomes: Outcome[];
  /** Entry of the key's newest record: from the build if it was looked up, then from this commit. */
  entry: Entry | undefined;
  isStaged: boolean;
  /** Text of that record, if it is in memory. */
  text: CachedText | undefined;
};
const NEVER: Pick<Entry, 'isAlive' | 'last' | 'since'> = { isAlive: false, last: 0, since: 0 };

/** A text, and its bytes if they were needed. */
type Known = Pick<CachedText, 'text' | 'deltas' | 'deltaBytes'> & Readonly<{ bytes?: Buffer }>;

/** A version to be stored. */
type Staged = DocumentVersion<Buffer | string> & Known;

/** Turns the changes of one commit into records, without changing the build. */
export class Staging {
  readonly records: Buffer[] = [];
  /** Documents, bytes and versions that the records add to the build. */
  documents = 0;
  bytes = 0;
  versions = 0;
  private readonly changed = new Map<string, Map<string, Changed>>();

  constructor(
    private readonly build: Build,
    private readonly index: DocumentIndex,
    private readonly changes: readonly Change[],
    /** Position of changes that name none. */
    private readonly position: number,
  ) {}

  /** Yields where the caller may pause, provided nothing else changes the build. @param next offset of the first record */
  *steps(next: number): Generator<void> {
    let [step, offset] = [0, next];
    for (const _ of this.noteAll()) if (++step % STEP === 0) yield;
    for (const keys of this.changed.values())
      for (const one of keys.values())
        for (const length of this.stage(one, () => offset)) {
          offset += length;
          if (++step % STEP === 0) yield;
        }
  }

  /** Adds the records to the build, at the offsets planned. */
  apply(): void {
    const { build } = this;
    for (const keys of this.changed.values())
      for (const { collection, key, name, entry, text, isStaged } of keys.values()) {
        if (!entry || !isStaged) continue;
        const before = build.layer.get(collection, key);
        if (before) build.gathered.replace(name, before);
        build.layer.set(collection, key, entry);
        if (text && this.records.length <= MOST_REMEMBERED) build.remember(name, text);
      }
  }

  /** Groups the changes by document. Yields after each. */
  private *noteAll(): Generator<void> {
    for (const change of this.changes) {
      const { kind, collection } = change;
      const position = this.positionOf(change);
      if (kind === 'delete-prefix')
        for (const key of this.keysWith(collection, wellFormed(change.prefix))) {
          this.remove(collection, key, position);
          yield;
        }
      else if (kind === 'put') this.note(collection, wellFormed(change.key), position, change.value);
      else this.remove(collection, wellFormed(change.key), position);
      yield;
    }
  }

  private positionOf({ position }: Change): number {
    return position === undefined ? this.position : numberOf(position);
  }

  private remove(collection: string, key: string, position: number): void {
    const noted = this.changed.get(collection)?.get(key)?.outcomes.at(-1);
    const current = noted ? undefined : this.build.live(collection, key);
    if (noted ? noted.text !== null : current) this.note(collection, key, position, null, current);
  }

  private note(collection: string, key: string, position: number, text: string | null, entry?: Entry): void {
    const keys = getOrInsert(this.changed, collection, () => new Map());
    const one = keys.get(key);
    const before = one?.outcomes.at(-1);
    const name = nameOf(collection, key);
    if (!one) keys.set(key, { collection, key, name, outcomes: [{ position, text }], entry, text: undefined, isStaged: false });
    else if (before && (before.position >= position || !this.build.keepsPast)) before.text = text;
    else one.outcomes.push({ position, text });
  }

  /** Keys of documents that exist or may exist. */
  private *keysWith(collection: string, prefix: string): Generator<string> {
    for (const key of [...(this.changed.get(collection)?.keys() ?? [])]) if (key.startsWith(prefix)) yield key;
    yield* this.build.layer.keysWith(collection, prefix);
    const { number } = this.build.file;
    const start = prefixLength(number, collection);
    for (const name of [...this.index.keys(namesWith(number, nameOf(collection, prefix)))]) yield name.slice(start);
  }

  /** Makes the records of one document. Yields, after each version, the size of the record that it completes. */
  private *stage(one: Changed, next: () => number): Generator<number> {
    one.entry ??= this.build.entry(one.collection, one.key);
    one.text = one.entry && this.build.cached(one.name, one.entry);
    let { isAlive, last, since } = one.entry ?? NEVER;
    let before: Known | undefined = isAlive ? this.textBefore(one) : undefined;
    let run: Staged[] = [];
    let bytes = 0;
    for (const { position, text } of one.outcomes) {
      if (text === null && !isAlive) continue; // created and removed at the same position
      last = Math.max(last, position);
      if (isAlive !== (text !== null)) since = last;
      isAlive = text !== null;
      const version = this.version(last, text, before);
      before = isAlive ? version : undefined;
      run.push(version);
      bytes += VERSION_BYTES + version.body.length;
      if (bytes < RUN_BYTES) yield 0;
      else {
        yield this.record(one, run, since, next());
        run = [];
        bytes = 0;
      }
    }
    if (run.length > 0) yield this.record(one, run, since, next());
  }

  /** Text that the first version can be a delta against. It is read only if a delta is possible. */
  private textBefore({ name, entry, text, outcomes: [first] }: Changed): CachedText | undefined {
    const isWanted = entry && this.build.keepsPast && (first?.text?.length ?? 0) >= SHORTEST;
    return isWanted ? (text ?? this.build.text({ name, place: entry })) : undefined;
  }

  private version(position: number, text: string | null, before: Known | undefined): Staged {
    if (text === null) return { position, kind: 'gone', body: '', text: '', deltas: 0, deltaBytes: 0 };
    const whole: Staged = { position, kind: 'whole', body: text, text, deltas: 0, deltaBytes: 0 };
    if (!this.build.keepsPast || !before || text.length < SHORTEST || before.deltas >= mostDeltas(text)) return whole;
    const bytes = Buffer.from(text);
    const body = deltaOf(before.bytes ?? bufferOf(before.text), bytes);
    const deltaBytes = before.deltaBytes + body.length;
    if (body.length > bytes.length * DELTA_PART || deltaBytes > bytes.length) return { ...whole, body: bytes, bytes };
    return { position, kind: 'delta', body, text, bytes, deltas: before.deltas + 1, deltaBytes };
  }

  /** Returns the length of the record. */
  private record(one: Changed, run: readonly Staged[], since: number, offset: number): number {
    const [oldest, newest] = [run[0], run.at(-1)] as [Staged, Staged];
    const { position, kind, deltas, deltaBytes } = newest;
    const isRun = run.length > 1;
    const record = { kind, name: one.name, isRun, deltas, deltaBytes, position, since, ...this.pastOf(oldest.position, one) };
    const bytes = encodeRecord(record, isRun ? encodeRun(run) : newest.body);
    if (one.entry) this.count(one.entry, -1);
    one.entry = entryOf(record, offset, bytes.length);
    const text = keptText(newest, bytes);
    one.text = kind === 'gone' ? undefined : { offset, text, deltas, deltaBytes, trail: trailAfter(one.text?.trail, one.entry) };
    one.isStaged = true;
    this.count(one.entry, 1);
    this.versions += run.length;
    this.records.push(bytes);
    this.build.gathered.hold(offset, bytes);
    return bytes.length;
  }

  private count({ isAlive, length }: Entry, times: 1 | -1): void {
    if (!isAlive) return;
    this.documents += times;
    this.bytes += times * length;
  }

  /** Links of a record to earlier records. @param first position of its oldest version */
  private pastOf(first: number, { name, entry, text }: Changed) {
    if (!entry || !this.build.keepsPast) return { birth: first, number: 0, before: undefined, jumps: [] };
    return { birth: entry.birth, number: entry.number + 1, before: entry, jumps: jumpsOf(this.build, name, entry, text?.trail) };
  }
}

const mostDeltas = ({ length }: string): number => Math.min(MOST_DELTAS, Math.max(FEW_DELTAS, Math.floor(length / DELTA_STRIDE)));

/** The text to cache; for a whole text, its bytes at the end of the record. */
const keptText = ({ kind, text, bytes }: Staged, record: Buffer): Buffer | string => {
  const kept = bytes ?? text;
  return kind === 'whole' && kept.length >= SHORTEST ? record.subarray(record.length - lengthOf(kept)) : kept;
};
