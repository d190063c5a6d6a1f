import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { JsonObject, NewEvent } from '#domain/shared/events.js';
import type { ExactAppends } from './appends/exact-appends.js';
import { LogAppends } from './appends/log-appends.js';
import { TooLarge } from './errors.js';
import type { ReadRequest } from './log-client.js';
import { encodeAppend } from './messages/new-events.js';
import { decode, type WireEvent } from './messages/records.js';
import { bytes, type EncodedEvent } from './messages/requests.js';
import { Payloads, PayloadWriter } from './payloads.js';

const LIMIT = 10_000;

const event = (dataBytes: number, metadataBytes: number): EncodedEvent => ({
  id: randomUUID(),
  type: 'Happened',
  data: bytes(JSON.stringify({ text: 'x'.repeat(dataBytes - 11) })),
  metadata: bytes(JSON.stringify({ text: 'x'.repeat(metadataBytes - 11) })),
  contentType: 'application/json',
});

const newEvent = (data: JsonObject, id: string): NewEvent => ({
  id: randomUUID(),
  type: 'Happened',
  data,
  metadata: {
    ...{ time: '2026-01-01T00:00:00.000Z', actor: { kind: 'system', id }, service: 'status' },
    ...{ requestId: 'r', correlationId: 'c', causationId: 'c', schemaVersion: 1 },
  },
});

const fitted = async (events: readonly EncodedEvent[], all = true) => {
  const parts: string[] = [];
  const appends = {
    append: async (stream: string) => {
      parts.push(stream);
      return { revision: 0n, position: 0n };
    },
  };
  const writer = new PayloadWriter(appends, LIMIT);
  const sizes = (await writer.fit('test-1', events, all)).map(
    ({ type, data, metadata }) => data.length + metadata.length + 2 * type.length,
  );
  return { parts, size: sizes.reduce((sum, size) => sum + size) };
};

it('counts the data only for servers until 24.10.3', async () => {
  const events = [event(2_000, 5_000), event(6_000, 5_000), event(1_000, 500)];
  expect((await fitted(events, false)).parts).toEqual([]);
  expect((await fitted([...events, event(4_000, 500)], false)).parts).toHaveLength(1);
});

it('counts metadata and types for servers since 24.10.4, which refuse an append that is larger', async () => {
  const { parts, size } = await fitted([event(2_000, 500), event(6_000, 500), event(1_000, 500)]);
  expect(parts).toHaveLength(1);
  expect(size).toBeLessThanOrEqual(LIMIT);
  expect((await fitted([event(2_000, 500), event(6_000, 500)])).parts).toEqual([]);
});

it('leaves data in place where a reference would be as large, or metadata alone are too large', async () => {
  expect((await fitted(Array.from({ length: 30 }, () => event(50, 500)))).parts).toEqual([]);
  expect((await fitted(Array.from({ length: 30 }, () => event(200, 500)))).parts).toEqual([]);
});

it('writes the data to one stream, of which a page reads each range of parts once, and no more', async () => {
  const sent = Array.from({ length: 60 }, (_, n) => newEvent({ n, text: 'x'.repeat(n === 30 ? 25_000 : 1_000) }, 'y'));
  const written: Buffer[] = [];
  const streams: string[] = [];
  const appends = {
    append: async (stream: string, events: readonly EncodedEvent[]) => {
      written.push(Buffer.from('of another append'), ...events.map(({ data }) => data));
      streams.push(stream);
      return { revision: BigInt(written.length - 1), position: 0n };
    },
  };
  const fitting = await new PayloadWriter(appends, LIMIT).fit('test-1', encodeAppend('test-1', sent));
  const moved = fitting.filter(({ data }) => data.length === 4);
  expect(streams).toEqual(Array(Math.ceil((written.join('').length - 17 * streams.length) / LIMIT)).fill('payload-test-1'));

  const requests: ReadRequest[] = [];
  const all = async <Result>(request: ReadRequest, convert: (wire: WireEvent) => Result): Promise<readonly Result[]> => {
    requests.push(request);
    const { from = 0n, count } = request as Extract<ReadRequest, { of: 'stream' }>;
    const revisions = Array.from({ length: count }, (_, n) => from - BigInt(n));
    return revisions.map((revision) => convert({ data: written[Number(revision)], revision } as WireEvent));
  };
  const stored = fitting.map(({ data, metadata, id, type }, n) =>
    decode({ id, type, data, metadata, stream: 'test-1', revision: BigInt(n), position: BigInt(n), created: 0 }),
  );
  expect(await new Payloads({ all }).restore(stored)).toMatchObject(sent);
  const range = { of: 'stream', stream: 'payload-test-1', direction: 'backwards' };
  const last = written.length % 11;
  const counts = streams.map((_, n) => (n < streams.length - 1 ? 10 : (last || 11) - 1));
  expect(requests.splice(0)).toEqual(counts.map((count, n) => ({ ...range, from: BigInt(11 * n + count), count })));
  expect(await new Payloads({ all }).restore(stored.filter(({ event }) => event.id === moved.at(-1)?.id))).toMatchObject([sent.at(-1)!]);
  expect(requests).toEqual([{ ...range, from: BigInt(written.length - 1), count: 2 }]);
});

it('an append that a server refuses as too large is repeated with everything counted, and later ones are counted so at once', async () => {
  const sent: string[] = [];
  const exact = {
    append: async (stream: string, events: readonly EncodedEvent[]) => {
      sent.push(stream.startsWith('test-') ? stream : 'part');
      const bytesOfAll = events.reduce((sum, { type, data, metadata }) => sum + data.length + metadata.length + 2 * type.length, 0);
      if (bytesOfAll > LIMIT) throw new EventStoreUnavailable('refused', { cause: new TooLarge('too large') });
      return { revision: 0n, position: 0n };
    },
  };
  const appends = new LogAppends(exact as unknown as ExactAppends, new PayloadWriter(exact, LIMIT));
  const large = () => [4_000, 5_000].map((size): NewEvent => newEvent({ text: 'x'.repeat(size) }, 'y'.repeat(900)));
  await appends.append('test-1', large(), 'no-stream');
  await appends.append('test-2', large(), 'no-stream');
  expect(sent).toEqual(['test-1', 'part', 'test-1', 'part', 'test-2']);
  await expect(appends.append('test-3', [newEvent({}, 'y'.repeat(LIMIT))], 'no-stream')).rejects.toThrow(EventStoreUnavailable);
});
