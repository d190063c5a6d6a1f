import { getOrInsert } from '#domain/shared/get-or-insert.js';
import type { Change } from '#projections/shared/read-store.js';
import { type Build, nameOf } from './build.js';
import { type Delta, deltaOf } from './delta.js';
import { type DocumentIndex, namesWith, prefixLength } from './document-index.js';
import { wellFormed } from './layer.js';
import { bodyOf, type Entry, encodeRecord, entryOf, numberOf } from './record.js';
import type { CachedText } from './text-cache.js';
import { jumpsOf } from './version-chain.js';

/** Shorter texts are stored whole. */
const SHORTEST = 256;
/** A delta is not longer than this part of its text. */
const DELTA_PART = 1 / 4;
/** So many deltas in a row at most are between a text and a whole one, and not more bytes of them than it has. */
const MOST_DELTAS = 8;
/** The caller may pause after so many documents. */
const STEP = 64;
/** Texts of larger commits are not kept in memory. */
const MOST_REMEMBERED = 1_000;

/** What a commit makes of a key at a position. */
type Outcome = {
  readonly collection: string;
  readonly key: string;
  readonly position: number;
  /** null: it is removed. */
  text: string | null;
  /** What the same commit makes of the key at an earlier position. */
  readonly before: Outcome | undefined;
  /** What the build has of the key, if that was looked up. */
  readonly current: Entry | undefined;
  /** Of the record that is to be appended. */
  entry?: Entry;
  cached?: CachedText;
};

type Body = Readonly<{ kind: 'whole' | 'delta' | 'gone'; body: Buffer | string; deltas: number; deltaBytes: number }>;
const GONE: Body = { kind: 'gone', body: '', deltas: 0, deltaBytes: 0 };

/** The newest outcome of a key that is recorded: a document that is made and removed at one position is not. */
const recorded = (newest: Outcome): Outcome | undefined => {
  let outcome: Outcome | undefined = newest;
  while (outcome && !outcome.entry) outcome = outcome.before;
  return outcome;
};

/** Turns the changes of one commit into records, without changing anything. */
export class Staging {
  readonly records: Buffer[] = [];
  /** How many documents, and bytes of them, the build has more with the records. */
  documents = 0;
  bytes = 0;
  private readonly outcomes: Outcome[] = [];
  private readonly newest = new Map<string, Map<string, Outcome>>();

  constructor(
    private readonly build: Build,
    private readonly index: DocumentIndex,
    private readonly changes: readonly Change[],
    /** Of changes that name none. */
    private readonly position: number,
  ) {}

  /** Yields where the caller may pause, as long as nothing else changes the build. @param next where the first record is going to lie */
  *steps(next: number): Generator<void> {
    let step = 0;
    for (const change of this.changes) {
      if (change.kind === 'delete-prefix') {
        const { collection, prefix } = change;
        for (const key of this.keysWith(collection, wellFormed(prefix))) {
          this.remove(collection, key, this.positionOf(change));
          if (++step % STEP === 0) yield;
        }
      } else this.take(change);
      if (++step % STEP === 0) yield;
    }
    let offset = next;
    for (const outcome of this.outcomes) {
      offset += this.stage(outcome, offset);
      if (++step % STEP === 0) yield;
    }
  }

  /** Adds the records to the build. They lie where they were to. */
  apply(): void {
    const { build } = this;
    for (const [collection, outcomes] of this.newest)
      for (const [key, outcome] of outcomes) {
        const { entry, cached } = recorded(outcome) ?? {};
        if (!entry) continue;
        const before = build.layer.get(collection, key);
        if (before) build.gathered.replace(nameOf(collection, key), before);
        build.layer.set(collection, key, entry);
        if (cached && this.records.length <= MOST_REMEMBERED) build.remember(entry.offset, cached);
      }
  }

  private take(change: Exclude<Change, { kind: 'delete-prefix' }>): void {
    const { collection } = change;
    const key = wellFormed(change.key);
    if (change.kind === 'put') this.note(collection, key, this.positionOf(change), change.value);
    else this.remove(collection, key, this.positionOf(change));
  }

  private positionOf({ position }: Change): number {
    return position === undefined ? this.position : numberOf(position);
  }

  private remove(collection: string, key: string, position: number): void {
    const noted = this.newest.get(collection)?.get(key);
    const current = noted ? undefined : this.build.live(collection, key);
    if (noted ? noted.text !== null : current) this.note(collection, key, position, null, current);
  }

  private note(collection: string, key: string, position: number, text: string | null, current?: Entry): void {
    const keys = getOrInsert(this.newest, collection, () => new Map());
    const before = keys.get(key);
    if (before && (before.position >= position || !this.build.keepsPast)) {
      before.text = text;
      return;
    }
    const outcome: Outcome = { collection, key, position, text, before, current };
    keys.set(key, outcome);
    this.outcomes.push(outcome);
  }

  /** Keys of documents that are there, or may be. */
  private *keysWith(collection: string, prefix: string): Generator<string> {
    for (const key of [...(this.newest.get(collection)?.keys() ?? [])]) if (key.startsWith(prefix)) yield key;
    yield* this.build.layer.keysWith(collection, prefix);
    const { number } = this.build.file;
    const start = prefixLength(number, collection);
    for (const name of [...this.index.keys(namesWith(number, nameOf(collection, prefix)))]) yield name.slice(start);
  }

  /** Returns the length of the record. */
  private stage(outcome: Outcome, offset: number): number {
    const { collection, key, text, before } = outcome;
    const name = nameOf(collection, key);
    const current = before?.entry ?? outcome.current ?? this.build.entry(collection, key);
    if (text === null && !current?.isAlive) return 0;
    const position = Math.max(outcome.position, current?.last ?? 0);
    const { kind, body, deltas, deltaBytes } = text === null ? GONE : this.body(name, text, current, before?.cached);
    const record = { kind, name, deltas, deltaBytes, position, ...this.pastOf(name, position, text !== null, current) };
    const bytes = encodeRecord(record, body);
    outcome.entry = entryOf(record, offset, bytes.length);
    if (kind === 'whole') outcome.cached = { text: bodyOf(bytes), deltas, deltaBytes };
    else if (kind === 'delta') outcome.cached = { text: Buffer.from(text ?? ''), deltas, deltaBytes };
    this.records.push(bytes);
    this.build.gathered.hold(offset, bytes);
    this.count(outcome.entry, 1);
    if (current) this.count(current, -1);
    return bytes.length;
  }

  private count({ isAlive, length }: Entry, times: 1 | -1): void {
    if (!isAlive) return;
    this.documents += times;
    this.bytes += times * length;
  }

  /** What a record at a position says of those before it. */
  private pastOf(name: string, position: number, isAlive: boolean, current: Entry | undefined) {
    if (!current || !this.build.keepsPast) return { birth: position, since: position, number: 0, before: undefined, jumps: [] };
    const since = isAlive && current.isAlive ? current.since : position;
    return { birth: current.birth, since, number: current.number + 1, before: current, jumps: jumpsOf(this.build, name, current) };
  }

  private body(name: string, value: string, current: Entry | undefined, cached: CachedText | undefined): Body {
    const whole: Body = { kind: 'whole', body: value, deltas: 0, deltaBytes: 0 };
    if (!this.build.keepsPast || !current?.isAlive || value.length < SHORTEST) return whole;
    const base = cached ?? this.build.text({ name, place: current });
    if (base.deltas >= MOST_DELTAS) return whole;
    const text = Buffer.from(value);
    const delta: Delta = deltaOf(base.text, text);
    const deltaBytes = base.deltaBytes + delta.length;
    if (delta.length > text.length * DELTA_PART || deltaBytes > text.length) return whole;
    return { kind: 'delta', body: delta, deltas: base.deltas + 1, deltaBytes };
  }
}
