import type { IndexRecord } from './record.js';
import type { Term } from './terms.js';

/** A part of the list of a term: indexes of events, ascending, without gaps in the list. */
export type Part = Readonly<{
  term: Term;
  first: number;
  last: number;
  /** Indexes that the segment has before these. */
  before: number;
  count: number;
  indexes(): readonly number[];
}>;

/** Consecutive events, by number and by term. */
export interface Segment {
  /** Index of the first event, and of the first one behind. */
  readonly from: number;
  readonly end: number;
  /** @param index from `from` on, before `end` */
  record(index: number): IndexRecord;
  /** Name of a stream by its number in records. */
  streamName(stream: number): string;
  /** Of a term: the last part that begins at or before an index, and the first one behind it. */
  parts(term: Term, index: number): readonly [Part | undefined, Part | undefined];
  /** The first term that is not before the given one. */
  termFrom(term: Term): Term | undefined;
}
