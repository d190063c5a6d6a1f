import type { Database, RootDatabase } from 'lmdb';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';

/** Revisions and positions are plain numbers in here; the port's bigints end at the edge. */
export type StreamHead = Readonly<{
  /** Of the newest event; -1 while the stream has none. */
  revision: number;
  /** Of the oldest event not yet deleted. */
  first: number;
  /** Events before this revision are unreadable for good. */
  truncateBefore?: number;
  maxCount?: number | null;
  maxAgeSeconds?: number | null;
}>;

export type LogHead = Readonly<{ position: number; recordedAt: number }>;

/** `bytes` is the JSON text of the events' data. Deleted events are taken off, streams are counted for good. */
export type CategoryCounts = Readonly<{ events: number; streams: number; bytes: number }>;

export type Databases = Readonly<{
  /** Position of a block's first event to the block (see block.ts). */
  blocks: Database<string, number>;
  /**
   * Stream and revision of a block's last event to the position of its first one, their count, and the time (ms), which spares age limits
   * a look at the block.
   */
  streams: Database<[position: number, count: number, recordedAt: number], [stream: string, revision: number]>;
  /** Category and position of a block's last event to their count. */
  categories: Database<number, [category: string, position: number]>;
  heads: Database<StreamHead, string>;
  counts: Database<CategoryCounts, string>;
  /** One row, `head`. */
  log: Database<LogHead, string>;
  /** Names of streams that the sweep has to look at; no value. */
  retained: Database<string, string>;
}>;

export const DATABASE_COUNT = 7;

/** Keys of `blocks` are uint32 and would wrap around silently. */
export const MAX_POSITION = 2 ** 32 - 1;

/** @throws EventStoreUnavailable when opened for reading before anybody has written */
export const openDatabases = (root: RootDatabase): Databases => {
  const found = <Value, Key extends string | number | [string, number]>(
    database: Database<Value, Key> | undefined,
  ): Database<Value, Key> => {
    if (!database) throw new EventStoreUnavailable('the embedded log holds nothing yet');
    return database;
  };
  return {
    blocks: found(root.openDB<string, number>('blocks', { encoding: 'string', keyEncoding: 'uint32' })),
    streams: found(root.openDB<[number, number, number], [string, number]>('streams', { encoding: 'json' })),
    categories: found(root.openDB<number, [string, number]>('categories', { encoding: 'json' })),
    heads: found(root.openDB<StreamHead, string>('heads', { encoding: 'json' })),
    counts: found(root.openDB<CategoryCounts, string>('counts', { encoding: 'json' })),
    log: found(root.openDB<LogHead, string>('log', { encoding: 'json' })),
    retained: found(root.openDB<string, string>('retained', { encoding: 'string' })),
  };
};

export const logHead = (db: Databases): LogHead => db.log.get('head') ?? { position: 0, recordedAt: 0 };

export const streamHead = (db: Databases, stream: string): StreamHead => db.heads.get(stream) ?? { revision: -1, first: 0 };

/** Adds to the counts of a category. */
export const addCounts = (db: Databases, category: string, added: CategoryCounts): void => {
  const { events, streams, bytes } = db.counts.get(category) ?? { events: 0, streams: 0, bytes: 0 };
  db.counts.putSync(category, { events: events + added.events, streams: streams + added.streams, bytes: bytes + added.bytes });
};
