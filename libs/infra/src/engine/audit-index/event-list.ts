import { TimeSlice } from '#domain/shared/time-slice.js';
import { ALL, type IndexList } from './postings.js';

export type Order = 'asc' | 'desc';

/** Indexes to search: from `start` in the direction of `order` to `end`, both inclusive. */
export type IndexSpan = Readonly<{ order: Order; start: number; end: number }>;

/** Found events, in order. `looked` events before `next` were examined; `next` is null at the end. */
type Found = Readonly<{ indexes: readonly number[]; next: number | null; looked: number }>;

/**
 * Finds indexes contained in all of the lists. It leaps: each list returns its first index at or behind the last result of another, so that
 * a list with few events leads, however long the others are.
 */
export class EventList {
  private readonly lists: readonly IndexList[];

  constructor(lists: readonly IndexList[]) {
    this.lists = lists.length === 0 ? [ALL] : lists;
  }

  /** @param steps maximum number of indexes to examine */
  async find({ order, start, end }: IndexSpan, limit: number, steps: number): Promise<Found> {
    const indexes: number[] = [];
    const slice = new TimeSlice();
    const isWithin = (index: number): boolean => (order === 'asc' ? index <= end : index >= end);
    let candidate: number | undefined = start;
    let looked = 0;
    for (; candidate !== undefined && isWithin(candidate); looked++) {
      if (indexes.length === limit || looked >= steps) return { indexes, next: candidate, looked };
      if (slice.isOver) await slice.next();
      const reached: number | undefined = this.leap(candidate, order);
      if (reached === candidate) {
        indexes.push(candidate);
        candidate += order === 'asc' ? 1 : -1;
      } else candidate = reached;
    }
    return { indexes, next: null, looked };
  }

  /** Returns the index itself if all lists contain it, otherwise the next candidate; `undefined` if there is none. */
  private leap(index: number, order: Order): number | undefined {
    let furthest: number | undefined = index;
    for (const list of this.lists) {
      furthest = order === 'asc' ? list.from(furthest) : list.upTo(furthest);
      if (furthest === undefined) return undefined;
    }
    return furthest;
  }
}
