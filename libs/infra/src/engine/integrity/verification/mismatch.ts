import type { Leaf } from '#domain/integrity/integrity-events.js';
import { leafOf } from '#domain/integrity/leaf.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import type { LogCursor } from './log-cursor.js';
import { originOf, standsLater } from './moved-leaf.js';
import type { ChainProblem } from './problem.js';

/** A place where log and leaves do not agree. `event`: what stands in the log there, the next of `cursor`; `next`: the leaf behind, if it is at hand. */
type Mismatch = Readonly<{
  store: Pick<EventStore, 'readStream'>;
  cursor: LogCursor;
  leaf: Leaf;
  next: Leaf | undefined;
  event: RecordedEvent | undefined;
  signal: AbortSignal;
}>;

/** A problem, and what is to be passed over to go on behind it. */
type Finding = Readonly<{ problem: ChainProblem; skips: 'leaf' | 'event' | 'both' }>;

const isAt = ({ stream, revision }: RecordedEvent, leaf: Leaf): boolean => stream === leaf.stream && Number(revision) === leaf.revision;

/**
 * Finds out what has happened: whether the event of the leaf stands further on, and whether the event that stands here has a leaf. That may take a
 * look at the whole rest of the log, once. @throws EventStoreUnavailable
 */
export const explain = async (mismatch: Mismatch): Promise<Finding> => {
  const { leaf, event, store, cursor, signal } = mismatch;
  if (!event) return found(mismatch, 'missing', 'leaf', 'its event is not in the log any more');
  if (leafOf(event).equals(leaf.hash)) {
    return found(mismatch, 'altered', 'both', 'the record of leaves says that its event was elsewhere');
  }
  const origin = await originOf(store, event, signal);
  if (origin === leaf.index) return found(mismatch, 'altered', 'both', 'its event stands under another stream or revision');
  const stands = await standsLater(cursor, leaf, signal);
  if (origin !== undefined && origin > leaf.index) {
    return stands
      ? found(mismatch, 'reordered', 'both', `the event of leaf ${origin} stands in its place`)
      : found(mismatch, 'missing', 'leaf', `the event of leaf ${origin} follows, its own is not in the log any more`);
  }
  if (stands) return found(mismatch, 'inserted', 'event', 'an event stands before it that was not there');
  if (isAt(event, leaf) || (await isFollowed(mismatch))) {
    return found(mismatch, 'altered', 'both', 'its event is not what it was when it was chained');
  }
  return found(mismatch, 'missing', 'leaf', 'its event is not in the log any more');
};

/** Whether the event behind the one that stands here is that of the leaf behind. */
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
