import { LEAVES_STREAM, type LeavesChained, leavesOf } from '#domain/integrity/integrity-events.js';
import { HASH_BYTES } from '#domain/integrity/merkle.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { survivorsOf, unlessDamaged } from './damage.js';

type Streams = Pick<EventStore, 'readStream'>;

/** Leaves of one event of the log. */
export type LeafRecord = Readonly<{ revision: number; position: string; data: LeavesChained }>;

/** Record of the stream of leaves: leaves, or an unreadable revision. */
export type LeafEntry = LeafRecord | Readonly<{ revision: number; damaged: 'unreadable' | 'altered'; position: string | null }>;

const PAGE_EVENTS = 8;

/** Yields the entries from a revision on, in stream order. @throws EventStoreUnavailable */
export async function* leafEntries(store: Streams, from: number): AsyncGenerator<LeafEntry, void, void> {
  for await (const record of survivorsOf(store, LEAVES_STREAM, from, PAGE_EVENTS)) {
    yield 'event' in record ? entryOf(record.event) : { revision: record.unreadable, damaged: 'unreadable', position: null };
  }
}

/** Yields the readable entries from a revision on, backwards. @throws EventStoreUnavailable */
export async function* leafEntriesBefore(store: Streams, from: number): AsyncGenerator<LeafRecord, void, void> {
  let singles = 0; // left of a page that is damaged somewhere
  for (let next = from; next >= 0; ) {
    const options = { direction: 'backwards', from: BigInt(next), limit: singles > 0 ? 1 : PAGE_EVENTS } as const;
    const events = await unlessDamaged(() => store.readStream(LEAVES_STREAM, options), null);
    if (events?.length === 0) return;
    if (events === null && singles === 0) {
      singles = PAGE_EVENTS;
      continue;
    }
    for (const event of events ?? []) {
      const entry = entryOf(event);
      if ('data' in entry) yield entry;
    }
    next = Number(events?.at(-1)?.revision ?? next) - 1;
    singles = Math.max(0, singles - 1);
  }
}

const entryOf = (event: RecordedEvent): LeafEntry => {
  const [revision, position] = [Number(event.revision), `${event.position}`];
  const data = leavesOf(event);
  if (!isWellFormed(data)) return { revision, damaged: 'altered', position };
  return { revision, position, data };
};

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** Returns whether the parts of an event of leaves are consistent. */
const isWellFormed = (data: Partial<LeavesChained>): data is LeavesChained => {
  const { from, count, leaves, streams, runs, time, frontier } = data;
  if (!isCount(from) || !isCount(count) || count === 0 || typeof time !== 'string' || typeof frontier !== 'string') return false;
  if (typeof leaves !== 'string' || Buffer.from(leaves, 'base64').length !== count * HASH_BYTES) return false;
  if (!Array.isArray(streams) || !Array.isArray(runs) || runs.length % 3 !== 0 || !runs.every(isCount)) return false;
  let places = 0;
  for (let at = 0; at < runs.length; at += 3) {
    const [name, , length] = runs.slice(at, at + 3) as [number, number, number];
    if (typeof streams[name] !== 'string') return false;
    places += length;
  }
  return places === count;
};

/** Number of leaves in the log, according to the newest readable entry. @throws EventStoreUnavailable */
export const chainSize = async (store: Streams): Promise<number> => {
  const newest = await newestEntry(store);
  if (newest !== 'damaged') return newest && 'data' in newest ? newest.data.from + newest.data.count : 0;
  let size = 0;
  for await (const entry of leafEntries(store, 0)) if ('data' in entry) size = Math.max(size, entry.data.from + entry.data.count);
  return size;
};

const newestEntry = async (store: Streams): Promise<LeafEntry | 'damaged' | undefined> => {
  const found = await unlessDamaged(() => store.readStream(LEAVES_STREAM, { direction: 'backwards', limit: 1 }), null);
  const [event] = found ?? [];
  const entry = event && entryOf(event);
  return found === null || (entry && 'damaged' in entry) ? 'damaged' : entry;
};

/**
 * Revision of the entry with a leaf, or of an earlier one if the log was altered. Found by binary search, because entries are in the order
 * of their leaves. @throws EventStoreUnavailable
 */
export const revisionWithLeaf = async (store: Streams, index: number): Promise<number> => {
  const newest = index <= 0 ? undefined : await newestEntry(store);
  if (newest === 'damaged' || newest === undefined) return 0;
  let [low, high] = [0, newest.revision];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const entry = await firstEntry(store, middle);
    if (!entry || !('data' in entry)) return 0;
    if (entry.data.from <= index) low = middle;
    else high = middle - 1;
  }
  return low;
};

const firstEntry = async (store: Streams, revision: number): Promise<LeafEntry | undefined> => {
  for await (const entry of leafEntries(store, revision)) return entry;
  return undefined;
};
