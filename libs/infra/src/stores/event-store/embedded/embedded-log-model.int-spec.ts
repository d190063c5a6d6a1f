import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { categoryOf, type RecordedEvent } from '#domain/shared/events.js';
import { newEvent } from '#test/contracts/event-store/fixture.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { forAny } from '#test/support/for-any.js';
import { runs } from '#test/support/test-runs.js';
import { openEmbeddedEventStore } from './embedded-event-store.js';

const STREAMS = ['notes-1', 'notes-2', 'letters-1'];

/** An append to one of the streams: a number of events, each with a text of a given size. Some need several blocks. */
const appendOf = fc.record({
  stream: fc.constantFrom(...STREAMS),
  sizes: fc.oneof(
    fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 3 }),
    fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 90, maxLength: 220 }),
    fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 6 }),
  ),
});

const streamRead = fc.record({
  stream: fc.constantFrom(...STREAMS),
  from: fc.option(fc.nat(400), { nil: undefined }),
  direction: fc.constantFrom('forwards' as const, 'backwards' as const),
  limit: fc.integer({ min: 1, max: 300 }),
  maxBytes: fc.option(fc.integer({ min: 1, max: 60_000 }), { nil: undefined }),
});

const logRead = fc.record({
  after: fc.nat(500),
  categories: fc.constantFrom<readonly string[] | undefined>(undefined, ['notes'], ['letters', 'notes'], ['nothing']),
  limit: fc.integer({ min: 1, max: 300 }),
});

/** An event as the log must return it, at any later time. */
type ExpectedEvent = Omit<RecordedEvent, 'recordedAt'> & { recordedAt: unknown };

const dataBytes = ({ data }: ExpectedEvent): number => Buffer.byteLength(JSON.stringify(data));

/** The expected result of `readStream`, computed the slow way. */
const expectedOf = (all: readonly ExpectedEvent[], truncated: number, read: ReturnType<typeof streamRead.generate>['value']) => {
  const { stream, from, direction, limit, maxBytes = Number.POSITIVE_INFINITY } = read;
  const readable = all.filter((event) => event.stream === stream && event.revision >= truncated);
  const ordered = direction === 'forwards' ? readable : readable.toReversed();
  const wanted = ordered.filter(({ revision }) => from === undefined || (direction === 'forwards' ? revision >= from : revision <= from));
  let bytes = 0;
  const fitting = wanted.findIndex((event) => {
    bytes += dataBytes(event);
    return bytes >= maxBytes;
  });
  return wanted.slice(0, Math.min(limit, fitting < 0 ? wanted.length : fitting + 1));
};

it('the embedded log reads what was appended, wherever blocks begin and end', async () => {
  await forAny(
    runs(25),
    fc.array(appendOf, { minLength: 1, maxLength: 8 }),
    fc.array(streamRead, { maxLength: 20 }),
    fc.array(logRead, { maxLength: 20 }),
    fc.nat(250),
    async (appends, streamReads, logReads, truncateBefore) => {
      const directory = temporaryDirectory();
      const store = openEmbeddedEventStore({ path: directory.path });
      try {
        const all: ExpectedEvent[] = [];
        for (const { stream, sizes } of appends) {
          const events = sizes.map((size, n) => newEvent({ n, text: 'ä"'.repeat(size / 4), events: ',"events":[' }));
          const { revision, position } = await store.append(stream, events, 'any');
          const first = sizes.length - 1;
          for (const [n, event] of events.entries()) {
            const place = { revision: revision - BigInt(first - n), position: position - BigInt(first - n) };
            all.push({ ...event, stream, ...place, recordedAt: expect.any(Number) });
          }
        }
        for (const { after, categories, limit } of logReads) {
          const passes = (stream: string) => !categories || categories.includes(categoryOf(stream));
          const wanted = all.filter(({ stream, position }) => position > after && passes(stream));
          const read = await store.readAll({ after: BigInt(after), limit, ...(categories && { categories }) });
          expect(read.events).toEqual(wanted.slice(0, limit));
          expect(read.caughtUp).toBe(wanted.length < limit || read.position === BigInt(all.length));
        }
        await store.truncate('notes-1', BigInt(truncateBefore));
        for (const swept of [false, true]) {
          if (swept) await store.sweep();
          for (const { from, maxBytes, ...read } of streamReads) {
            const options = {
              ...read,
              ...(from === undefined ? {} : { from: BigInt(from) }),
              ...(maxBytes === undefined ? {} : { maxBytes }),
            };
            const truncated = read.stream === 'notes-1' ? truncateBefore : 0;
            expect(await store.readStream(read.stream, options)).toEqual(expectedOf(all, truncated, { ...read, from, maxBytes }));
          }
        }
      } finally {
        await store.close();
        directory.remove();
      }
    },
  );
});
