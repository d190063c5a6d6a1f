import { describe, expect, it } from '@jest/globals';
import type { EventStore } from '#domain/shared/event-store.js';
import { idsOf, newEvent, newEvents } from '#test/contracts/event-store/fixture.js';
import type { LogServer } from '#test/support/eventstoredb/log-server.js';
import type { EventStoreDbTestServer } from '#test/support/eventstoredb/server.js';
import {
  follow,
  interruption,
  openStore,
  SHORT,
  start,
  startServer,
  startSimulated,
  startTestServer,
} from '#test/support/eventstoredb/store-lab.js';
import { inTheEnd } from '#test/support/eventually.js';

/** Expects that a follower has seen all events, once, in order, with increasing positions. */
const expectExactly = (follower: ReturnType<typeof follow>, ids: readonly string[]) => {
  expect(idsOf(follower.events)).toEqual(ids);
  const positions = follower.batches.map((batch) => batch.position);
  expect(positions).toEqual([...positions].sort((one, other) => (one < other ? -1 : 1)));
  for (const batch of follower.batches) expect(batch.position >= (batch.events.at(-1)?.position ?? 0n)).toBe(true);
};

/** A fault of the server; a store with a live subscription notices it. */
type Strike<Server> = (server: Server, store: EventStore) => Promise<void>;

const faults: Record<string, Strike<LogServer>> = {
  'a restart of the server': (server) => server.restart(),
  'a freeze': async (server, store) => {
    const interrupted = interruption(store, 'reads');
    server.freeze();
    await interrupted;
    server.thaw();
  },
};

const simulatedFaults: Record<string, Strike<EventStoreDbTestServer>> = {
  'the end of calls without a status': async (server) => server.endCallsWithoutStatus(),
  'being dropped as too slow': async (server) => server.dropSubscriptions(),
  'an election': async (server, store) => {
    const interrupted = interruption(store, 'reads');
    server.refuseNotReady(true);
    server.dropSubscriptions();
    await interrupted; // the next one was refused
    server.refuseNotReady(false);
  },
};

const expectNothingLostThrough = async (
  server: Pick<LogServer, 'connectionString' | 'isReal'>,
  strike: (store: EventStore) => Promise<void>,
) => {
  const store = openStore(server, { silenceMs: SHORT.silenceMs });
  const writer = openStore(server); // only the subscription is tested
  const [before, during, after] = [newEvents(30), newEvents(30), newEvents(30)];
  await writer.append('test.all-1', before.slice(0, 20), 'no-stream');
  const follower = follow(store);
  await follower.caughtUp();
  await writer.append('test.all-1', before.slice(20), 19n);
  await follower.until(() => follower.events.length === 30);
  await strike(store);
  await writer.append('test.all-2', during, 'no-stream');
  await follower.until(() => follower.events.length === 60);
  await strike(store);
  await writer.append('test.all-3', after, 'no-stream');
  await follower.until(() => follower.events.length === 90);
  expectExactly(follower, idsOf([...before, ...during, ...after]));
  await follower.stop();
};

describe('subscriptions on EventStoreDB', () => {
  it.each(Object.entries(faults))('lose and repeat nothing through %s', async (_, strike) => {
    const server = await startServer();
    await expectNothingLostThrough(server, (store) => strike(server, store));
  });

  it.each(Object.entries(simulatedFaults))('lose and repeat nothing through %s', async (_, strike) => {
    const server = await startTestServer();
    await expectNothingLostThrough(server, (store) => strike(server, store));
  });

  it('hold little for a slow consumer, and deliver everything in the end', async () => {
    const server = await startTestServer();
    const store = openStore(server, { queueEvents: 20 });
    const abort = new AbortController();
    const seen: string[] = [];
    const events = newEvents(600);
    let caughtUp = (): void => {};
    const isCaughtUp = new Promise<void>((resolve) => {
      caughtUp = resolve;
    });
    let goOn = (): void => {};
    const mayGoOn = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const consumer = (async () => {
      for await (const batch of store.subscribeAll({ after: 0n, categories: ['test.slow'], signal: abort.signal, maxBatch: 50 })) {
        seen.push(...idsOf(batch.events));
        if (batch.caughtUp) caughtUp();
        if (seen.length === 1) await mayGoOn;
        if (seen.length === events.length) abort.abort();
      }
    })();
    await isCaughtUp;
    server.dropSlowConsumers(true);
    for (const [n, event] of events.entries()) await store.append('test.slow-1', [event], n === 0 ? 'no-stream' : BigInt(n - 1));
    goOn();
    await consumer;
    expect(seen).toEqual(idsOf(events));
  });

  it('report their progress while nothing passes the filter', async () => {
    const { store } = await start();
    const follower = follow(store);
    await follower.caughtUp();
    const { position } = await store.append('other.stream-1', newEvents(600), 'no-stream');
    await follower.until(() => (follower.batches.at(-1)?.position ?? 0n) >= position);
    expect(follower.events).toEqual([]);
  });

  it('are sent only their own events', async () => {
    const { server, store } = await startSimulated();
    const follower = follow(store);
    await follower.caughtUp();
    await store.append('other.stream-1', newEvents(40), 'no-stream');
    await store.append('test.all-1', newEvents(1), 'no-stream');
    await follower.until(() => follower.events.length === 1);
    expect(server.sent()).toBe(1);
  });

  it('leave out system streams and parts of payloads when no category is given', async () => {
    const { store } = await start();
    const [small, large] = [newEvent({ n: 1 }), newEvent({ text: 'x'.repeat(3_000_000) })];
    await store.append('test.any-1', [small], 'no-stream');
    await store.setRetention('test.any-1', { maxCount: 10 });
    await store.append('other.any-1', [large], 'no-stream');
    const abort = new AbortController();
    const ids: string[] = [];
    for await (const batch of store.subscribeAll({ after: 0n, signal: abort.signal })) {
      ids.push(...idsOf(batch.events));
      if (batch.caughtUp) abort.abort();
    }
    expect(ids).toEqual([small.id, large.id]);
    expect(idsOf((await store.readAll({ limit: 10 })).events)).toEqual(ids);
  });

  it('end without an error at abort, at close and by break, also while the server is frozen', async () => {
    const { server, store } = await start();
    await store.append('test.end-1', newEvents(3), 'no-stream');
    const [aborted, closed] = [follow(store), follow(store)];
    await Promise.all([aborted.caughtUp(), closed.caughtUp()]);
    for await (const batch of store.subscribeAll({ after: 0n, signal: new AbortController().signal })) if (batch.caughtUp) break;
    server.freeze();
    await aborted.stop();
    await store.close();
    await expect(closed.until(() => false)).rejects.toThrow('the subscription ended');
    server.thaw();
    await expect(store.head()).rejects.toMatchObject({ name: 'EventStoreUnavailable' });
  });
});

describe('interruptions of EventStoreDB', () => {
  it('are reported before anything of the returning server is handed over', async () => {
    const server = await startServer();
    const store = openStore(server);
    const seen: string[] = [];
    const stop = store.onInterruption(() => seen.push('interruption'));
    await store.append('test.told-1', newEvents(1), 'no-stream');
    const follower = follow(store);
    await follower.caughtUp();
    expect(seen).toEqual([]);
    await server.goDown();
    await server.comeUp();
    await openStore(server).append('test.told-2', newEvents(1, 1), 'no-stream');
    await follower.until(() => follower.events.length === 2 && seen.push('event') > 0);
    expect(seen[0]).toBe('interruption');
    stop();
    const before = seen.length;
    await server.restart();
    await openStore(server).append('test.told-3', newEvents(1, 2), 'no-stream');
    await follower.until(() => follower.events.length === 3);
    expect(seen).toHaveLength(before);
  });

  it('are not reported for being dropped as too slow, the end of a subscription, a refused append, or closing', async () => {
    const { server, store } = await startSimulated();
    let interruptions = 0;
    store.onInterruption(() => {
      interruptions += 1;
    });
    const follower = follow(store);
    await follower.caughtUp();
    server.dropSubscriptions();
    await store.append('test.calm-1', newEvents(2), 'no-stream');
    await follower.until(() => follower.events.length === 2);
    await expect(store.append('test.calm-1', newEvents(1), 'no-stream')).rejects.toMatchObject({ name: 'WrongExpectedRevision' });
    await follower.stop();
    await store.close();
    expect(interruptions).toBe(0);
  });

  it('are reported for an append that was cut off', async () => {
    const { server, store } = await startSimulated();
    let interruptions = 0;
    store.onInterruption(() => {
      interruptions += 1;
    });
    await store.append('test.cut-1', newEvents(1), 'no-stream');
    expect(interruptions).toBe(0);
    server.loseAnswers(1, 'cut');
    await store.append('test.cut-1', newEvents(1, 1), 0n);
    expect(interruptions).toBeGreaterThan(0);
  });

  it('are reported when a connection is cut on which there are no calls', async () => {
    const server = await startServer();
    const store = openStore(server);
    await store.end();
    const reported = new Promise<void>((resolve) => {
      store.onInterruption(resolve, 'reads');
    });
    await server.goDown();
    await reported;
  });

  it('of appends are none of reads, unless reads are interrupted too', async () => {
    const { server, store } = await startSimulated({}, { appendMs: SHORT.appendMs });
    await store.append('test.apart-1', newEvents(1), 'no-stream');
    const seen: string[] = [];
    store.onInterruption(() => seen.push('calls'));
    store.onInterruption(() => seen.push('reads'), 'reads');
    server.loseAnswers(1);
    await store.append('test.apart-1', newEvents(1, 1), 0n);
    await store.end();
    expect(seen).toContain('calls');
    expect(seen).not.toContain('reads');
    const impatient = openStore(server, SHORT);
    await inTheEnd(() => impatient.end());
    const interrupted = interruption(impatient, 'reads');
    server.freeze();
    await expect(impatient.append('test.apart-1', newEvents(1, 2), 1n)).rejects.toThrow();
    await interrupted; // no other read would reveal it
    server.thaw();
  });
});
