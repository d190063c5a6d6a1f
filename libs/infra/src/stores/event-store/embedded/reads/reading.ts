import { DamagedBlock, DamagedLog } from '#domain/shared/damaged-log.js';
import type { ReadStreamOptions } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { type Categories, passes } from '#infra/stores/event-store/category-filter.js';
import { Block } from '#infra/stores/event-store/embedded/storage/block.js';
import { type Databases, logHead, streamHead } from '#infra/stores/event-store/embedded/storage/databases.js';
import { firstReadable } from '#infra/stores/event-store/embedded/storage/first-readable.js';
import { blocksBackFrom, blocksFrom, type IndexedBlock } from '#infra/stores/event-store/embedded/storage/stream-index.js';
import { categoriesInLog, positionsOf } from './category-filter.js';

/** A page of the log ends after this many characters of blocks, so that large events cannot fill the memory of a slow consumer. */
const PAGE_CHARACTERS = 8 * 2 ** 20;

/** Everything up to `position` has been read. */
export type LogPage = Readonly<{ events: readonly RecordedEvent[]; position: number }>;

/** Events after `after` that pass the filter, at most `limit`; fewer if they are large. */
export const readPage = (db: Databases, after: number, filter: Categories | undefined, limit: number): LogPage => {
  const head = logHead(db).position;
  if (after >= head) return { events: [], position: after };
  const events: RecordedEvent[] = [];
  let characters = 0;
  for (const block of blocksAfter(db, after, head, filter)) {
    const start = Math.max(after + 1 - block.position, 0);
    const end = Math.min(block.count, start + limit - events.length);
    const found = block.events(start, end);
    if (found[0] && !passes(filter, found[0].stream)) throw new DamagedBlock(BigInt(block.position));
    for (const event of found) events.push(event);
    characters += block.size;
    if (events.length === limit || characters >= PAGE_CHARACTERS) return { events, position: block.position + end - 1 };
  }
  return { events, position: head };
};

/** Blocks in log order, starting with the one that holds the event after `after`. */
function* blocksAfter(db: Databases, after: number, head: number, filter: Categories | undefined): Generator<Block> {
  if (filter) {
    for (const position of positionsOf(db, categoriesInLog(db, filter), after, head)) yield Block.decode(position, db.blocks.get(position));
    return;
  }
  const start = db.blocks.lastUpTo(after + 1) ?? 0;
  for (const { key, value } of db.blocks.range(start, head + 1)) {
    const block = Block.decode(key, value);
    if (block.position + block.count > after + 1) yield block;
  }
}

/** Position of the newest event in any of the categories; 0 if there is none. */
export const headOf = (db: Databases, filter: Categories | undefined): number => {
  if (!filter) return logHead(db).position;
  let newest = 0;
  for (const category of categoriesInLog(db, filter)) {
    const last = db.categories.getKeys({ start: [category, Number.MAX_SAFE_INTEGER], end: [category, 0], reverse: true, limit: 1 });
    for (const [, position] of last) newest = Math.max(newest, position);
  }
  return newest;
};

/** Events, and bytes of data, that are read in one turn of the event loop. */
const PART = { events: 500, bytes: 524_288 } as const;

/** `isLarge`: reading took long enough that other work should get its turn. `rest`: what reads the remainder of the page, if any. */
type StreamPart = Readonly<{ events: readonly RecordedEvent[]; isLarge: boolean; rest?: ReadStreamOptions }>;

/** The first part of a page of a stream, as `EventStore.readStream` describes it. Age limits are evaluated at `now` (ms). @throws DamagedLog */
export const readStreamPart = (db: Databases, stream: string, options: ReadStreamOptions, now: number): StreamPart => {
  const { limit, maxBytes = Number.POSITIVE_INFINITY } = options;
  const size = { events: Math.min(limit, PART.events), bytes: Math.min(maxBytes, PART.bytes) };
  const room = { ...size };
  const events = readInto(room, db, stream, options, now);
  const last = events.at(-1);
  const bytes = size.bytes - room.bytes;
  const isLarge = events.length >= PART.events / 5 || bytes >= PART.bytes / 5;
  if (!last || !isFull(room) || events.length === limit || bytes >= maxBytes) return { events, isLarge };
  const from = last.revision + (options.direction === 'backwards' ? -1n : 1n);
  return { events, isLarge, rest: { ...options, from, limit: limit - events.length, maxBytes: maxBytes - bytes } };
};

/** The events of a stream that fit into the room, which it reduces. */
const readInto = (room: PageBudget, db: Databases, stream: string, options: ReadStreamOptions, now: number): readonly RecordedEvent[] => {
  const head = streamHead(db, stream);
  const low = firstReadable(db, stream, head, now);
  const high = head.revision;
  const isBackwards = options.direction === 'backwards';
  const start = firstOfPage(options, low, high);
  if (start < low || start > high) return [];
  const page: StreamPage = { stream, low, start, isBackwards, room, events: [] };
  let next = start;
  for (const block of (isBackwards ? blocksBackFrom : blocksFrom)(db, stream, start, high)) {
    if (block.last < low) return page.events;
    takeBlock(db, block, next, page);
    if (isFull(page.room)) return page.events;
    next = isBackwards ? block.first - 1 : block.last + 1;
  }
  if (next >= low && next <= high) throw new DamagedLog(`revision ${next} of stream ${stream}`);
  return page.events;
};

/** First revision of a page, if it lies between `low` and `high`. */
const firstOfPage = ({ from, direction }: ReadStreamOptions, low: number, high: number): number => {
  if (direction === 'backwards') return from === undefined ? high : Math.min(Number(from), high);
  return from === undefined ? low : Math.max(Number(from), low);
};

/** A page being read: from revision `start` on, backwards down to `low`. */
type StreamPage = Readonly<{
  stream: string;
  low: number;
  start: number;
  isBackwards: boolean;
  room: PageBudget;
  events: RecordedEvent[];
}>;

/** Adds the events of a block that belong to the page; `next` is the first of them. @throws DamagedLog */
const takeBlock = (db: Databases, { position, first, last }: IndexedBlock, next: number, page: StreamPage): void => {
  const { stream, low, start, isBackwards, room, events } = page;
  const block = Block.decode(position, db.blocks.get(position));
  if (next < first || next > last || block.count !== last + 1 - first) throw new DamagedLog(`revision ${next} of stream ${stream}`);
  const stretch = isBackwards ? takeBack(block, low - first, start - first, room) : takeOn(block, start - first, room);
  const found = block.events(...stretch);
  if (found[0]?.stream !== stream || found[0].revision !== BigInt(first + stretch[0])) throw new DamagedBlock(BigInt(position));
  for (const event of isBackwards ? found.toReversed() : found) events.push(event);
};

/** Remaining budget of a page. One event is always returned. */
type PageBudget = { events: number; bytes: number };

const isFull = ({ events, bytes }: PageBudget): boolean => events === 0 || bytes <= 0;

/** Indices to read from a block, forwards from `start`. Reduces the budget. */
const takeOn = (block: Block, start: number, room: PageBudget): readonly [start: number, end: number] => {
  const from = Math.max(start, 0);
  const end = Math.min(block.count, from + room.events);
  return [from, from + take(block, from, end, 1, room)];
};

/** Like `takeOn`, backwards from `last` down to `first`, inclusive. */
const takeBack = (block: Block, first: number, last: number, room: PageBudget): readonly [start: number, end: number] => {
  const end = Math.min(last + 1, block.count);
  const start = Math.max(first, 0, end - room.events);
  return [end - take(block, end - 1, start - 1, -1, room), end];
};

/** Number of events from `from` to before `until` that fit into the budget. Reduces the budget. */
const take = (block: Block, from: number, until: number, step: 1 | -1, room: PageBudget): number => {
  const sizes = block.dataBytes;
  let taken = 0;
  for (let index = from; index !== until && room.bytes > 0; index += step) {
    room.bytes -= sizes[index] ?? 0;
    taken += 1;
  }
  room.events -= taken;
  return taken;
};
