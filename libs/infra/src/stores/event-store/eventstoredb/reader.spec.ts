import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { LogConnection } from './connection.js';
import { Interruptions } from './interruptions.js';
import { DEFAULT_LIMITS } from './limits.js';
import type { LogClient, ReadListener } from './log-client.js';
import type { Reader as LogReader } from './reader.js';

// Jest's clock moves all timers but these.
jest.unstable_mockModule('node:timers/promises', () => ({
  setTimeout: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
  setImmediate: () => new Promise((resolve) => setTimeout(resolve, 0)),
}));
const reading = import('./reader.js');

const NEVER = Number.POSITIVE_INFINITY;

/** A server that answers each read after this time, in milliseconds. */
let answerMs = NEVER;
let [dropped, interruptions] = [0, 0];
let reader: LogReader;

const client = {
  read: async (_request: unknown, listener: ReadListener) => {
    if (answerMs !== NEVER) setTimeout(() => listener.ended(undefined), answerMs);
    return { cancel: () => undefined };
  },
} as unknown as LogClient;

beforeEach(async () => {
  const { Reader } = await reading;
  jest.useFakeTimers();
  const { signal } = new AbortController();
  const noted = new Interruptions(signal);
  [dropped, interruptions, answerMs] = [0, 0, NEVER];
  noted.listen(() => {
    interruptions += 1;
  });
  const connection = { client, drop: () => (dropped += 1) } as unknown as LogConnection;
  reader = new Reader(connection, DEFAULT_LIMITS, signal, noted);
});
afterEach(() => void jest.useRealTimers());

const head = () => reader.all({ of: 'head' }, ({ position }) => position);
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
