import { expect, it } from '@jest/globals';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import type { IndexedEvent } from './audit-index.js';
import { NOTHING_INDEXED } from './checkpoint.js';
import type { EventList } from './event-list.js';
import { EventPages, type EventRequest } from './event-pages.js';
import { AuditIndexIncomplete } from './index-files.js';

const EVENTS = 10;

const busyFor = (milliseconds: number): void => {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
};

const pagesOf = (list: Pick<EventList, 'find'>, events: Pick<EventStore, 'readStream'>, size = Number.POSITIVE_INFINITY): EventPages =>
  new EventPages({
    events,
    index: {
      select: () => list,
      event: (index) =>
        ({ index, streamName: 'messaging.messages-a', revision: index, size: 10 * 1024 * 1024, gone: false }) as IndexedEvent,
      countBefore: () => 0,
      checkpoint: () => ({ ...NOTHING_INDEXED, size }),
    },
    views: { of: async (_, index) => ({ index }), gone: async (index) => ({ index }) },
    room: { within: (_owner, _bytes, work) => work() },
  });

const REQUEST = { form: 'readable', owner: 'a', filter: {}, order: 'asc', size: EVENTS, listsExpired: false, shown: {} } as EventRequest;

it('no page is shown, not even an empty one, of an index that was lost during the call', async () => {
  const none = { find: async () => ({ indexes: [], looked: 0, next: null }) };
  await expect(pagesOf(none, { readStream: async () => [] }, 0).page(REQUEST, EVENTS)).rejects.toBeInstanceOf(AuditIndexIncomplete);
});

it('others get their turn between the large events of a page, though reads of the embedded log answer at once', async () => {
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
  const pages = pagesOf(list, events);
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  const { items } = await pages.page(REQUEST, EVENTS);
  clearImmediate(next);
  expect(items).toHaveLength(EVENTS);
  expect(turns).toBeGreaterThanOrEqual(EVENTS - 1);
});
