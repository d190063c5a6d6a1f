import type { Leaf } from '#domain/integrity/integrity-events.js';
import { leafOf } from '#domain/integrity/leaf.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import type { LogCursor } from './log-cursor.js';
import { originOf, standsLater } from './moved-leaf.js';
import type { ChainProblem } from './problem.js';

/** A place where log and leaves differ. `event`: found there, the next of `cursor`. `next`: the following leaf, if it is in memory. */
type Mismatch = Readonly<{
  store: Pick<EventStore, 'readStream'>;
  cursor: LogCursor;
  leaf: Leaf;
  next: Leaf | undefined;
  event: RecordedEvent | undefined;
  signal: AbortSignal;
}>;

/** A problem, and the entry to skip before continuing. */
type Finding = Readonly<{ problem: ChainProblem; skips: 'leaf' | 'event' | 'both' }>;

const isAt = ({ stream, revision }: RecordedEvent, leaf: Leaf): boolean => stream === leaf.stream && Number(revision) === leaf.revision;

/**
 * Determines the cause: whether the event of the leaf comes later, and whether the event found here has a leaf. That may read the whole
 * rest of the log, once. @throws EventStoreUnavailable
 */
export const explain = async (mismatch: Mismatch): Promise<Finding> => {
  const { leaf, event, store, cursor, signal } = mismatch;
  if (!event) return found(mismatch, 'missing', 'leaf', 'its event is no longer in the log');
  if (leafOf(event).equals(leaf.hash)) {
    return found(mismatch, 'altered', 'both', 'the record of leaves says that its event was elsewhere');
  }
  const origin = await originOf(store, event, signal);
  if (origin === leaf.index) return found(mismatch, 'altered', 'both', 'its event is stored under another stream or revision');
  const stands = await standsLater(cursor, leaf, signal);
  if (origin !== undefined && origin > leaf.index) {
    return stands
      ? found(mismatch, 'reordered', 'both', `the event of leaf ${origin} stands in its place`)
      : found(mismatch, 'missing', 'leaf', `the event of leaf ${origin} follows, its own is not in the log any more`);
  }
  if (stands) return found(mismatch, 'inserted', 'event', 'it is preceded by an event that was inserted later');
  if (isAt(event, leaf) || (await isFollowed(mismatch))) {
    return found(mismatch, 'altered', 'both', 'its event is not what it was when it was chained');
  }
  return found(mismatch, 'missing', 'leaf', 'its event is no longer in the log');
};

/** Returns whether the next event belongs to the next leaf. */
const isFollowed = async ({ cursor, next }: Mismatch): Promise<boolean> => {
  if (!next) return false;
  const fork = await cursor.fork();
  await fork.peek();
  fork.shift();
  const record = await fork.peek();
  return record !== undefined && 'event' in record && leafOf(record.event).equals(next.hash);
};

const found = ({ leaf, event }: Mismatch, kind: ChainProblem['kind'], skips: Finding['skips'], what: string): Finding => {
  const position = kind === 'missing' || !event ? null : `${event.position}`;
  return { problem: { index: leaf.index, position, kind, detail: `leaf ${leaf.index}: ${what}` }, skips };
};
