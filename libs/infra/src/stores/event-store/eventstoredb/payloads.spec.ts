import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { JsonObject, NewEvent } from '#domain/shared/events.js';
import { TooLarge } from './errors.js';
import type { ExactAppends } from './exact-appends.js';
import { LogAppends } from './log-appends.js';
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
  const writer = new PayloadWriter(appends, { change: async () => {} }, LIMIT);
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

it('writes the data of an append to one stream, of which a page reads once the parts that it needs', async () => {
  const sent = Array.from({ length: 60 }, (_, n) => newEvent({ n, text: 'x'.repeat(n === 30 ? 25_000 : 1_000) }, 'y'));
  const written = new Map<string, Buffer[][]>();
  const appends = {
    append: async (stream: string, events: readonly EncodedEvent[]) => {
      written.set(stream, [...(written.get(stream) ?? []), events.map(({ data }) => data)]);
      return { revision: 0n, position: 0n };
    },
  };
  const fitting = await new PayloadWriter(appends, { change: async () => {} }, LIMIT).fit('test-1', encodeAppend('test-1', sent));
  const [[stream, appended] = ['', []]] = written;
  const parts = appended.flat();
  const moved = fitting.filter(({ data }) => data.length === 4);
  expect(written.size).toBe(1);
  expect(appended).toHaveLength(Math.ceil(parts.reduce((sum, part) => sum + part.length, 0) / LIMIT));

  const requests: unknown[] = [];
  const all = async <Result>(request: ReadRequest, convert: (wire: WireEvent) => Result): Promise<readonly Result[]> => {
    requests.push(request);
    const { from = 0n, count } = request as Extract<ReadRequest, { of: 'stream' }>;
    const found = parts.slice(Number(from), Number(from) + count);
    return found.map((data, index) => convert({ data, revision: from + BigInt(index) } as WireEvent));
  };
  const stored = fitting.map(({ data, metadata, id, type }, n) =>
    decode({ id, type, data, metadata, stream: 'test-1', revision: BigInt(n), position: BigInt(n), created: 0 }),
  );
  expect(await new Payloads({ all }).restore(stored)).toMatchObject(sent);
  expect(requests).toEqual([{ of: 'stream', stream, from: 0n, direction: 'forwards', count: parts.length }]);
  expect(await new Payloads({ all }).restore(stored.filter(({ event }) => event.id === moved.at(-1)?.id))).toMatchObject([sent.at(-1)!]);
  expect(requests[1]).toMatchObject({ from: BigInt(parts.length - 2), count: 2 });
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
  const unlimited = { change: async () => {} };
  const appends = new LogAppends(exact as unknown as ExactAppends, new PayloadWriter(exact, unlimited, LIMIT));
  const large = () => [4_000, 5_000].map((size): NewEvent => newEvent({ text: 'x'.repeat(size) }, 'y'.repeat(900)));
  await appends.append('test-1', large(), 'no-stream');
  await appends.append('test-2', large(), 'no-stream');
  expect(sent).toEqual(['test-1', 'part', 'test-1', 'part', 'test-2']);
  await expect(appends.append('test-3', [newEvent({}, 'y'.repeat(LIMIT))], 'no-stream')).rejects.toThrow(EventStoreUnavailable);
});
