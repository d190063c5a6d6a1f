import type { Term } from '#infra/engine/audit-index/terms.js';
import type { IndexRecord } from './record.js';

/** A part of the list of a term: ascending indexes of events, without gaps in the list. */
export type PostingsPart = Readonly<{
  term: Term;
  first: number;
  last: number;
  /** Number of earlier indexes in the segment. */
  before: number;
  count: number;
  indexes(): readonly number[];
}>;

/** Consecutive events, readable by number and by term. */
export interface Segment {
  /** Index of the first event, and of the first one after the segment. */
  readonly from: number;
  readonly end: number;
  /** @param index from `from` on, before `end` */
  record(index: number): IndexRecord;
  /** Name of a stream by its number in records. */
  streamName(stream: number): string;
  /** For a term: the last part that begins at or before an index, and the next one. */
  parts(term: Term, index: number): readonly [PostingsPart | undefined, PostingsPart | undefined];
  /** First term at or after the given one. */
  termFrom(term: Term): Term | undefined;
}
