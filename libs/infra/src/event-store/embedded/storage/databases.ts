import type { Database, RootDatabase } from 'lmdb';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import { CheckedRows } from '#infra/lmdb/checked-rows.js';
import { Blocks } from './blocks.js';
import { DamagedLog } from './damaged-log.js';

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
  blocks: Blocks;
  /**
   * Stream and revision of a block's last event to the position of its first one, their count, and the time (ms), which spares age limits
   * a look at the block.
   */
  streams: Database<[position: number, count: number, recordedAt: number], [stream: string, revision: number]>;
  /** Category and position of a block's last event to their count. */
  categories: Database<number, [category: string, position: number]>;
  heads: CheckedRows<StreamHead>;
  counts: Database<CategoryCounts, string>;
  /** One row, `head`. */
  log: CheckedRows<LogHead>;
  /** Names of streams that the sweep has to look at; no value. */
  retained: Database<string, string>;
}>;

export const DATABASE_COUNT = 8;

/**
 * 2: positions beyond 2^32, and checksums of heads. Of format 1 rows without them are still there; blocks did not say their position then.
 */
export const LOG_FORMAT = 2;

/** At a hundred thousand events a second it is reached after 2,800 years. */
export const MAX_POSITION = Number.MAX_SAFE_INTEGER;

/** Names of the databases; an empty one may be missing. */
export const NAMES = {
  blocks: 'blocks',
  wideBlocks: 'blocks-wide',
  streams: 'streams',
  categories: 'categories',
  heads: 'heads',
  counts: 'counts',
  log: 'log',
  retained: 'retained',
} as const;

/** @throws EventStoreUnavailable when opened for reading before anybody has written */
export const openDatabases = (root: RootDatabase): Databases => {
  const found = <Value, Key extends string | number | [string, number]>(
    database: Database<Value, Key> | undefined,
  ): Database<Value, Key> => {
    if (!database) throw new EventStoreUnavailable('the embedded log holds nothing yet');
    return database;
  };
  const text = (name: string) => found(root.openDB<string, string>(name, { encoding: 'string' }));
  return {
    blocks: new Blocks(found(root.openDB<string, number>(NAMES.blocks, { encoding: 'string', keyEncoding: 'uint32' })), () =>
      root.openDB<string, number>(NAMES.wideBlocks, { encoding: 'string' }),
    ),
    streams: found(root.openDB<[number, number, number], [string, number]>(NAMES.streams, { encoding: 'json' })),
    categories: found(root.openDB<number, [string, number]>(NAMES.categories, { encoding: 'json' })),
    heads: new CheckedRows<StreamHead>(text(NAMES.heads), (stream) => new DamagedLog(`the head of stream ${stream}`)),
    counts: found(root.openDB<CategoryCounts, string>(NAMES.counts, { encoding: 'json' })),
    log: new CheckedRows<LogHead>(text(NAMES.log), () => new DamagedLog('its head')),
    retained: text(NAMES.retained),
  };
};

export const logHead = (db: Databases): LogHead => db.log.get('head') ?? { position: 0, recordedAt: 0 };

export const streamHead = (db: Databases, stream: string): StreamHead => db.heads.get(stream) ?? { revision: -1, first: 0 };

/** Adds to the counts of a category. */
export const addCounts = (db: Databases, category: string, added: CategoryCounts): void => {
  const { events, streams, bytes } = db.counts.get(category) ?? { events: 0, streams: 0, bytes: 0 };
  db.counts.putSync(category, { events: events + added.events, streams: streams + added.streams, bytes: bytes + added.bytes });
};
