import type { Databases, StreamHead } from './databases.js';
import { blockAt } from './stream-index.js';

/** Oldest readable revision; one more than the newest if there is none. Age limits are evaluated at `now` (ms). */
export const firstReadable = (db: Databases, stream: string, head: StreamHead, now: number): number => {
  const { revision, maxCount, maxAgeSeconds } = head;
  const first = Math.max(head.first, head.truncateBefore ?? 0, maxCount ? revision + 1 - maxCount : 0);
  return maxAgeSeconds ? firstSince(db, stream, first, revision, now - maxAgeSeconds * 1000) : first;
};

/** Binary search: times never decrease along a stream. */
const firstSince = (db: Databases, stream: string, from: number, to: number, since: number): number => {
  let low = from;
  let high = to + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const block = blockAt(db, stream, middle, to);
    if (block && block.recordedAt < since) low = block.last + 1;
    else high = Math.max(low, block?.first ?? middle);
  }
  return low;
};
