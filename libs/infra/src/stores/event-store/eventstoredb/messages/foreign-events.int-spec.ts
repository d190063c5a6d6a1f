import { afterEach, describe, expect, it } from '@jest/globals';
import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import { openEventStoreDb } from '#infra/stores/event-store/eventstoredb/event-store.js';
import { idsOf, newEvents } from '#test/contracts/event-store/fixture.js';
import { chosenClient } from '#test/support/eventstoredb/chosen-client.js';
import { FOREIGN_COUNT, writeEvents, writeForeign } from '#test/support/eventstoredb/foreign-writer.js';
import { unreadableEvents } from '#test/support/eventstoredb/odd-events.js';
import { startServer } from '#test/support/eventstoredb/store-lab.js';
import type { ForeignEvent } from './foreign-events.js';

describe('a log that other programs write, too', () => {
  const stores: EventStore[] = [];
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });

  const open = async () => {
    const { connectionString } = await startServer();
    const passed: ForeignEvent[] = [];
    const own = { categories: new Set(['status.tenants', 'status.own']), passedOver: (event: ForeignEvent) => passed.push(event) };
    const store = openEventStoreDb({ connectionString, client: chosenClient(), limits: { idleMs: 300 }, own });
    stores.push(store);
    return { connectionString, store, passed };
  };

  /** Reads all events up to the wanted one, as a follower does. */
  const followTo = async (store: EventStore, id: string | undefined): Promise<readonly string[]> => {
    const abort = new AbortController();
    const batches: EventBatch[] = [];
    for await (const batch of store.subscribeAll({ after: 0n, signal: abort.signal })) {
      batches.push(batch);
      if (batch.events.some((event) => event.id === id)) break;
    }
    abort.abort();
    return idsOf(batches.flatMap(({ events }) => events));
  };

  it('shows those of Logbook only, read and followed, and tells of each of the others once', async () => {
    const { connectionString, store, passed } = await open();
    const [first, second, third, newer] = newEvents(4);
    await store.append('status.own-1', [first!], 'no-stream');
    await writeForeign(connectionString);
    await store.append('status.own-1', [second!], 0n);
    // A newer version of Logbook beside this one writes categories unknown to this one.
    await store.append('status.newer-1', [newer!], 'no-stream');
    const ids = idsOf([first!, second!, newer!]);
    const page = await store.readAll({ limit: 100 });
    expect(idsOf(page.events)).toEqual(ids);
    expect(page).toMatchObject({ caughtUp: true, position: await store.end() });
    // Three at once share their pages and the live subscription.
    const following = Promise.all([1, 2, 3].map(() => followTo(store, third!.id)));
    await writeForeign(connectionString);
    await store.append('status.own-1', [third!], 1n);
    for (const seen of await following) expect(seen).toEqual([...ids, third!.id]);
    expect(passed).toHaveLength(2 * FOREIGN_COUNT);
    expect(new Set(passed.map(({ position }) => position)).size).toBe(2 * FOREIGN_COUNT);
    expect(passed[0]).toMatchObject({ stream: 'orders-1', type: 'order-placed' });
  });

  it.each(['Odd', '$>'])(
    'has events of type %s that somebody else wrote into a stream of ours, read by both clients alike',
    async (type) => {
      const { connectionString, store } = await open();
      const [before, after] = newEvents(2);
      await store.append('status.own-1', [before!], 'no-stream');
      const odd = unreadableEvents(type);
      await writeEvents(connectionString, 'status.tenants-global', Object.values(odd));
      await store.append('status.tenants-global', [after!], BigInt(Object.keys(odd).length - 1));
      const other = openEventStoreDb({ connectionString, client: chosenClient() === 'native' ? 'official' : 'native' });
      stores.push(other);

      const { events } = await store.readAll({ limit: 100 });
      expect(idsOf(events)).toEqual([before!.id, ...Object.values(odd).map(({ id }) => id), after!.id]);
      const shown = Object.fromEntries(Object.keys(odd).map((name, index) => [name, events[index + 1]!]));
      for (const [name, { id, metadata, data, ...event }] of Object.entries(shown)) {
        const { contentType, data: written, metadata: besides } = odd[name]!;
        const stored = contentType === 'application/json' ? JSON.stringify(written) : (written as Uint8Array);
        const about = besides === undefined ? '' : besides instanceof Uint8Array ? besides : JSON.stringify(besides);
        expect([name, event.type, data]).toEqual([
          name,
          'UnreadableEvent',
          { type, reason: expect.any(String), data: base64(stored), metadata: base64(about) },
        ]);
        const time = new Date(event.recordedAt).toISOString();
        expect(metadata).toMatchObject({ time, actor: { kind: 'system', id: 'unknown' }, requestId: id, schemaVersion: 1 });
      }
      const inStream = events.slice(1);
      expect(await store.readStream('status.tenants-global', { limit: 100 })).toEqual(inStream);
      expect((await other.readAll({ limit: 100 })).events).toEqual(events);
      expect(await other.readStream('status.tenants-global', { limit: 100 })).toEqual(inStream);
      expect(await followTo(store, after!.id)).toEqual(idsOf(events));
      expect((await store.readAll({ categories: ['status.own'], limit: 100 })).events).toHaveLength(1);
    },
  );
});

const base64 = (stored: string | Uint8Array): string => Buffer.from(stored as string).toString('base64');
