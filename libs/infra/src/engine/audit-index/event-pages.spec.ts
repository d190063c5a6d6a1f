import { expect, it } from '@jest/globals';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import type { IndexedEvent } from './audit-index.js';
import { NOTHING_INDEXED } from './checkpoint.js';
import type { EventList } from './event-list.js';
import { EventPages, type EventRequest } from './event-pages.js';

const EVENTS = 10;

const busyFor = (milliseconds: number): void => {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
};

it('others get their turn between the large events of a page, though reads of the embedded log answer at once', async () => {
  const entry = (index: number): IndexedEvent =>
    ({ index, streamName: 'messaging.messages-a', revision: index, size: 10 * 1024 * 1024, gone: false }) as IndexedEvent;
  const list: Pick<EventList, 'find'> = {
    find: async ({ start, end }, most) => {
      const indexes = Array.from({ length: Math.min(most, end - start + 1) }, (_, place) => start + place);
      return { indexes, looked: indexes.length, next: null };
    },
  };
  const events: Pick<EventStore, 'readStream'> = {
    readStream: async (stream, { from = 0n }) => {
      busyFor(12); // longer than a slice
      return [{ stream, revision: from, metadata: {} } as RecordedEvent];
    },
  };
  const pages = new EventPages({
    events,
    index: {
      select: () => list,
      event: entry,
      countBefore: () => 0,
      checkpoint: () => ({ ...NOTHING_INDEXED, size: Number.POSITIVE_INFINITY }),
    },
    views: { of: async (_, index) => ({ index }), gone: async (index) => ({ index }) },
    room: { within: (_owner, _bytes, work) => work() },
  });
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  const request = { form: 'readable', owner: 'a', filter: {}, order: 'asc', size: EVENTS, listsExpired: false, shown: {} };
  const { items } = await pages.page(request as EventRequest, EVENTS);
  clearImmediate(next);
  expect(items).toHaveLength(EVENTS);
  expect(turns).toBeGreaterThanOrEqual(EVENTS - 1);
});
