import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { AppendOutcomeUnknown, EventStoreUnavailable, WrongExpectedRevision } from '#domain/shared/event-store.js';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { until } from '#test/support/eventually.js';
import { LogConnection } from '../connection.js';
import { Conflict, NoAnswer } from '../errors.js';
import { Interruptions } from '../interruptions.js';
import { DEFAULT_LIMITS, type EventStoreDbLimits } from '../limits.js';
import type { LogClient } from '../log-client.js';
import type { StreamPlaces } from '../messages/places.js';
import { bytes, type ExactExpectation } from '../messages/requests.js';
import { ExactAppends } from './exact-appends.js';

const event = {
  id: '0b9b2a2e-54a7-4f6e-9d0c-0d8f3d1f5c11',
  type: 'Tested',
  data: bytes('{}'),
  metadata: bytes('{}'),
  contentType: 'application/json',
} as const;

/** `append` is of the only client, `last` of the reads. */
const appendsTo = (
  { append, end = async () => {} }: Pick<LogClient, 'append'> & Partial<Pick<LogClient, 'end'>>,
  limits: EventStoreDbLimits,
  last: StreamPlaces['last'],
) => {
  const client: LogClient = { append, read: () => Promise.reject(new Error('nothing is read over this client')), retire: () => {}, end };
  const { signal } = new AbortController();
  const connection = new LogConnection(
    () => client,
    () => {},
  );
  return new ExactAppends(connection, { last, places: async () => [] }, limits, signal, new Interruptions(signal));
};

/** Appends to a server that refuses revision 1. Its reads return the given answers in order; the last one repeats. */
const refused = (answers: readonly (ExactExpectation | undefined)[], limits = DEFAULT_LIMITS) => {
  let reads = 0;
  const last = async () => answers[Math.min(reads++, answers.length - 1)];
  const appends = appendsTo({ append: () => Promise.reject(new Conflict(1n)) }, limits, last);
  return { appending: appends.append('test.raced-1', [event], 'no-stream'), reads: () => reads };
};

describe('a refused append', () => {
  it('is refused only when what it was refused for can be read: a server knows of it some milliseconds earlier', async () => {
    const { appending, reads } = refused(['no-stream', 0n, 0n, 1n]);
    await expect(appending).rejects.toThrow(WrongExpectedRevision);
    expect(reads()).toBe(4);
  });

  it('is refused at once for events that have expired, where the client can tell', async () => {
    const { appending, reads } = refused([1n]);
    await expect(appending).rejects.toThrow(WrongExpectedRevision);
    expect(reads()).toBe(1);
  });

  it('is refused in the end where the client cannot tell whether they have expired', async () => {
    const { appending, reads } = refused([undefined]);
    await expect(appending).rejects.toThrow(WrongExpectedRevision);
    expect(reads()).toBeGreaterThan(1);
  });

  it.each(['no-stream', 0n] as const)('fails where the stream stays at %s: nobody could decide anew', async (last) => {
    await expect(refused([last], { ...DEFAULT_LIMITS, retryMs: 100 }).appending).rejects.toThrow(EventStoreUnavailable);
  });
});

it('an append at any place has the time of an outage, and no more: its events cannot be looked for', async () => {
  const retryMs = 1_000;
  const pass = stopClock();
  let attempts = 0;
  const append: LogClient['append'] = async () => {
    attempts += 1;
    if (attempts > 5) pass(retryMs);
    throw new NoAnswer('interrupted');
  };
  const appends = appendsTo({ append }, { ...DEFAULT_LIMITS, retryMs, unknownOutcomes: 2 }, async () => 'no-stream');
  await expect(appends.append('test.anywhere-1', [event], 'any')).rejects.toThrow(AppendOutcomeUnknown);
  expect(attempts).toBe(6);
});

it('an append of a long outage has as much time as the first ones now and then: a server that has become slow is reached again', async () => {
  const longMs = 1_150; // later ones have a second
  const retryMs = 1_200;
  const pass = stopClock();
  let isUp = false;
  let ended = 0;
  const append: LogClient['append'] = async (_stream, _events, _expected, answerMs) => {
    const endedBefore = ended;
    if (isUp && answerMs >= longMs) {
      await sleep(150); // others are tried and fail meanwhile
      pass(150);
    }
    if (!isUp || answerMs < longMs || ended > endedBefore) throw new NoAnswer('too slow');
    return { revision: 0n, position: 1n };
  };
  const end = async () => {
    ended += 1;
  };
  const appends = appendsTo({ append, end }, { ...DEFAULT_LIMITS, retryMs, appendMs: retryMs }, async () => 'no-stream');
  const two = () => Promise.allSettled([1, 2].map((n) => appends.append(`test.slow-${n}`, [event], 'no-stream')));
  const isAnswered = async () => {
    pass(retryMs);
    return (await two()).some(({ status }) => status === 'fulfilled');
  };
  for (let call = 0; call < 3; call++) expect(await isAnswered()).toBe(false);
  isUp = true;
  await until(isAnswered);
});
