import { randomUUID } from 'node:crypto';
import { binaryEvent, EventStoreDBClient, jsonEvent, START, streamNameFilter } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import type { ReadStreamOptions } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { idsOf, newEvent, newEvents } from '#test/contracts/event-store/fixture.js';
import { writeEvents, writeMetadata } from '#test/support/eventstoredb/foreign-writer.js';
import {
  follow,
  openStore,
  SHORT,
  start,
  startServer,
  startSimulated,
  startTestServer,
  stored,
} from '#test/support/eventstoredb/store-lab.js';
import { openEventStoreDb } from './event-store.js';

const tenMiB = 10 * 1024 * 1024;

describe('the store on EventStoreDB', () => {
  it('stores and returns payloads of 10 MiB on every path, and recognises their repetition', async () => {
    const store = openStore(await startServer());
    const large = newEvent({ text: 'ä'.repeat(tenMiB / 2), list: [1, 2] });
    const [small] = newEvents(1);
    const follower = follow(store);
    const first = await store.append('test.large-1', [small!, large], 'no-stream');
    expect(await store.append('test.large-1', [small!, large], 'no-stream')).toEqual(first);
    const read = await store.readStream('test.large-1', { limit: 10 });
    expect(read).toMatchObject([small!, large]);
    expect(read[1]?.metadata).toEqual(large.metadata);
    expect((await store.readAll({ limit: 10 })).events).toEqual(read);
    await follower.until(() => follower.events.length === 2);
    expect(follower.events).toEqual(read);
    expect(await store.head()).toBe(first.position);
  });

  it('moves only what does not fit to a payload stream, and ends pages by bytes', async () => {
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
    await follower.until(() => follower.events.length === 30);
    expect(idsOf(follower.events)).toEqual(idsOf(events));
  });

  it('stores thousands of small messages of one append, and returns them on every path', async () => {
    const store = openStore(await startServer());
    const events = Array.from({ length: 3_000 }, (_, n) => newEvent({ n, text: 'ä'.repeat(300) }));
    const first = await store.append('test.small-1', events, 'no-stream');
    expect(await store.append('test.small-1', events, 'no-stream')).toEqual(first);
    const sent = events.map(({ data }) => data);
    const dataOf = (read: readonly RecordedEvent[]) => read.map(({ data }) => data);
    expect(dataOf(await store.readStream('test.small-1', { limit: 10_000 }))).toEqual(sent);
    expect(dataOf(await store.readStream('test.small-1', { from: 2_345n, limit: 2 }))).toEqual(sent.slice(2_345, 2_347));
    expect(dataOf((await store.readAll({ limit: 10_000 })).events)).toEqual(sent);
    const follower = follow(store);
    await follower.until(() => follower.events.length === events.length);
    expect(dataOf(follower.events)).toEqual(sent);
  });

  it('reads payloads that 1.0 has written, and leaves out those that have expired', async () => {
    const server = await startServer();
    const store = openStore(server);
    const [id, gone] = [randomUUID(), randomUUID()];
    const { metadata, data } = newEvent({ text: 'ä'.repeat(100) });
    const whole = Buffer.from(JSON.stringify(data));
    const parts = [whole.subarray(0, 50), whole.subarray(50)].map((part) => binaryEvent({ type: 'PayloadPart', data: part }));
    await writeEvents(server.connectionString, `payload-${id}.0123456789abcdef`, parts);
    const payload = { parts: 2, bytes: whole.length, digest: '0123456789abcdef', expires: true };
    const event = (of: string) =>
      jsonEvent({ id: of, type: 'Happened', data: null as never, metadata: { ...metadata, $payload: payload } as never });
    await writeEvents(server.connectionString, 'test.old-1', [gone, id].map(event));
    await writeMetadata(server.connectionString, `payload-${gone}.0123456789abcdef`, { maxAge: 60 });
    expect(await store.readStream('test.old-1', { limit: 1 })).toMatchObject([{ id, data, metadata, revision: 1n }]);
  });

  const startAged = async () => {
    const clock = { now: Date.now() };
    const server = await startTestServer({ now: () => clock.now });
    return { clock, server, store: openStore(server) };
  };
  const large = () => newEvent({ text: 'x'.repeat(1_500_000) });

  it('keeps payloads as long as their stream keeps events and a day, also when that is changed or first set later', async () => {
    const { clock, store } = await startAged();
    const event = large();
    const { revision } = await store.append('test.aged-1', [event], 'no-stream');
    const inLog = async () => idsOf((await store.readAll({ limit: 10 })).events);
    await store.setRetention('test.aged-1', { maxAgeSeconds: 60 });
    await store.setRetention('test.aged-1', { maxAgeSeconds: 3_600 });
    clock.now += 3_599_000;
    expect(await store.readStream('test.aged-1', { limit: 10 })).toMatchObject([event]);
    clock.now += 2_000;
    expect(await stored(store, 'test.aged-1')).toEqual([]);
    clock.now += 86_390_000;
    expect(await inLog()).toEqual([event.id]);
    await store.setRetention('test.aged-1', { maxAgeSeconds: 60 });
    expect(await inLog()).toEqual([]);
    await store.setRetention('test.aged-1', { maxAgeSeconds: 200_000, maxCount: 5 });
    expect(await store.readStream('test.aged-1', { limit: 10 })).toMatchObject([event]);
    await store.setRetention('test.aged-1', { maxAgeSeconds: null });
    clock.now += 400_000_000;
    expect(await store.readStream('test.aged-1', { limit: 10 })).toMatchObject([event]);
    expect(await store.append('test.aged-1', newEvents(1), revision)).toMatchObject({ revision: 1n });
  });

  it('raises the age of payloads before that of their stream, lowers it after it, and writes nothing for a large append', async () => {
    const { server, store } = await start();
    for (const maxAgeSeconds of [60, 3_600, 3_600, 120]) {
      await store.setRetention('test.aged-1', { maxAgeSeconds });
      await store.append('test.aged-1', [large()], 'any');
    }
    await store.setRetention('test.aged-1', { maxCount: 7 });
    const client = EventStoreDBClient.connectionString(server.connectionString);
    const ages: unknown[] = [];
    const filter = streamNameFilter({ prefixes: ['$$payload-', '$$test.'] });
    for await (const { event } of client.subscribeToAll({ fromPosition: START, filter })) {
      ages.push([event?.streamId, event?.data]);
      if (ages.length === 7) break;
    }
    await client.dispose();
    const [ofStream, ofPayloads] = ['$$test.aged-1', '$$payload-test.aged-1'];
    expect(ages).toEqual([
      [ofStream, { $maxAge: 60 }],
      [ofPayloads, { $maxAge: 86_460 }],
      [ofPayloads, { $maxAge: 90_000 }],
      [ofStream, { $maxAge: 3_600 }],
      [ofStream, { $maxAge: 120 }],
      [ofPayloads, { $maxAge: 86_520 }],
      [ofStream, { $maxAge: 120, $maxCount: 7 }],
    ]);
  });

  it('fills pages of a stream behind events whose payload has left the disk, in both directions', async () => {
    const server = await startServer();
    const store = openStore(server);
    await store.setRetention('test.aged-1', { maxAgeSeconds: 60 });
    const [first, last] = newEvents(2);
    const events = [first!, large(), large(), large(), last!];
    for (const [index, event] of events.entries())
      await store.append('test.aged-1', [event], index === 0 ? 'no-stream' : BigInt(index - 1));
    await writeMetadata(server.connectionString, 'payload-test.aged-1', { maxAge: 86_460, truncateBefore: 1_000 });
    const read = async (options: Partial<ReadStreamOptions>) => idsOf(await store.readStream('test.aged-1', { limit: 1, ...options }));
    expect(await read({ from: 1n })).toEqual([last!.id]);
    expect(await read({ from: 1n, maxBytes: 10 })).toEqual([last!.id]);
    expect(await read({ limit: 2, maxBytes: 1_000_000 })).toEqual([first!.id, last!.id]);
    expect(await read({ from: 3n, direction: 'backwards' })).toEqual([first!.id]);
    expect(await read({ limit: 2, direction: 'backwards' })).toEqual([last!.id, first!.id]);
  });

  it.each(['silence', 'cut'] as const)('finds the parts of a large append when answers are lost (%s)', async (by) => {
    const { server, store } = await startSimulated({}, { unknownOutcomes: 1, ...(by === 'silence' && { appendMs: SHORT.appendMs }) });
    const events = [large(), large()];
    server.loseAnswers(3, by);
    await store.append('test.lost-1', events, 'no-stream');
    expect(await store.readStream('test.lost-1', { limit: 10 })).toMatchObject(events);
  });

  it('keeps large appends apart that are made at the same time', async () => {
    const server = await startServer();
    const stores = [openStore(server), openStore(server)];
    const events = Array.from({ length: 8 }, (_, n) => newEvent({ n, text: `${n}`.repeat(2_500_000) }));
    const from = { from: 'no-stream', sentBefore: false } as const;
    await Promise.all(events.map((event, n) => stores[n % 2]!.append('test.apart-1', [event], from)));
    const read = await stores[0]!.readStream('test.apart-1', { limit: 10 });
    expect([...read].sort((one, other) => Number(one.data.n) - Number(other.data.n))).toMatchObject(events);
  });

  it('continues the revisions of a completely truncated stream, with every expectation', async () => {
    const { store } = await start();
    await store.append('test.cut-1', newEvents(3), 'no-stream');
    for (const [expected, head] of [
      ['any', 3n],
      [3n, 4n],
    ] as const) {
      await store.truncate('test.cut-1', head);
      expect(await store.readStream('test.cut-1', { limit: 10 })).toEqual([]);
      await expect(store.append('test.cut-1', newEvents(1), 'no-stream')).rejects.toMatchObject({ actual: head - 1n });
      expect(await store.append('test.cut-1', newEvents(1), expected)).toMatchObject({ revision: head });
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
    expect(await store.append('test.scheme-1', newEvents(1), 'no-stream')).toMatchObject({ revision: 0n });
    expect(() => openEventStoreDb({ connectionString: 'esdb://admin:changeit@?' })).toThrow(/^EventStoreDB: malformed connection string$/);
  });

  it('uses TLS with the credentials of the connection string, and reports wrong ones plainly', async () => {
    const server = await startTestServer({ tls: true });
    const store = openStore(server);
    const events = newEvents(3);
    await store.append('test.tls-1', events, 'no-stream');
    expect(await stored(store, 'test.tls-1')).toEqual(idsOf(events));
    const follower = follow(store);
    await follower.until(() => follower.events.length === 3);
    const stranger = openStore({ ...server, connectionString: server.connectionString.replace('changeit', 'wrong') });
    await expect(stranger.append('test.tls-1', newEvents(1), 2n)).rejects.toMatchObject({ name: 'EventStoreUnavailable' });
    await expect(stranger.head()).rejects.toMatchObject({ name: 'EventStoreUnavailable' });
  });
});
