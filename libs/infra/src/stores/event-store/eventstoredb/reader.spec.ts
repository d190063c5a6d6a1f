import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { LogConnection } from './connection.js';
import { Interruptions } from './interruptions.js';
import { DEFAULT_LIMITS } from './limits.js';
import type { LogClient, ReadListener, ReadRequest } from './log-client.js';
import type { Reader as LogReader } from './reader.js';

// Jest's clock moves all timers but these.
jest.unstable_mockModule('node:timers/promises', () => ({
  setTimeout: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
  setImmediate: () => new Promise((resolve) => setTimeout(resolve, 0)),
}));
const reading = import('./reader.js');

const NEVER = Number.POSITIVE_INFINITY;

/** A server that answers each read, or search, after this time, in milliseconds. */
let [answerMs, searchMs] = [NEVER, NEVER];
let [dropped, interruptions] = [0, 0];
let reader: LogReader;
let closing: AbortController;

const client = {
  read: async ({ of }: ReadRequest, listener: ReadListener) => {
    const ms = of === 'all' ? searchMs : answerMs;
    if (ms !== NEVER) setTimeout(() => listener.ended(undefined), ms);
    return { cancel: () => undefined };
  },
} as unknown as LogClient;

beforeEach(async () => {
  const { Reader } = await reading;
  jest.useFakeTimers();
  closing = new AbortController();
  const { signal } = closing;
  const noted = new Interruptions(signal);
  [dropped, interruptions, answerMs, searchMs] = [0, 0, NEVER, NEVER];
  noted.listen(() => {
    interruptions += 1;
  });
  const connection = { client, drop: () => (dropped += 1) } as unknown as LogConnection;
  reader = new Reader(connection, DEFAULT_LIMITS, signal, noted);
});
afterEach(() => void jest.useRealTimers());

const head = () => reader.all({ of: 'head' }, ({ position }) => position);
const search = (signal?: AbortSignal) =>
  reader.all({ of: 'all', from: 0n, streamNames: '^test', count: 10 }, ({ position }) => position, { searching: true, signal });
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

it('a read that has begun in an outage has as much time as any once the outage is over', async () => {
  const failed = expect(head()).rejects.toThrow(EventStoreUnavailable);
  await pass(DEFAULT_LIMITS.silenceMs + DEFAULT_LIMITS.retryMs);
  await failed;
  await pass(2 * DEFAULT_LIMITS.retryMs);

  answerMs = 2_200; // a slow server
  const patient = head();
  await pass(1_500);
  const before = [dropped, interruptions];
  const late = head(); // it would be given up after a second, which is after the answer to the other
  await pass(2 * answerMs);
  expect(await Promise.all([patient, late])).toEqual([[], []]);
  expect([dropped, interruptions]).toEqual(before);
});

it('a search of a long log is not given up while the server answers other reads', async () => {
  [answerMs, searchMs] = [10, 3_600_000];
  const found = expect(search()).resolves.toEqual([]);
  await pass(searchMs);
  await found;
  expect([dropped, interruptions]).toEqual([0, 0]);
});

it('a search ends with a server that answers no other read either', async () => {
  const failed = expect(search()).rejects.toThrow(EventStoreUnavailable);
  await pass(2 * (DEFAULT_LIMITS.silenceMs + DEFAULT_LIMITS.retryMs));
  await failed;
  expect(dropped).toBeGreaterThan(0);
});

it.each(['its caller gives it up', 'the store closes'])('a search ends when %s, and other calls go on', async (when) => {
  answerMs = 10;
  const caller = new AbortController();
  const failed = expect(search(caller.signal)).rejects.toThrow(EventStoreUnavailable);
  await pass(60_000);
  (when === 'the store closes' ? closing : caller).abort();
  await failed;
  expect([dropped, interruptions]).toEqual([0, 0]);
});
