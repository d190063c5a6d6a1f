import type { StreamMetadata } from '@eventstore/db-client';
import { afterEach, describe, expect, it } from '@jest/globals';
import { EVENT_STORE_CLIENTS } from '#infra/platform/config/event-store-clients.js';
import { type EventStoreDbLog, openEventStoreDb } from '#infra/stores/event-store/eventstoredb/event-store.js';
import { newEvents } from '#test/contracts/event-store/fixture.js';
import { writeMetadata } from '#test/support/eventstoredb/foreign-writer.js';
import { startServer } from '#test/support/eventstoredb/store-lab.js';

const own = {
  categories: new Set(['status.own', 'messaging.kept', 'keys.of']),
  metadata: { 'messaging.kept': ['$maxAge', '$maxCount', '$tb'] },
};

describe.each(EVENT_STORE_CLIENTS)('metadata of our streams that somebody else sets, read by the %s client', (client) => {
  const stores: EventStoreDbLog[] = [];
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });

  const open = async () => {
    const server = await startServer();
    const openAgain = () => {
      const store = openEventStoreDb({ connectionString: server.connectionString, client, own });
      stores.push(store);
      return store;
    };
    const store = openAgain();
    const look = async (of: EventStoreDbLog = store) => Object.fromEntries(await of.foreignMetadata(AbortSignal.timeout(30_000)));
    const set = (stream: string, metadata: StreamMetadata) => writeMetadata(server.connectionString, stream, metadata);
    return { store, openAgain, look, set, server };
  };

  it('are found by members that Logbook never sets there, the newest of each stream', async () => {
    const { store, openAgain, look, set } = await open();
    expect(await look()).toEqual({});
    await store.append('status.own-1', newEvents(3), 'no-stream');
    await store.setRetention('messaging.kept-1', { maxAgeSeconds: 60, maxCount: 5 });
    await store.truncate('messaging.kept-1', 1n);
    await set('status.own-1', { maxCount: 1, custom: 'x' });
    await set('status.own', { truncateBefore: 1 });
    await set('messaging.kept-2', { maxAge: 5, acl: { readRoles: ['nobody'] } });
    await set('payload-1', { maxAge: 5 });
    await set('payload-2', { maxCount: 1 });
    await set('keys.of-1', { cacheControl: 5, custom: 'x' });
    for (const others of ['orders-1', 'status.owned-1', 'xstatus.own-1', '$$status.own-1']) await set(others, { maxCount: 1 });
    const found = {
      'status.own-1': ['$maxCount'],
      'status.own': ['$tb'],
      'messaging.kept-2': ['$acl'],
      'payload-2': ['$maxCount'],
    };
    expect(await look()).toEqual(found);
    expect(await look()).toEqual(found);
    await set('status.own-1', { custom: 'x' });
    await set('messaging.kept-2', { maxAge: 5 });
    await set('keys.of-1', { maxAge: 5, maxCount: 1 });
    const { 'status.own': own, 'payload-2': payload } = found;
    const now = { 'status.own': own, 'payload-2': payload, 'keys.of-1': ['$maxAge', '$maxCount'] };
    expect([await look(), await look(openAgain())]).toEqual([now, now]);
  });

  it('are found behind more changes of metadata than a page has, and gone with a log that is put back', async () => {
    const { store, look, set, server } = await open();
    const backup = await server.backup();
    // In batches: a real server behind the vendor's client answers some 500 calls a second, and the last of 1,001 would time out.
    for (let done = 0; done < 1_001; done += 91)
      await Promise.all(Array.from({ length: 91 }, (_, n) => store.truncate(`messaging.kept-${done + n}`, 1n)));
    await set('status.own-1', { maxCount: 1 });
    expect(await look()).toEqual({ 'status.own-1': ['$maxCount'] });
    await server.goDown();
    await server.comeUp(backup);
    expect(await look()).toEqual({});
  });

  it('are searched no longer than the caller waits', async () => {
    const { store } = await open();
    await expect(store.foreignMetadata(AbortSignal.abort())).rejects.toThrow('EventStoreDB does not answer');
  });
});
