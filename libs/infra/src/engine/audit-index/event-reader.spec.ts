import { expect, it } from '@jest/globals';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import type { IndexedEvent } from './audit-index.js';
import { EventReader } from './event-reader.js';

const STREAM = 'messaging.cursor-a';
const LAST = 20;

const at = (revision: number): IndexedEvent => ({ index: revision, streamName: STREAM, revision, size: 10, gone: false }) as IndexedEvent;

it('takes events that expire during a list for expired, not for missing', async () => {
  let first = 4;
  const events: Pick<EventStore, 'readStream'> = {
    readStream: async (stream, { from = 0n, limit = 1 }) => {
      const start = Math.max(first, Number(from));
      const revisions = Array.from({ length: Math.max(0, Math.min(limit, LAST + 1 - start)) }, (_, step) => BigInt(start + step));
      return revisions.map((revision) => ({ stream, revision, metadata: {} }) as RecordedEvent);
    },
  };
  const reader = new EventReader(events);
  expect(await reader.read([at(2), at(5)])).toEqual(['expired', expect.objectContaining({ revision: 5n })]);
  first = 12;
  expect(await reader.read([at(10), at(12)])).toEqual(['expired', expect.objectContaining({ revision: 12n })]);
});
