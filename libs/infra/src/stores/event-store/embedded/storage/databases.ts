import type { Database, RootDatabase } from 'lmdb';
import { DamagedLog } from '#domain/shared/damaged-log.js';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import { Blocks } from './blocks.js';
import { checkedTable, SharedRows } from './shared-rows.js';

/** Revisions and positions are plain numbers in this folder; bigints are used only by the port. */
export type StreamHead = Readonly<{
  /** Revision of the newest event; -1 while the stream has none. */
  revision: number;
  /** Revision of the oldest event not yet deleted. */
  first: number;
  /** Events before this revision are permanently unreadable. */
  truncateBefore?: number;
  maxCount?: number | null;
  maxAgeSeconds?: number | null;
}>;

export type LogHead = Readonly<{ position: number; recordedAt: number }>;

/** `bytes`: size of the JSON text of the events' data. Deleted events are subtracted, streams never are. */
export type CategoryCounts = Readonly<{ events: number; streams: number; bytes: number }>;

export type Databases = Readonly<{
  blocks: Blocks;
  /**
   * Stream and revision of a block's last event → position of its first one, number of events, and time (ms). The time makes age limits
   * checkable without reading the block.
   */
  streams: Database<[position: number, count: number, recordedAt: number], [stream: string, revision: number]>;
  /** Category and position of a block's last event → number of events. */
  categories: Database<number, [category: string, position: number]>;
  heads: SharedRows<StreamHead>;
  counts: SharedRows<CategoryCounts>;
  /** Table behind `counts`. */
  counted: Database<CategoryCounts, string>;
  /** Has one row, `head`. */
  log: SharedRows<LogHead>;
  /** Names of streams for the sweep to check, among them all that hold events and have limits; no value. */
  retained: Database<string, string>;
}>;

export const DATABASE_COUNT = 8;

/**
 * 3: metadata of a command once in a block. 2: that of release 1.0.0. To be raised with every change that an earlier release cannot read: only then
 * does it refuse the log.
 */
export const LOG_FORMAT = 3;

/** Reached after 2,800 years at a hundred thousand events a second. */
export const MAX_POSITION = Number.MAX_SAFE_INTEGER;

/** Names of the databases. An empty one may be missing. */
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

/** @throws EventStoreUnavailable opened for reading before the first write */
export const openDatabases = (root: RootDatabase): Databases => {
  const found = <Value, Key extends string | number | [string, number]>(
    database: Database<Value, Key> | undefined,
  ): Database<Value, Key> => {
    if (!database) throw new EventStoreUnavailable('the embedded log is empty');
    return database;
  };
  const text = (name: string) => found(root.openDB<string, string>(name, { encoding: 'string' }));
  const counted = found(root.openDB<CategoryCounts, string>(NAMES.counts, { encoding: 'json' }));
  return {
    blocks: new Blocks(found(root.openDB<string, number>(NAMES.blocks, { encoding: 'string', keyEncoding: 'uint32' })), () =>
      root.openDB<string, number>(NAMES.wideBlocks, { encoding: 'string' }),
    ),
    streams: found(root.openDB<[number, number, number], [string, number]>(NAMES.streams, { encoding: 'json' })),
    categories: found(root.openDB<number, [string, number]>(NAMES.categories, { encoding: 'json' })),
    heads: new SharedRows(checkedTable<StreamHead>(text(NAMES.heads), (stream) => new DamagedLog(`the head of stream ${stream}`))),
    counts: new SharedRows({ get: (category) => counted.get(category), put: (category, counts) => counted.putSync(category, counts) }),
    counted,
    log: new SharedRows(checkedTable<LogHead>(text(NAMES.log), () => new DamagedLog('its head'))),
    retained: text(NAMES.retained),
  };
};

/** Writes the rows that a transaction has changed; called at its end. */
export const flushRows = ({ heads, counts, log }: Databases): void => {
  heads.flush();
  counts.flush();
  log.flush();
};

export const logHead = (db: Databases): LogHead => db.log.get('head') ?? { position: 0, recordedAt: 0 };

export const streamHead = (db: Databases, stream: string): StreamHead => db.heads.get(stream) ?? { revision: -1, first: 0 };

/** Adds to the counts of a category. */
export const addCounts = (db: Databases, category: string, added: CategoryCounts): void => {
  const { events, streams, bytes } = db.counts.get(category) ?? { events: 0, streams: 0, bytes: 0 };
  db.counts.put(category, { events: events + added.events, streams: streams + added.streams, bytes: bytes + added.bytes });
};
