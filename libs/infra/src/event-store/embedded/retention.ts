import type { Retention } from '#domain/shared/event-store.js';
import { categoryOf } from '#domain/shared/events.js';
import { addCounts, type Databases, streamHead } from './databases.js';
import { dataBytesOf } from './event-record.js';
import { firstReadable } from './reading.js';

/** At most so much is deleted in one transaction, so that appends beside it wait only a few milliseconds. */
const PIECE_EVENTS = 200;
const PIECE_CHARACTERS = 8 * 2 ** 20;

// Each of these runs inside a write transaction.

/** Makes the events before `before` unreadable; the sweep deletes them. */
export const truncateInTransaction = (db: Databases, stream: string, before: number): void => {
  const head = streamHead(db, stream);
  const truncateBefore = Math.min(before, head.revision + 1);
  if (truncateBefore <= (head.truncateBefore ?? 0)) return;
  db.heads.putSync(stream, { ...head, truncateBefore });
  db.retained.putSync(stream, '');
};

export const setRetentionInTransaction = (db: Databases, stream: string, retention: Retention): void => {
  const { maxAgeSeconds, maxCount } = retention;
  const head = streamHead(db, stream);
  db.heads.putSync(stream, {
    ...head,
    ...(maxAgeSeconds === undefined ? {} : { maxAgeSeconds }),
    ...(maxCount === undefined ? {} : { maxCount }),
  });
  db.retained.putSync(stream, '');
};

/** Deletes a piece of what is no longer readable, oldest first. Returns how many events. */
export const deletePieceInTransaction = (db: Databases, stream: string, now: number): number => {
  const head = streamHead(db, stream);
  const readable = firstReadable(db, stream, head, now);
  let revision = head.first;
  let characters = 0;
  let bytes = 0;
  for (; revision < readable && revision < head.first + PIECE_EVENTS && characters < PIECE_CHARACTERS; revision += 1) {
    const position = db.streams.get([stream, revision])?.[0];
    if (position === undefined) continue;
    const record = db.events.get(position);
    characters += record?.length ?? 0;
    bytes += record ? dataBytesOf(record) || 0 : 0;
    db.events.removeSync(position);
    db.streams.removeSync([stream, revision]);
    db.categories.removeSync([categoryOf(stream), position]);
  }
  const deleted = revision - head.first;
  if (deleted === 0) return 0;
  db.heads.putSync(stream, { ...head, first: revision });
  addCounts(db, categoryOf(stream), { events: -deleted, streams: 0, bytes: -bytes });
  return deleted;
};

/** Takes a stream off the sweep's list once it has neither limits nor anything to delete. */
export const releaseInTransaction = (db: Databases, stream: string, now: number): void => {
  if (!isReleasable(db, stream, now)) return;
  db.retained.removeSync(stream);
};

export const hasDeletable = (db: Databases, stream: string, now: number): boolean => {
  const head = streamHead(db, stream);
  return firstReadable(db, stream, head, now) > head.first;
};

export const isReleasable = (db: Databases, stream: string, now: number): boolean => {
  const { maxAgeSeconds, maxCount } = streamHead(db, stream);
  return !maxAgeSeconds && !maxCount && !hasDeletable(db, stream, now);
};
