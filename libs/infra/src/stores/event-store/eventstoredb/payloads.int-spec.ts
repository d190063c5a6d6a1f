import { EventStoreDBClient } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import {
  follow,
  idsOf,
  newEvent,
  numbered,
  openStore,
  start,
  startServer,
  startTestServer,
  stored,
} from '#test/support/eventstoredb/store-lab.js';
import { openEventStoreDb } from './event-store.js';

const tenMiB = 10 * 1024 * 1024;

describe('the store on EventStoreDB', () => {
  it('stores and returns payloads of 10 MiB on every path, and recognises their repetition', async () => {
    const store = openStore(await startServer());
    const large = newEvent({ text: 'ä'.repeat(tenMiB / 2), list: [1, 2] });
    const [small] = numbered(1);
    const follower = follow(store);
    const first = await store.append('test.large-1', [small!, large], 'no-stream');
    expect(await store.append('test.large-1', [small!, large], 'no-stream')).toEqual(first);
    const read = await store.readStream('test.large-1', { limit: 10 });
    expect(read).toMatchObject([small!, large]);
    expect(read[1]?.metadata).toEqual(large.metadata);
    expect((await store.readAll({ limit: 10 })).events).toEqual(read);
    await follower.until(() => follower.events().length === 2);
    expect(follower.events()).toEqual(read);
    expect(await store.head()).toBe(first.position);
  });

  it('moves only what does not fit to payload streams, and ends pages by bytes', async () => {
    const server = await startServer();
    const store = openStore(server, { pageBytes: 1_000_000 });
    const events = Array.from({ length: 30 }, (_, n) => newEvent({ n, text: 'x'.repeat(100_000) }));
    await store.append('test.many-1', events, 'no-stream');
    expect(await store.readStream('test.many-1', { limit: 100 })).toMatchObject(events);
    expect(await store.readStream('test.many-1', { limit: 100, maxBytes: 250_000 })).toHaveLength(3);
    const first = await store.readAll({ limit: 100 });
    expect(first).toMatchObject({ caughtUp: false, position: first.events.at(-1)?.position });
    expect(first.events.length).toBeLessThan(20);
    const follower = follow(store);
    await follower.until(() => follower.events().length === 30);
    expect(idsOf(follower.events())).toEqual(idsOf(events));
  });

  it('lets payloads expire a day after their stream, and leaves out events whose payload has expired', async () => {
    let now = Date.now();
    const server = await startTestServer({ now: () => now });
    const store = openStore(server);
    await store.setRetention('test.aged-1', { maxAgeSeconds: 60 });
    const large = newEvent({ text: 'x'.repeat(1_500_000) });
    const { revision } = await store.append('test.aged-1', [large], 'no-stream');
    expect(await stored(store, 'test.aged-1')).toEqual([large.id]);
    now += 61_000;
    expect(await stored(store, 'test.aged-1')).toEqual([]);
    expect(idsOf((await store.readAll({ limit: 10 })).events)).toEqual([large.id]);
    now += 86_400_000;
    expect((await store.readAll({ limit: 10 })).events).toEqual([]);
    expect(await store.append('test.aged-1', numbered(1), revision)).toMatchObject({ revision: 1n });
  });

  it('continues the revisions of a completely truncated stream, with every expectation', async () => {
    const { store } = await start();
    await store.append('test.cut-1', numbered(3), 'no-stream');
    for (const [expected, head] of [
      ['any', 3n],
      ['stream-exists', 4n],
      [4n, 5n],
    ] as const) {
      await store.truncate('test.cut-1', head);
      expect(await store.readStream('test.cut-1', { limit: 10 })).toEqual([]);
      await expect(store.append('test.cut-1', numbered(1), 'no-stream')).rejects.toMatchObject({ actual: head - 1n });
      expect(await store.append('test.cut-1', numbered(1), expected)).toMatchObject({ revision: head });
    }
    await store.truncate('test.cut-1', 1n);
    expect(await store.readStream('test.cut-1', { limit: 10 })).toHaveLength(1);
  });

  it('keeps metadata that is not its own, and both of two concurrent changes', async () => {
    const { server, store } = await start();
    const client = EventStoreDBClient.connectionString(server.connectionString);
    await client.setStreamMetadata('test.meta-1', { ours: 1 });
    await Promise.all([
      store.setRetention('test.meta-1', { maxAgeSeconds: 5 }),
      store.setRetention('test.meta-1', { maxCount: 7 }),
      store.truncate('test.meta-1', 2n),
    ]);
    await store.setRetention('test.meta-1', { maxAgeSeconds: null });
    expect((await client.getStreamMetadata('test.meta-1')).metadata).toEqual({ ours: 1, maxCount: 7, truncateBefore: 2 });
    await client.dispose();
  });

  it('accepts the newer name of the scheme, and keeps the password out of its errors', async () => {
    const server = await startServer();
    const store = openStore({ ...server, connectionString: `kurrentdb://admin:changeit@127.0.0.1:${server.port}?tls=false` });
    expect(await store.append('test.scheme-1', numbered(1), 'no-stream')).toMatchObject({ revision: 0n });
    expect(() => openEventStoreDb({ connectionString: 'esdb://admin:changeit@?' })).toThrow(/^EventStoreDB: malformed connection string$/);
  });

  it('uses TLS with the credentials of the connection string, and reports wrong ones plainly', async () => {
    const server = await startTestServer({ tls: true });
    const store = openStore(server);
    const events = numbered(3);
    await store.append('test.tls-1', events, 'no-stream');
    expect(await stored(store, 'test.tls-1')).toEqual(idsOf(events));
    const follower = follow(store);
    await follower.until(() => follower.events().length === 3);
    const stranger = openStore({ ...server, connectionString: server.connectionString.replace('changeit', 'wrong') });
    await expect(stranger.append('test.tls-1', numbered(1), 2n)).rejects.toMatchObject({ name: 'EventStoreUnavailable' });
    await expect(stranger.head()).rejects.toMatchObject({ name: 'EventStoreUnavailable' });
  });
});
