import { DamagedBlock } from '#domain/shared/damaged-log.js';
import { EventStoreUnavailable, type Retention } from '#domain/shared/event-store.js';
import { categoryOf } from '#domain/shared/events.js';
import { Block } from './block.js';
import { addCounts, type Databases, streamHead } from './databases.js';
import { firstReadable } from './first-readable.js';
import { blockAt, blocksFrom, type IndexedBlock } from './stream-index.js';

/** Maximum deletions per transaction, so that concurrent appends wait only a few milliseconds. */
const PIECE_EVENTS = 200;
const PIECE_CHARACTERS = 8 * 2 ** 20;

// Functions named `…InTransaction` must run inside a write transaction.

/** Makes the events before `before` unreadable; the sweep deletes them. */
export const truncateInTransaction = (db: Databases, stream: string, before: number): void => {
  const head = streamHead(db, stream);
  const truncateBefore = Math.min(before, head.revision + 1);
  if (truncateBefore <= (head.truncateBefore ?? 0)) return;
  db.heads.put(stream, { ...head, truncateBefore });
  db.retained.putSync(stream, '');
};

/**
 * Sets the revision of the next event of a stream that holds no events.
 * @throws EventStoreUnavailable the stream still holds events that must stay
 */
export const skipInTransaction = (db: Databases, stream: string, next: number): void => {
  const head = streamHead(db, stream);
  if (head.revision + 1 >= next) return;
  if (head.first <= head.revision) throw new EventStoreUnavailable(`stream ${stream} holds events before revision ${next}`);
  db.heads.put(stream, { ...head, revision: next - 1, first: next });
  if (head.revision < 0) addCounts(db, categoryOf(stream), { events: 0, streams: 1, bytes: 0 });
};

export const setRetentionInTransaction = (db: Databases, stream: string, retention: Retention): void => {
  const { maxAgeSeconds, maxCount } = retention;
  const head = streamHead(db, stream);
  db.heads.put(stream, {
    ...head,
    ...(maxAgeSeconds === undefined ? {} : { maxAgeSeconds }),
    ...(maxCount === undefined ? {} : { maxCount }),
  });
  db.retained.putSync(stream, '');
};

/**
 * Deletes some unreadable events, oldest first, whole blocks only. Returns the number of deleted events.
 * @param upTo nothing behind this position is deleted
 */
export const deletePieceInTransaction = (db: Databases, stream: string, now: number, upTo: number): number => {
  const head = streamHead(db, stream);
  const readable = firstReadable(db, stream, head, now);
  const deletable: IndexedBlock[] = [];
  let characters = 0;
  let bytes = 0;
  for (const block of blocksFrom(db, stream, head.first, head.revision)) {
    if (block.last >= readable || block.position + block.count - 1 > upTo) break;
    if (block.first >= head.first + PIECE_EVENTS || characters >= PIECE_CHARACTERS) break;
    const size = sizeOf(db, block);
    characters += size.characters;
    bytes += size.bytes;
    deletable.push(block);
  }
  const newest = deletable.at(-1);
  if (!newest) return 0;
  const category = categoryOf(stream);
  for (const { position, last, count } of deletable) {
    db.blocks.remove(position);
    db.streams.removeSync([stream, last]);
    db.categories.removeSync([category, position + count - 1]);
  }
  const deleted = newest.last + 1 - head.first;
  db.heads.put(stream, { ...head, first: newest.last + 1 });
  addCounts(db, category, { events: -deleted, streams: 0, bytes: -bytes });
  return deleted;
};

const sizeOf = (db: Databases, { position }: IndexedBlock): Readonly<{ characters: number; bytes: number }> => {
  try {
    const block = Block.decode(position, db.blocks.get(position));
    return { characters: block.size, bytes: block.dataBytes.reduce((sum, bytes) => sum + bytes, 0) };
  } catch (error) {
    if (error instanceof DamagedBlock) return { characters: 0, bytes: 0 };
    throw error;
  }
};

/** Removes a stream from the sweep's list if it holds no events, or has neither limits nor anything to delete. */
export const releaseInTransaction = (db: Databases, stream: string, now: number): void => {
  if (!isReleasable(db, stream, now)) return;
  db.retained.removeSync(stream);
};

/** Returns whether at least one whole block is no longer readable. */
export const hasDeletable = (db: Databases, stream: string, now: number): boolean => {
  const head = streamHead(db, stream);
  const readable = firstReadable(db, stream, head, now);
  if (readable <= head.first) return false;
  const oldest = blockAt(db, stream, head.first, head.revision);
  return oldest !== undefined && oldest.last < readable;
};

export const isReleasable = (db: Databases, stream: string, now: number): boolean => {
  const { first, revision, maxAgeSeconds, maxCount } = streamHead(db, stream);
  return first > revision || (!maxAgeSeconds && !maxCount && !hasDeletable(db, stream, now));
};
