import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { isLongBound } from '#infra/stores/read-store/keys.js';
import type { Change } from '#projections/shared/read-store.js';
import { type Build, bufferOf, nameOf } from './build.js';
import type { Removal } from './build-state.js';
import { type DocumentIndex, namesWith, prefixLength } from './document-index.js';
import { wellFormed } from './layer.js';
import { MOST_REMOVED, removalOf } from './removals.js';
import { joined, type Known, keptText, lengthIn, type Outcome, SHORTEST, type Staged, stagedVersion } from './staged-version.js';
import {
  type Chain,
  type DocumentRecord,
  type Entry,
  encodeRecord,
  encodeRun,
  entryOf,
  numberOf,
  textLengthOf,
  VERSION_BYTES,
  versionsBack,
  wholeBytes,
} from './texts/record.js';
import type { CachedText } from './texts/text-cache.js';
import { jumpsOf, trailAfter } from './version-chain.js';

/** The caller may pause after this many changes or versions. */
const STEP = 64;
/** Keys of the index that are read at once. */
const PAGE = 1_000;
/** The texts of larger commits are not cached. */
const MOST_REMEMBERED = 1_000;
/** Maximum size of a record with several versions: reading one version reads the whole record. */
const RUN_BYTES = 2 ** 14;

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
  /** That record of the build, once it was read. */
  record: DocumentRecord | undefined;
};
const NEVER: Pick<Entry, 'isAlive' | 'last' | 'since'> = { isAlive: false, last: 0, since: 0 };

/** Has a removal recorded that an earlier commit has left. No change of a document that was written after it. */
export type Settling = Readonly<{ kind: 'settle'; collection: string; key: string; position?: undefined }>;

/** Turns the changes of one commit into records, without changing the build. */
export class Staging {
  readonly records: Buffer[] = [];
  /** Documents, bytes and versions that the records add to the build. */
  documents = 0;
  bytes = 0;
  versions = 0;
  /** Removals of the build, and those that this commit leaves. */
  removals: readonly Removal[];
  private readonly changed = new Map<string, Map<string, Changed>>();
  /** Number of documents found under prefixes. */
  private found = 0;
  /** Offset of the first record. */
  private first = 0;

  constructor(
    private readonly build: Build,
    private readonly index: DocumentIndex,
    private readonly changes: readonly (Change | Settling)[],
    /** Position of changes that name none. */
    private readonly position: number,
    /** Number of documents removed by prefix; the removal of others is left for later. */
    private readonly mostRemoved = MOST_REMOVED,
  ) {
    this.removals = build.state.removals;
  }

  /** Yields where the caller may pause, provided nothing else changes the build. @param next offset of the first record */
  *steps(next: number): Generator<void> {
    let [step, offset] = [0, next];
    this.first = next;
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
      const position = this.positionOf(change);
      if (change.kind === 'delete-prefix') yield* this.removeUnder(change.collection, wellFormed(change.prefix), position);
      else this.noteOne(change, wellFormed(change.key), position);
      yield;
    }
  }

  private noteOne(change: Exclude<Change | Settling, { kind: 'delete-prefix' }>, key: string, position: number): void {
    const { kind, collection } = change;
    this.settle(collection, key);
    if (kind === 'put') this.note(collection, key, { position, text: change.value, isPiece: false });
    else if (kind === 'append') this.append(collection, key, position, wellFormed(change.piece));
    else if (kind === 'delete') this.remove(collection, key, position);
  }

  /** Yields after each document. */
  private *removeUnder(collection: string, prefix: string, position: number): Generator<void> {
    if (isLongBound(prefix)) return; // no key begins with it, and LMDB cannot look for it
    for (const key of [...(this.changed.get(collection)?.keys() ?? [])])
      if (key.startsWith(prefix)) {
        this.remove(collection, key, position);
        yield;
      }
    for (const key of this.keysWith(collection, prefix)) {
      yield;
      if (this.isChanged(collection, key) || !this.build.live(collection, key)) continue;
      if (++this.found > this.mostRemoved) {
        this.removals = [...this.removals, { collection, prefix, position, end: this.first }];
        return;
      }
      this.settle(collection, key);
      this.remove(collection, key, position);
    }
  }

  /** Records the removal of a document that was left for later. */
  private settle(collection: string, key: string): void {
    if (this.removals.length === 0 || this.isChanged(collection, key)) return;
    const entry = this.build.live(collection, key);
    const removal = entry && removalOf(this.removals, collection, key, entry);
    if (removal) this.remove(collection, key, removal.position);
  }

  private isChanged(collection: string, key: string): boolean {
    return this.changed.get(collection)?.has(key) ?? false;
  }

  private positionOf({ position }: Change | Settling): number {
    return position === undefined ? this.position : numberOf(position);
  }

  private remove(collection: string, key: string, position: number): void {
    const noted = this.changed.get(collection)?.get(key)?.outcomes.at(-1);
    const current = noted ? undefined : this.build.live(collection, key);
    if (noted ? noted.text !== null : current) this.note(collection, key, { position, text: null, isPiece: false }, current);
  }

  private append(collection: string, key: string, position: number, piece: string): void {
    const before = this.changed.get(collection)?.get(key)?.outcomes.at(-1);
    if (!before || !this.isReplaced(before, position)) this.note(collection, key, { position, text: piece, isPiece: true });
    else before.text = before.text === null ? piece : joined(before.text, piece);
  }

  /** Returns whether a later change at the position leaves nothing of the outcome. */
  private isReplaced({ position }: Outcome, next: number): boolean {
    return position >= next || !this.build.keepsPast;
  }

  private note(collection: string, key: string, outcome: Outcome, entry?: Entry): void {
    const keys = getOrInsert(this.changed, collection, () => new Map());
    const one = keys.get(key);
    const before = one?.outcomes.at(-1);
    const name = nameOf(collection, key);
    const unknown = { text: undefined, record: undefined, isStaged: false };
    if (!one) keys.set(key, { collection, key, name, outcomes: [outcome], entry, ...unknown });
    else if (before && this.isReplaced(before, outcome.position)) [before.text, before.isPiece] = [outcome.text, outcome.isPiece];
    else one.outcomes.push(outcome);
  }

  /** Keys of documents of the build that exist or may exist. */
  private *keysWith(collection: string, prefix: string): Generator<string> {
    yield* this.build.layer.keysWith(collection, prefix);
    const { number } = this.build.file;
    const start = prefixLength(number, collection);
    let range = namesWith(number, nameOf(collection, prefix));
    for (let last: string | undefined; ; range = { ...range, start: last, exclusiveStart: true }) {
      const page = [...this.index.keys({ ...range, limit: PAGE })]; // no iterator of LMDB lasts longer than a turn of the event loop
      for (const name of page) yield name.slice(start);
      last = page.at(-1);
      if (page.length < PAGE || last === undefined) return;
    }
  }

  /** Makes the records of one document. Yields, after each version, the size of the record that it completes. */
  private *stage(one: Changed, next: () => number): Generator<number> {
    one.entry ??= this.build.entry(one.collection, one.key);
    one.text = one.entry && this.build.cached(one.name, one.entry);
    let { isAlive, last, since } = one.entry ?? NEVER;
    let before: Known | undefined = isAlive ? this.before(one) : undefined;
    let run: Staged[] = [];
    let bytes = 0;
    for (const outcome of one.outcomes) {
      const { position, text } = outcome;
      if (text === null && !isAlive) continue; // created and removed at the same position
      last = Math.max(last, position);
      if (isAlive !== (text !== null)) since = last;
      isAlive = text !== null;
      const version = stagedVersion(last, outcome, before, this.build.keepsPast);
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

  /** The version to which the first one adds, or can be a delta against. Its text is read only if a delta is possible. */
  private before(one: Changed): Known | undefined {
    const { name, entry, text, outcomes } = one;
    const [first] = outcomes;
    if (!entry || text) return text;
    if (first?.isPiece) return { ...this.newest(one, entry), read: () => bufferOf(this.build.text({ name, place: entry }).text) };
    const isWanted = this.build.keepsPast && (first?.text?.length ?? 0) >= SHORTEST;
    return isWanted ? this.build.text({ name, place: entry }) : undefined;
  }

  /** The newest version in the build. */
  private newest(one: Changed, entry: Entry): Chain {
    if (entry.chain) return entry.chain;
    one.record ??= this.build.record(one.name, entry);
    const { deltas, deltaBytes } = one.record;
    const [version] = versionsBack(one.record);
    return { deltas, deltaBytes, length: version ? textLengthOf(version) : 0 };
  }

  /** Returns the length of the record. */
  private record(one: Changed, run: readonly Staged[], since: number, offset: number): number {
    const [oldest, newest] = [run[0], run.at(-1)] as [Staged, Staged];
    const { position, kind, deltas, deltaBytes } = newest;
    const isRun = run.length > 1;
    const record = { kind, name: one.name, isRun, deltas, deltaBytes, position, since, ...this.linksOf(oldest, one) };
    const bytes = encodeRecord(record, isRun ? encodeRun(run) : newest.body);
    if (one.entry?.isAlive)
      this.count(-1, this.isChain(one.entry) ? wholeBytes(one.name, this.newest(one, one.entry).length) : one.entry.length);
    const chain = 'text' in newest ? undefined : { deltas, deltaBytes, length: newest.length };
    one.entry = chain ? { ...entryOf(record, offset, bytes.length), chain } : entryOf(record, offset, bytes.length);
    const hasText = kind !== 'gone' && 'text' in newest;
    one.text = hasText
      ? { offset, text: keptText(newest, bytes), deltas, deltaBytes, trail: trailAfter(one.text?.trail, one.entry) }
      : undefined;
    one.record = undefined;
    one.isStaged = true;
    if (one.entry.isAlive) this.count(1, this.isChain(one.entry) ? wholeBytes(one.name, lengthIn(newest)) : bytes.length);
    this.versions += run.length;
    this.records.push(bytes);
    this.build.gathered.hold(offset, bytes);
    return bytes.length;
  }

  /** A text of several records counts as compaction would leave it. */
  private isChain({ number }: Entry): boolean {
    return number > 0 && !this.build.keepsPast;
  }

  private count(times: 1 | -1, length: number): void {
    this.documents += times;
    this.bytes += times * length;
  }

  /** Links of a record to earlier records. Without a past there are some only for a piece. */
  private linksOf({ position: first, kind }: Staged, { name, entry, text }: Changed) {
    const { keepsPast } = this.build;
    if (!entry || (!keepsPast && (kind !== 'piece' || !entry.isAlive))) return { birth: first, number: 0, before: undefined, jumps: [] };
    if (!keepsPast) return { birth: first, number: entry.number + 1, before: entry, jumps: [] };
    return { birth: entry.birth, number: entry.number + 1, before: entry, jumps: jumpsOf(this.build, name, entry, text?.trail) };
  }
}
