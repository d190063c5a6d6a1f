import { createHash, type Hash as Hasher } from 'node:crypto';
import { type Leaf, type LeafPlace, leavesIn } from '#domain/integrity/integrity-events.js';
import { leafHash, storedForm } from '#domain/integrity/leaf.js';
import { leafTextBeforePlace, leafTextFromPlace } from '#domain/integrity/leaf-text.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { leafEntries } from './leaf-records.js';
import type { LogCursor } from './log-cursor.js';

/** Leaves that an event would have in other places. Everything except the place is hashed once. */
class LeafAtPlaces {
  private readonly before: Hasher;

  constructor(private readonly event: RecordedEvent) {
    this.before = createHash('sha256').update(leafTextBeforePlace(storedForm(event)));
  }

  at({ stream, revision }: LeafPlace): Buffer {
    const { type } = this.event;
    return this.before.copy().update(leafTextFromPlace({ revision, stream, type })).digest();
  }
}

/**
 * Index of the leaf of this event, wherever the event is now; `undefined` if it never was one in this form. Searches all leaves.
 * @throws EventStoreUnavailable
 */
export const originOf = async (
  store: Pick<EventStore, 'readStream'>,
  event: RecordedEvent,
  signal: AbortSignal,
): Promise<number | undefined> => {
  const leaf = new LeafAtPlaces(event);
  const slice = new TimeSlice();
  for await (const entry of leafEntries(store, 0)) {
    if (!('data' in entry)) continue;
    for (const place of leavesIn(entry.data)) {
      if (leaf.at(place).equals(place.hash)) return place.index;
      if (slice.isOver) {
        await slice.next();
        signal.throwIfAborted();
      }
    }
  }
  return undefined;
};

/** Returns whether the event of a leaf is anywhere in the log after the next one of a cursor. @throws EventStoreUnavailable */
export const standsLater = async (from: LogCursor, leaf: Leaf, signal: AbortSignal): Promise<boolean> => {
  const cursor = await from.fork();
  const slice = new TimeSlice();
  cursor.shift();
  for (let record = await cursor.peek(); record; record = await cursor.peek()) {
    if ('event' in record && leafHash({ ...storedForm(record.event), stream: leaf.stream, revision: leaf.revision }).equals(leaf.hash)) {
      return true;
    }
    cursor.shift();
    if (slice.isOver) {
      await slice.next();
      signal.throwIfAborted();
    }
  }
  return false;
};
