import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AppendOutcomeUnknown, EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { ReadTrail, type RecordedRead } from './read-trail.js';

const SPAN_MS = 600_000;
const NOON = Date.UTC(2026, 2, 1, 12);

const contextOf = (id: string, requestId: string): CommandContext => ({
  actor: { kind: 'key', id },
  service: 'ops',
  requestId,
  correlationId: requestId,
  causationId: requestId,
  time: new Date(NOON).toISOString(),
});

const pastRead = (path: string, requestId: string): RecordedRead => ({ type: 'AsOfRead', data: { path, position: '7', requestId } });

describe('Reads on record', () => {
  const events: { type: string; actor: string; causedBy: string; data: object }[] = [];
  let away = false;
  /** Whether the log holds the events, but does not answer. */
  let silent = false;
  const keys = new Set<string>();
  const processor = {
    execute: async ({ decider, command, context }: Parameters<ConstructorParameters<typeof ReadTrail>[0]['execute']>[0]) => {
      if (away) throw new EventStoreUnavailable('away');
      const { key } = context.idempotency ?? {};
      const repeated = key !== undefined && keys.has(key);
      if (repeated) return { events: [], position: BigInt(events.length), repeated };
      if (key !== undefined) keys.add(key);
      for (const { type, data } of decider.decide(command, decider.initialState()))
        events.push({ type, actor: context.actor.id, causedBy: context.causationId, data: data as object });
      if (silent) throw new AppendOutcomeUnknown('silent');
      return { events: [], position: BigInt(events.length), repeated };
    },
  };
  const warned: object[] = [];
  const opened = () => new ReadTrail(processor as never, Date.now, { warn: (facts: object) => warned.push(facts) } as never);
  const read = (trail: ReadTrail, id: string, path: string, requestId: string) =>
    trail.record(pastRead(path, requestId), contextOf(id, requestId));

  beforeEach(() => {
    jest.useFakeTimers({ now: NOON });
    events.length = 0;
    warned.length = 0;
    away = false;
    silent = false;
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('are in the log before they are answered, the first of an actor and kind', async () => {
    const trail = opened();
    expect(await read(trail, 'ada', '/v1/projects', 'r1')).toBe(1n);
    expect(await read(trail, 'bob', '/v1/projects', 'r2')).toBe(2n);
    expect(await trail.record({ type: 'AccessKeysListed', data: {} }, contextOf('ada', 'r3'))).toBe(3n);
    expect(events.map(({ type, actor, data }) => [type, actor, data])).toEqual([
      ['AsOfRead', 'ada', { path: '/v1/projects', position: '7', requestId: 'r1' }],
      ['AsOfRead', 'bob', { path: '/v1/projects', position: '7', requestId: 'r2' }],
      ['AccessKeysListed', 'ada', {}],
    ]);
  });

  it('are one event for ten minutes, which names each different one once', async () => {
    const trail = opened();
    await read(trail, 'ada', '/a', 'r1');
    for (const [path, requestId] of [
      ['/b', 'r2'],
      ['/c', 'r3'],
      ['/b', 'r4'],
      ['/c', 'r5'],
    ] as const) {
      jest.setSystemTime(Date.now() + 1_000);
      expect(await read(trail, 'ada', path, requestId)).toBe(1n);
    }
    expect(events).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(SPAN_MS);
    expect(events.slice(1)).toEqual([
      {
        type: 'AsOfRead',
        actor: 'ada',
        causedBy: 'r2',
        data: {
          path: '/b',
          position: '7',
          requestId: 'r2',
          also: [{ path: '/c', position: '7', requestId: 'r3', time: '2026-03-01T12:00:02.000Z' }],
          more: 2,
        },
      },
    ]);
    await read(trail, 'ada', '/d', 'r6'); // the ten minutes after a gathered event gather again
    expect(events).toHaveLength(2);
    await jest.advanceTimersByTimeAsync(SPAN_MS);
    await jest.advanceTimersByTimeAsync(SPAN_MS);
    expect(events).toHaveLength(3);
    expect(await read(trail, 'ada', '/e', 'r7')).toBe(4n); // nothing was read for ten minutes
  });

  it('are beside refused calls of the key administration, of which the first of a method and status is in the log at once', async () => {
    const trail = opened();
    const refused = (method: string, status: number) =>
      trail.record({ type: 'AccessKeyCallRefused', data: { method, status } }, contextOf('ada', 'r'));
    for (let times = 0; times < 1_000; times += 1) await refused('GET', 400);
    expect(await refused('POST', 400)).toBe(2n);
    await trail.close();
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['AccessKeyCallRefused', { method: 'GET', status: 400 }],
      ['AccessKeyCallRefused', { method: 'POST', status: 400 }],
      ['AccessKeyCallRefused', { method: 'GET', status: 400, more: 998 }],
    ]);
  });

  it('are bounded in what they name', async () => {
    const trail = opened();
    for (let at = 0; at < 1_000; at += 1) await read(trail, 'ada', `/${at}`, `r${at}`);
    await trail.close();
    const [, gathered] = events;
    expect(events).toHaveLength(2);
    expect(gathered?.data).toMatchObject({ path: '/1', more: 798 });
    expect(gathered?.data).toHaveProperty('also.length', 200);
    events.length = 0;
    const long = opened();
    for (let at = 0; at < 100; at += 1) await read(long, 'ada', `/${at}${'x'.repeat(8_000)}`, `r${at}`);
    await long.close();
    expect(JSON.stringify(events).length).toBeLessThan(100_000);
  });

  it('are in the log when the server has ended', async () => {
    const trail = opened();
    for (const path of ['/a', '/b']) await read(trail, 'ada', path, path);
    for (let times = 0; times < 3; times += 1) await trail.record({ type: 'AccessKeysListed', data: {} }, contextOf('ada', 'r'));
    await trail.close();
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['AsOfRead', { path: '/a', position: '7', requestId: '/a' }],
      ['AccessKeysListed', {}],
      ['AsOfRead', { path: '/b', position: '7', requestId: '/b' }],
      ['AccessKeysListed', { more: 1 }],
    ]);
    await jest.advanceTimersByTimeAsync(2 * SPAN_MS);
    expect(events).toHaveLength(4);
  });

  it('fail while nothing can be written, and keep what was gathered', async () => {
    const trail = opened();
    away = true;
    const both = await Promise.allSettled([read(trail, 'ada', '/a', 'r1'), read(trail, 'ada', '/b', 'r2')]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    away = false;
    await read(trail, 'ada', '/c', 'r3');
    await read(trail, 'ada', '/d', 'r4');
    away = true;
    await jest.advanceTimersByTimeAsync(SPAN_MS);
    expect(warned).toHaveLength(1);
    away = false;
    await jest.advanceTimersByTimeAsync(SPAN_MS);
    expect(events.map(({ data }) => data)).toMatchObject([{ path: '/c' }, { path: '/d' }]);
  });

  it('are in the log once if it did not answer, and later ones with them', async () => {
    const trail = opened();
    await read(trail, 'ada', '/a', 'r1');
    await read(trail, 'ada', '/b', 'r2');
    silent = true;
    await jest.advanceTimersByTimeAsync(SPAN_MS);
    await read(trail, 'ada', '/b', 'r3');
    await jest.advanceTimersByTimeAsync(SPAN_MS);
    silent = false;
    await read(trail, 'ada', '/c', 'r4');
    await jest.advanceTimersByTimeAsync(2 * SPAN_MS);
    expect(warned).toHaveLength(2);
    expect(events.map(({ data }) => data)).toEqual([
      { path: '/a', position: '7', requestId: 'r1' },
      { path: '/b', position: '7', requestId: 'r2' },
      { path: '/b', position: '7', requestId: 'r3' },
      { path: '/c', position: '7', requestId: 'r4' },
    ]);
  });
});
