import type { Position } from '#domain/shared/events.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { KeyRange, ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { type Build, bufferOf } from '../build.js';
import type { WantedDocument } from '../texts/record.js';

/** Number of documents in the first read; each further read doubles it. */
const FIRST = 32;
const MOST = 1_024;

/** Documents that were passed: their number, the last key that was looked at, and whether the range has ended. */
export type Passed = Readonly<{ count: number; last: string | undefined; isEnd: boolean }>;

/** Selects the documents of a build that a view shows. All calls are synchronous; they throw file system errors and Damaged. */
export interface DocumentLookup {
  /** The shown version. */
  find(collection: string, key: string): WantedDocument | undefined;
  /** The shown versions, in the order of the range, from its offset on. The caller applies the limit. */
  within(collection: string, range: KeyRange): Iterable<Readonly<{ key: string; wanted: WantedDocument }>>;
  /** Present if documents need not be looked at one by one. */
  count?(collection: string, range: KeyRange): number;
  /** Passes shown documents at the beginning of the range, whose offset is ignored: `most` at most, and as many as one turn allows. */
  pass(collection: string, range: KeyRange, most: number): Passed;
}

/** Source of the reads of one call. */
type Shows = Readonly<{ build: Build; shown: DocumentLookup }>;

/** Runs a read in one turn of the event loop, so that it sees one state. `nothing`: the result if no build is served. */
export type Reading = <Result>(read: (shows: Shows) => Result, nothing: Result) => Promise<Result>;

const NOTHING: Passed = { count: 0, last: undefined, isEnd: true };

/** The range behind one of its keys. */
const behind = (range: KeyRange, key: string): KeyRange => {
  const { gt: _, gte: __, ...upper } = range;
  const { lt: ___, lte: ____, ...lower } = range;
  return range.reverse ? { ...lower, lt: key } : { ...upper, gt: key };
};

/**
 * Documents of a build, current or as of a position. What is shown as of a position does not change, so documents that are counted or passed there, which are
 * looked at one by one, are divided among turns of the event loop.
 */
export class DocumentView implements ReadView {
  constructor(
    private readonly reading: Reading,
    readonly asOf?: Position,
  ) {}

  get(collection: string, key: string): Promise<Buffer | null> {
    return this.reading(({ build, shown }) => {
      const wanted = shown.find(collection, key);
      return wanted ? bufferOf(build.text(wanted).text) : null;
    }, null);
  }

  getMany(collection: string, keys: readonly string[]): Promise<readonly (Buffer | null)[]> {
    return this.reading<readonly (Buffer | null)[]>(
      ({ build, shown }) => {
        const wanted = keys.map((key) => shown.find(collection, key));
        const texts = build.texts(wanted.filter((one) => one !== undefined))[Symbol.iterator]();
        return wanted.map((one) => (one ? (texts.next().value ?? null) : null));
      },
      keys.map(() => null),
    );
  }

  lengths(collection: string, keys: readonly string[]): Promise<readonly (number | null)[]> {
    return this.reading<readonly (number | null)[]>(
      ({ build, shown }) =>
        keys.map((key) => {
          const wanted = shown.find(collection, key);
          return wanted ? build.length(wanted) : null;
        }),
      keys.map(() => null),
    );
  }

  async range(collection: string, range: KeyRange): Promise<readonly StoredDocument[]> {
    const { offset = 0, ...whole } = range;
    const wanted = this.asOf === undefined || offset === 0 ? range : (await this.passed(collection, whole, offset)).rest;
    return this.reading<readonly StoredDocument[]>((shows) => documentsIn(shows, collection, wanted), []);
  }

  ranges(collection: string, ranges: readonly KeyRange[]): Promise<readonly (readonly StoredDocument[])[]> {
    return this.reading<readonly (readonly StoredDocument[])[]>(
      (shows) => ranges.map((range) => documentsIn(shows, collection, range)),
      ranges.map(() => []),
    );
  }

  async count(collection: string, range: KeyRange): Promise<number> {
    const counted = await this.reading(({ shown }) => shown.count?.(collection, range), 0);
    return counted ?? (await this.passed(collection, { ...range, reverse: false }, Number.POSITIVE_INFINITY)).count;
  }

  /** Passes documents at the beginning of a range, `most` at most. `rest`: the range behind them. */
  private async passed(collection: string, range: KeyRange, most: number): Promise<Readonly<{ count: number; rest: KeyRange }>> {
    const slice = new TimeSlice();
    for (let [count, rest] = [0, range]; ; ) {
      const passed = await this.reading(({ shown }) => shown.pass(collection, rest, most - count), NOTHING);
      count += passed.count;
      if (passed.last !== undefined) rest = behind(range, passed.last);
      if (passed.isEnd || count === most) return { count, rest };
      await slice.next();
    }
  }
}

const documentsIn = ({ build, shown }: Shows, collection: string, range: KeyRange): readonly StoredDocument[] => {
  const { limit = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = range;
  const documents: StoredDocument[] = [];
  if (limit <= 0) return documents;
  let bytes = 0;
  let size = FIRST;
  let part: { key: string; wanted: WantedDocument }[] = [];
  const isDone = (): boolean => documents.length >= limit || bytes >= maxBytes;
  const read = (): void => {
    const texts = build.texts(part.map(({ wanted }) => wanted));
    for (const [index, { key }] of part.entries()) {
      const value = texts[index] as Buffer;
      documents.push({ key, value });
      bytes += value.length;
      if (isDone()) return;
    }
    part = [];
    size = Math.min(MOST, size * 2);
  };
  for (const found of shown.within(collection, range)) {
    part.push(found);
    if (documents.length + part.length < limit && part.length < size) continue;
    read();
    if (isDone()) return documents;
  }
  read();
  return documents;
};
