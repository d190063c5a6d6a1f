import { firstIndex } from '#domain/shared/first-index.js';
import { AuditIndexIncomplete, type IndexFiles } from './index-files.js';
import type { PostingsPart, Segment } from './pieces/segment.js';
import type { Term } from './terms.js';

/** A sorted list of indexes. Both methods return `undefined` if there is none. */
export interface IndexList {
  /** First index at or after `index`. */
  from(index: number): number | undefined;
  /** Last index at or before `index`. */
  upTo(index: number): number | undefined;
}

/** The list of one term, up to the progress of the index. Both methods throw AuditIndexIncomplete. */
export class TermList implements IndexList {
  /** The part found last, in a piece, which never changes. */
  private part: PostingsPart | undefined;
  private readonly salt: string;

  constructor(
    private readonly files: IndexFiles,
    private readonly term: Term,
  ) {
    this.salt = files.salt;
  }

  from(index: number): number | undefined {
    if (this.part && this.part.first <= index && index <= this.part.last) return firstFrom(this.part, index);
    return this.files.reading(() => {
      for (const segment of this.segments()) {
        if (segment.end <= index) continue;
        const [part, next] = segment.parts(this.term, index);
        const found = part && part.last >= index ? part : next;
        if (found) return firstFrom(this.keep(found), index);
      }
      return undefined;
    });
  }

  upTo(index: number): number | undefined {
    if (this.part && this.part.first <= index && index <= this.part.last) return lastUpTo(this.part, index);
    return this.files.reading(() => {
      for (const segment of this.segments().toReversed()) {
        const [part] = segment.from <= index ? segment.parts(this.term, index) : [];
        if (part) return lastUpTo(this.keep(part), index);
      }
      return undefined;
    });
  }

  /** Number of indexes. @param end only those before it */
  count(end = Number.POSITIVE_INFINITY): number {
    return this.files.reading(() => {
      let count = 0;
      for (const segment of this.segments()) {
        if (segment.from >= end) break;
        const [last] = segment.parts(this.term, end);
        if (last) count += last.before + (last.last < end ? last.count : placeFrom(last.indexes(), end));
      }
      return count;
    });
  }

  private segments(): readonly Segment[] {
    if ((this.files.manifest?.salt ?? '') !== this.salt) throw new AuditIndexIncomplete('the audit index has been restarted');
    return this.files.segments;
  }

  private keep(part: PostingsPart): PostingsPart {
    this.part = part;
    return part;
  }
}

/** Place of the first index at or after `index`; the length if there is none. */
const placeFrom = (indexes: readonly number[], index: number): number =>
  firstIndex(0, indexes.length, (place) => (indexes[place] as number) >= index);

const firstFrom = (part: PostingsPart, index: number): number | undefined => part.indexes()[placeFrom(part.indexes(), index)];

const lastUpTo = (part: PostingsPart, index: number): number | undefined => {
  const indexes = part.indexes();
  const place = placeFrom(indexes, index);
  return indexes[place] === index ? index : indexes[place - 1];
};

/** A list of a union: in most steps another one has the next index, and the last answer of this one still holds. */
class Remembered implements IndexList {
  private before: Readonly<{ asked: number; found: number | undefined }> | undefined;
  private behind: Readonly<{ asked: number; found: number }> | undefined;

  constructor(private readonly list: IndexList) {}

  from(index: number): number | undefined {
    const { behind } = this;
    if (behind && index >= behind.asked && index <= behind.found) return behind.found;
    const found = this.list.from(index);
    if (found !== undefined) this.behind = { asked: index, found };
    return found;
  }

  upTo(index: number): number | undefined {
    const { before } = this;
    if (before && index <= before.asked && index >= (before.found ?? 0)) return before.found;
    const found = this.list.upTo(index);
    this.before = { asked: index, found };
    return found;
  }
}

/** Union of the lists. */
export class AnyOf implements IndexList {
  private readonly lists: readonly IndexList[];

  constructor(lists: readonly IndexList[]) {
    this.lists = lists.map((list) => new Remembered(list));
  }

  from(index: number): number | undefined {
    return best(this.lists, (list) => list.from(index), Math.min);
  }

  upTo(index: number): number | undefined {
    return best(this.lists, (list) => list.upTo(index), Math.max);
  }
}

const best = (lists: readonly IndexList[], look: (list: IndexList) => number | undefined, of: (one: number, other: number) => number) => {
  let found: number | undefined;
  for (const list of lists) {
    const next = look(list);
    if (next !== undefined) found = found === undefined ? next : of(found, next);
  }
  return found;
};

/** The list of all indexes. */
export const ALL: IndexList = { from: (index) => index, upTo: (index) => index };
