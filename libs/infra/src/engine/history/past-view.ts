import { isKey } from '#infra/stores/read-store/keys.js';
import { rangeOptions } from '#infra/stores/read-store/lmdb/documents.js';
import { type KeyRange, ReadStoreUnavailable, type ReadView, type StoredDocument } from '#projections/shared/read-store.js';
import { collectionOf, type HistoryFiles, nameOf } from './files.js';
import { DamagedHistory, type DocumentRecord, MAX_NUMBER, restored } from './records.js';
import { countedAt, LEVELS, wasEmpty } from './span.js';
import { isBefore, SpanIndex } from './span-index.js';

/** So many documents in a row that were not there are looked at one by one, before whole spans are passed over. */
const FEW = 4;
/** Spans to read before another index look-up is tried. */
const PAUSE = 60;
/** Wide spans behind narrow ones are found in a second round. */
const ROUNDS = 3;

/** Greater than every position. */
export const NEWEST = Number.MAX_SAFE_INTEGER;

const lowerOf = ({ gte, gt }: KeyRange): KeyRange => ({ ...(gte !== undefined && { gte }), ...(gt !== undefined && { gt }) });
const upperOf = ({ lte, lt }: KeyRange): KeyRange => ({ ...(lte !== undefined && { lte }), ...(lt !== undefined && { lt }) });

/** Whether nothing of a range is left from a key on, in its direction. */
const isOutside = (key: string, { gte, gt, lte, lt, reverse }: KeyRange): boolean => {
  if (reverse) return !isBefore(gte ?? gt ?? '', key);
  const upper = lte ?? lt;
  return upper !== undefined && isBefore(upper, key);
};

/** `none`: the document was not there. */
type Visit = (name: string, record: DocumentRecord) => 'none' | 'go on' | 'end';

type Entry = Readonly<{ key: string; value: DocumentRecord }>;

/** Documents as they were at a position, or are now. Each call sees one state of the store; nothing waits for the writer. */
export class PastView implements ReadView {
  private readonly index: SpanIndex;

  /**
   * @param build under which the projection is recorded; undefined: nothing is. Called in the same turn as the reads that follow.
   */
  constructor(
    private readonly files: HistoryFiles,
    private readonly build: () => number | undefined,
    private readonly position: number,
  ) {
    this.index = new SpanIndex(files);
  }

  async get(collection: string, key: string): Promise<Buffer | null> {
    return this.read(collection, (name) => this.document(name, key), null);
  }

  async getMany(collection: string, keys: readonly string[]): Promise<readonly (Buffer | null)[]> {
    const found = this.read(collection, (name) => keys.map((key) => this.document(name, key)), null);
    return found ?? keys.map(() => null);
  }

  async range(collection: string, range: KeyRange): Promise<readonly StoredDocument[]> {
    return this.read(collection, (name) => this.documents(name, range), []);
  }

  async ranges(collection: string, ranges: readonly KeyRange[]): Promise<readonly (readonly StoredDocument[])[]> {
    const found = this.read(collection, (name) => ranges.map((range) => this.documents(name, range)), null);
    return found ?? ranges.map(() => []);
  }

  async count(collection: string, range: KeyRange): Promise<number> {
    return this.read(collection, (name) => this.counted(name, range), 0);
  }

  private read<Found, Nothing>(collection: string, read: (name: string) => Found, nothing: Nothing): Found | Nothing {
    try {
      return this.files.reading(this.position, () => {
        const build = this.build();
        return build === undefined ? nothing : read(collectionOf(build, collection));
      });
    } catch (error) {
      if (error instanceof ReadStoreUnavailable) throw error;
      if (error instanceof DamagedHistory) this.files.distrust();
      throw new ReadStoreUnavailable('the history cannot be read', { cause: error });
    }
  }

  private document(collection: string, key: string): Buffer | null {
    if (!isKey(key)) return null;
    const record = this.files.record(nameOf(collection, key), this.position);
    return record ? this.textOf(nameOf(collection, key), record) : null;
  }

  private documents(collection: string, range: KeyRange): readonly StoredDocument[] {
    const { offset = 0, limit = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = range;
    const found: StoredDocument[] = [];
    if (limit <= 0) return found;
    let [passed, bytes] = [0, 0];
    this.walk(collection, range, (name, record) => {
      if (passed < offset) {
        if (!this.wasThere(record)) return 'none';
        passed++;
        return 'go on';
      }
      const value = this.textOf(name, record);
      if (!value) return 'none';
      found.push({ key: name.slice(collection.length + 1), value });
      bytes += value.length;
      return found.length >= limit || bytes >= maxBytes ? 'end' : 'go on';
    });
    return found;
  }

  /** Visits the records of a range in its order. After some in a row that were not there it passes over whole spans of such. */
  private walk(collection: string, range: KeyRange, visit: Visit): void {
    let rest: KeyRange | 'nothing' = range;
    while (rest !== 'nothing') rest = this.visitSome(collection, rest, visit);
  }

  /** Returns what is left behind the first span that was empty. */
  private visitSome(collection: string, range: KeyRange, visit: Visit): KeyRange | 'nothing' {
    let absent = 0;
    for (const { key: name, value } of this.entries(collection, range)) {
      const seen = visit(name, value);
      if (seen === 'end') return 'nothing';
      absent = seen === 'none' ? absent + 1 : 0;
      if (absent < FEW) continue;
      const rest = this.beyondEmpty(collection, name.slice(collection.length + 1), range);
      if (rest) return rest;
      absent = -PAUSE;
    }
    return 'nothing';
  }

  private entries(collection: string, range: KeyRange): Iterable<Entry> {
    return this.files.documents.getRange(rangeOptions(collection, range, undefined));
  }

  /** What is left of a range behind the spans from the key on that were empty. Undefined: that of the key was not. */
  private beyondEmpty(collection: string, key: string, range: KeyRange): KeyRange | 'nothing' | undefined {
    let at = key;
    for (let round = 0; round < ROUNDS; round++) {
      const before = at;
      for (let level = LEVELS; level > 0; level--) {
        const reached = this.passEmpty(level, collection, at, range, at !== key);
        if (reached === null) return 'nothing';
        at = reached;
      }
      if (at === before) break;
    }
    if (at === key) return undefined;
    return range.reverse ? { reverse: true, ...lowerOf(range), lt: at } : { ...upperOf(range), gte: at };
  }

  /** How far the empty spans of a level go; null: to the end of the range. The key itself: that of the key is not empty. */
  private passEmpty(level: number, collection: string, key: string, range: KeyRange, isPassed: boolean): string | null {
    const { reverse = false } = range;
    let reached: string | undefined;
    for (const { begin, span } of this.index.from(level, collection, key, reverse, isPassed)) {
      if (!wasEmpty(span, this.position)) return (reverse || reached === undefined ? reached : begin) ?? key;
      reached = begin;
      if (isOutside(begin, range)) return null;
    }
    return reached === undefined ? key : null;
  }

  private counted(collection: string, range: KeyRange): number {
    const bounds = { ...lowerOf(range), ...upperOf(range) };
    this.files.readAsOf(-1); // no texts
    let count = 0;
    let rest: KeyRange | undefined = bounds;
    while (rest) {
      let next: KeyRange | undefined;
      for (const { key: name, value } of this.entries(collection, rest)) {
        const key = name.slice(collection.length + 1);
        const whole = value.level > 0 ? this.countedSpan(collection, key, value.level, bounds) : undefined;
        if (whole) {
          count += whole.count;
          next = whole.rest;
          break;
        }
        if (this.wasThere(value)) count++;
      }
      rest = next;
    }
    return count;
  }

  /** The number of a whole span that begins with the key and ends in the range, and what is left of the range. */
  private countedSpan(
    collection: string,
    key: string,
    levels: number,
    bounds: KeyRange,
  ): Readonly<{ count: number; rest: KeyRange | undefined }> | undefined {
    for (let level = levels; level > 0; level--) {
      const count = countedAt(this.index.at(level, collection, key).span, this.position);
      if (count === undefined) continue;
      const after = this.index.after(level, collection, key);
      if (after === undefined ? (bounds.lt ?? bounds.lte) !== undefined : this.isBeyond(collection, after, bounds)) continue;
      return { count, rest: after === undefined ? undefined : { ...upperOf(bounds), gte: after } };
    }
    return undefined;
  }

  /** Whether there may be keys before this one that lie behind the upper bound of a range. */
  private isBeyond(collection: string, key: string, { lt, lte }: KeyRange): boolean {
    const bound = lte ?? lt;
    return bound !== undefined && Buffer.compare(Buffer.from(nameOf(collection, key)), Buffer.from(nameOf(collection, bound))) > 0;
  }

  private wasThere(record: DocumentRecord): boolean {
    const { position } = this;
    if (position < record.birth) return false;
    if (position >= record.since) return record.isAlive;
    return this.versionAt(record)?.kind !== 'gone';
  }

  private versionAt({ number }: DocumentRecord) {
    const { position } = this;
    const [found] = this.files.versions.getRange({
      start: [number, Math.min(position, MAX_NUMBER)],
      end: [number, 0],
      inclusiveEnd: true,
      reverse: true,
      limit: 1,
    });
    if (!found) throw new DamagedHistory('a version of a document is missing');
    return { ...found.value, at: found.key[1] };
  }

  private textOf(name: string, record: DocumentRecord): Buffer | null {
    if (this.position < record.birth) return null;
    if (this.position >= record.last) return record.isAlive ? record.text : null;
    const version = this.versionAt(record);
    if (version.kind === 'gone') return null;
    if (version.kind === 'whole') return version.body;
    return this.restore(name, record, version.at, version.body);
  }

  /** By the versions after it, up to one that is whole, or the newest state. */
  private restore(name: string, { number }: DocumentRecord, at: number, delta: Buffer): Buffer {
    const deltas = [delta];
    const later = this.files.versions.getRange({ start: [number, at], exclusiveStart: true, end: [number, MAX_NUMBER] });
    let base: Buffer | undefined;
    for (const { value } of later) {
      if (value.kind === 'gone') throw new DamagedHistory('a version without the one after it');
      if (value.kind === 'whole') {
        base = value.body;
        break;
      }
      deltas.push(value.body);
    }
    base ??= this.newest(name);
    return deltas.reduceRight(restored, base);
  }

  private newest(name: string): Buffer {
    const record = this.files.record(name, NEWEST);
    this.files.readAsOf(this.position);
    if (!record?.isAlive) throw new DamagedHistory('a version without the one after it');
    return record.text;
  }
}
