import { LEAVES_STREAM, leavesOf, placeInRuns } from '#domain/integrity/integrity-events.js';
import { Block } from './block.js';
import { type Databases, MAX_POSITION, streamHead } from './databases.js';
import { blockAt } from './stream-index.js';

/**
 * Position up to which expired events may be deleted: no event leaves the log before it is chained (operations contract 3). The block with
 * the last chained event stays, so that its place can always be found.
 * @param isChaining whether this log is being chained. A log with leaves always is
 */
export const deletableUpTo = (db: Databases, isChaining: boolean): number => {
  const { revision } = streamHead(db, LEAVES_STREAM);
  if (revision < 0) return isChaining ? 0 : MAX_POSITION;
  const newest = blockAt(db, LEAVES_STREAM, revision, revision);
  const [event] = newest ? Block.decode(newest.position, db.blocks.get(newest.position)).events(revision - newest.first) : [];
  const leaves = event && leavesOf(event);
  const place = leaves && placeInRuns(leaves, leaves.count - 1);
  if (!place) return 0;
  const last = blockAt(db, place.stream, place.revision, streamHead(db, place.stream).revision);
  return last ? last.position - 1 : 0;
};
