import type { ReadStreamOptions } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { type Categories, categoriesInLog, positionsOf } from './category-filter.js';
import { type Databases, logHead, type StreamHead, streamHead } from './databases.js';
import { dataBytesOf, decodeRecord } from './event-record.js';

/** Length of the records after which a page of the log ends, so that large events cannot fill the memory of a slow consumer. */
const PAGE_CHARACTERS = 8 * 2 ** 20;

/** Everything up to `position` has been read. */
export type Page = Readonly<{ events: readonly RecordedEvent[]; position: number }>;

/** Events after `after` that pass the filter, at most `limit`; fewer when they are large. */
export const readPage = (db: Databases, after: number, filter: Categories | undefined, limit: number): Page => {
  const head = logHead(db).position;
  if (after >= head) return { events: [], position: after };
  const events: RecordedEvent[] = [];
  let characters = 0;
  for (const [position, record] of recordsAfter(db, after, head, filter)) {
    events.push(decodeRecord(position, record));
    characters += record?.length ?? 0;
    if (events.length === limit || characters >= PAGE_CHARACTERS) return { events, position };
  }
  return { events, position: head };
};

function* recordsAfter(
  db: Databases,
  after: number,
  head: number,
  filter: Categories | undefined,
): Generator<readonly [position: number, record: string | undefined]> {
  if (filter) {
    for (const position of positionsOf(db, categoriesInLog(db, filter), after, head)) yield [position, db.events.get(position)];
  } else {
    for (const { key, value } of db.events.getRange({ start: after + 1 })) {
      if (key > head) return;
      yield [key, value];
    }
  }
}

/** Position of the newest event in any of the categories, 0 for none. */
export const headOf = (db: Databases, filter: Categories | undefined): number => {
  if (!filter) return logHead(db).position;
  let newest = 0;
  for (const category of categoriesInLog(db, filter)) {
    const last = db.categories.getKeys({ start: [category, Number.MAX_SAFE_INTEGER], end: [category, 0], reverse: true, limit: 1 });
    for (const [, position] of last) newest = Math.max(newest, position);
  }
  return newest;
};

/** The oldest revision that may be read; one more than the newest when there is none. `now` in ms decides on age limits. */
export const firstReadable = (db: Databases, stream: string, head: StreamHead, now: number): number => {
  const { revision, maxCount, maxAgeSeconds } = head;
  const first = Math.max(head.first, head.truncateBefore ?? 0, maxCount ? revision + 1 - maxCount : 0);
  return maxAgeSeconds ? firstSince(db, stream, first, revision, now - maxAgeSeconds * 1000) : first;
};

/** Halves the stretch until it is found; times never decrease along a stream. */
const firstSince = (db: Databases, stream: string, from: number, to: number, since: number): number => {
  let low = from;
  let high = to + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const entry = db.streams.get([stream, middle]);
    if (entry && entry[1] < since) low = middle + 1;
    else high = middle;
  }
  return low;
};

export const readStreamPage = (db: Databases, stream: string, options: ReadStreamOptions, now: number): readonly RecordedEvent[] => {
  const head = streamHead(db, stream);
  const low = firstReadable(db, stream, head, now);
  const high = head.revision;
  const backwards = options.direction === 'backwards';
  const asked = options.from === undefined ? undefined : Number(options.from);
  const start = backwards ? Math.min(asked ?? high, high) : Math.max(asked ?? low, low);
  if (start < low || start > high) return [];
  const events: RecordedEvent[] = [];
  let bytes = 0;
  const entries = db.streams.getRange({
    start: [stream, start],
    end: [stream, backwards ? low - 1 : high + 1],
    reverse: backwards,
    limit: options.limit,
  });
  for (const { value } of entries) {
    const [position] = value;
    const record = db.events.get(position);
    events.push(decodeRecord(position, record));
    bytes += record ? dataBytesOf(record) : 0;
    if (bytes >= (options.maxBytes ?? Number.POSITIVE_INFINITY)) break;
  }
  return events;
};
