import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { NewEvent } from '#domain/shared/events.js';
import { idsOf, newEvent, newEvents } from '#test/contracts/event-store/fixture.js';
import {
  interruption,
  openStore,
  SHORT,
  start,
  startServer,
  startSimulated,
  startTestServer,
  stored,
} from '#test/support/eventstoredb/store-lab.js';
import { eventually, inTheEnd } from '#test/support/eventually.js';

describe('appends on EventStoreDB', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each([
    ['silence', { appendMs: SHORT.appendMs }],
    ['cut', {}],
  ] as const)('are written once and acknowledged when answers are lost (%s)', async (by, limits) => {
    const { server, store } = await startSimulated({}, limits);
    const events = newEvents(20);
    server.loseAnswers(5, by);
    const expectations = ['any', 'no-stream', { from: 'no-stream' }] as const;
    const results = await Promise.all(events.map((event, n) => store.append(`test.lost-${n}`, [event], expectations[n % 3] ?? 'any')));
    expect(results.map((result) => result.revision)).toEqual(events.map(() => 0n));
    const all = await store.readAll({ limit: 100 });
    expect(new Set(idsOf(all.events))).toEqual(new Set(idsOf(events)));
    expect(all.events).toHaveLength(events.length);
  });

  it('are acknowledged, and later ones continue, when answers come later than the time limit', async () => {
    const { server, store } = await startSimulated({}, { appendMs: SHORT.appendMs });
    server.answerLate(2 * SHORT.appendMs);
    const [first, second] = newEvents(2);
    const result = await store.append('test.late-1', [first!], 'no-stream');
    server.answerLate(0);
    expect(result).toMatchObject({ revision: 0n });
    expect(await store.append('test.late-1', [second!], 0n)).toMatchObject({ revision: 1n });
    expect(await stored(store, 'test.late-1')).toEqual(idsOf([first!, second!]));
  });

  it.each([
    ['an exact revision', 0n, 0n],
    ['a known revision', { from: 0n }, { from: 0n, sentBefore: true }],
  ] as const)(
    'after %s have an unknown outcome while the server is frozen, and can be repeated after it',
    async (_name, expected, again) => {
      const server = await startServer();
      const [first, second] = newEvents(2);
      const store = openStore(server, SHORT);
      await inTheEnd(() => store.append('test.frozen-1', [first!], 'no-stream'));
      server.freeze();
      const during = expect(store.append('test.frozen-1', [second!], expected)).rejects.toMatchObject({ name: 'AppendOutcomeUnknown' });
      await expect(store.readStream('test.frozen-1', { limit: 1 })).rejects.toMatchObject({ name: 'EventStoreUnavailable' });
      await during;
      server.thaw();
      expect(await inTheEnd(() => store.append('test.frozen-1', [second!], again))).toMatchObject({ revision: 1n });
      expect(await stored(openStore(server), 'test.frozen-1')).toEqual(idsOf([first!, second!]));
    },
  );

  it('survive a freeze that is shorter than their time limit, on a new connection', async () => {
    const { server, store } = await start({ appendMs: SHORT.appendMs });
    await store.append('test.thawed-1', newEvents(1), 'no-stream');
    server.freeze();
    const [event] = newEvents(1);
    const interrupted = interruption(store);
    const append = store.append('test.thawed-1', [event!], 0n);
    await interrupted; // it has given up the connection
    server.thaw();
    expect(await append).toMatchObject({ revision: 1n });
    expect(await stored(store, 'test.thawed-1')).toHaveLength(2);
  });

  it('wait for a server that is not ready, and are refused as not written if it stays so', async () => {
    const { server, store } = await startSimulated({}, { retryMs: SHORT.retryMs });
    server.refuseNotReady(true);
    await expect(store.append('test.ready-1', newEvents(1), 'no-stream')).rejects.toMatchObject({ name: 'EventStoreUnavailable' });
    await expect(store.readAll({ limit: 1 })).rejects.toMatchObject({ name: 'EventStoreUnavailable' });
    const patient = openStore(server);
    const interrupted = interruption(patient);
    const waiting = patient.append('test.ready-1', newEvents(1), 'no-stream');
    await interrupted; // it was refused
    server.refuseNotReady(false);
    expect(await waiting).toMatchObject({ revision: 0n });
  });

  it('are refused as not written while the server is down, and succeed once it is up', async () => {
    const { server, store } = await start({ retryMs: SHORT.retryMs });
    await server.goDown();
    await expect(store.append('test.down-1', newEvents(1), 'no-stream')).rejects.toMatchObject({ name: 'EventStoreUnavailable' });
    await expect(store.head()).rejects.toMatchObject({ name: 'EventStoreUnavailable' });
    await server.comeUp();
    expect(await inTheEnd(() => store.append('test.down-1', newEvents(1), 'no-stream'))).toMatchObject({ revision: 0n });
  });

  it('are refused in time when the clock of this node is set back meanwhile', async () => {
    const { server, store } = await startSimulated({}, { retryMs: SHORT.retryMs });
    await server.goDown();
    const refused = expect(store.append('test.clock-1', newEvents(1), 'no-stream')).rejects.toMatchObject({
      name: 'EventStoreUnavailable',
    });
    const now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now - 3_600_000);
    await refused;
    await server.comeUp();
    expect(await inTheEnd(() => store.append('test.clock-1', newEvents(1), 'no-stream'))).toMatchObject({ revision: 0n });
  });

  it('are known to be impossible while the server is down or not ready, and to be possible again without having tried', async () => {
    const { server, store } = await start();
    await store.append('test.trouble-1', newEvents(1), 'no-stream');
    expect(await store.trouble()).toBeNull();
    await server.goDown();
    await expect(store.trouble()).rejects.toMatchObject({ name: 'EventStoreUnavailable' });
    await server.comeUp();
    expect(await store.trouble()).toBeNull();
    const end = await store.end();
    server.simulated?.refuseNotReady(true);
    if (server.simulated) await expect(store.trouble()).rejects.toMatchObject({ name: 'EventStoreUnavailable' });
    server.simulated?.refuseNotReady(false);
    expect(await store.trouble()).toBeNull();
    expect(await store.end()).toBe(end);
  });

  it('that are not answered are trouble, although the server refuses others as it should', async () => {
    const server = await startTestServer();
    const store = openStore(server, { slowMs: 300 });
    await store.append('test.slow-1', newEvents(1), 'no-stream');
    server.loseAnswers(1, 'silence');
    const unanswered = store.append('test.slow-1', newEvents(1), 0n);
    const trouble = await eventually(() => store.trouble().catch((error: Error) => error.message)).until((found) => found !== null);
    expect(trouble).toBe('EventStoreDB does not answer appends');
    await server.restart();
    expect(await unanswered).toMatchObject({ revision: 1n });
    expect(await store.trouble()).toBeNull();
  });

  it('are written exactly once each through restarts, with every expectation', async () => {
    const { server, store } = await start();
    const events = newEvents(60);
    const writers = [0, 1, 2].map(async (writer) => {
      for (const [n, event] of events.entries()) {
        if (n % 3 !== writer) continue;
        const expected = writer === 0 ? 'any' : n < 3 ? 'no-stream' : BigInt(Math.floor(n / 3) - 1);
        await store.append(`test.restart-${writer}`, [event], expected);
        if (n === 15 || n === 40) await server.restart();
      }
    });
    await Promise.all(writers);
    for (const writer of [0, 1, 2]) {
      expect(await stored(store, `test.restart-${writer}`)).toEqual(idsOf(events.filter((_, n) => n % 3 === writer)));
    }
  });

  it('from a known revision are written exactly once each through restarts, while another node appends', async () => {
    const { server, store } = await start();
    const other = openStore(server);
    const events = newEvents(60);
    const write = async (node: typeof store, mine: number): Promise<void> => {
      let from: bigint | 'no-stream' = 'no-stream';
      for (const [n, event] of events.entries()) {
        if (n % 2 !== mine) continue;
        ({ revision: from } = await node.append('test.from-1', [event], { from }));
        if (n === 15 || n === 40) await server.restart();
      }
    };
    await Promise.all([write(store, 0), write(other, 1)]);
    expect([...(await stored(store, 'test.from-1'))].sort()).toEqual([...idsOf(events)].sort());
  });

  it('recognise repeated ids among hundreds of events of the stream after a restart', async () => {
    const { server, store } = await start();
    const [repeated, ...others] = newEvents(900);
    await store.append('test.repeated-1', [repeated!], 'any');
    await store.append('test.repeated-1', others, 'any');
    await server.restart();
    const expected = { from: 'no-stream', sentBefore: true } as const;
    expect(await store.append('test.repeated-1', [repeated!], expected)).toMatchObject({ revision: 0n });
    expect(await stored(store, 'test.repeated-1')).toHaveLength(900);
  });

  it('move to the leader when the node has become a follower', async () => {
    const [follower, leader] = [await startTestServer(), await startTestServer()];
    const store = openStore(follower);
    await store.append('test.leader-1', newEvents(1), 'no-stream');
    follower.notLeader(true, { host: '127.0.0.1', port: leader.port });
    const [event] = newEvents(1);
    await follower.restart(); // the follower keeps forwarding an open call
    expect(await store.append('test.leader-2', [event!], 'no-stream')).toMatchObject({ revision: 0n });
    expect(await stored(openStore(leader), 'test.leader-2')).toEqual([event!.id]);
    expect(await stored(store, 'test.leader-2')).toEqual([event!.id]);
  });

  it('never reach the server if they are malformed', async () => {
    const { server, store } = await start();
    await server.goDown();
    const bad: readonly [string, readonly NewEvent[]][] = [
      ['payload-mine', [newEvent()]],
      ['test.bad-1', []],
      ['test.bad-1', [{ ...newEvent(), id: 'x' }]],
      ['test.bad-1', [{ ...newEvent(), type: '$metadata' }]],
    ];
    for (const [stream, events] of bad) {
      await expect(store.append(stream, events, 'any')).rejects.toMatchObject({ name: 'InvalidAppend' });
    }
  });
});
