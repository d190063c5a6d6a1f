import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { bytes, type EncodedEvent } from './messages/requests.js';
import { PayloadWriter } from './payloads.js';

const LIMIT = 10_000;

const event = (dataBytes: number, metadataBytes: number): EncodedEvent => ({
  id: randomUUID(),
  type: 'Happened',
  data: bytes(JSON.stringify({ text: 'x'.repeat(dataBytes - 11) })),
  metadata: bytes(JSON.stringify({ text: 'x'.repeat(metadataBytes - 11) })),
  contentType: 'application/json',
});

const fitted = async (events: readonly EncodedEvent[]) => {
  const parts: string[] = [];
  const appends = {
    append: async (stream: string) => {
      parts.push(stream);
      return { revision: 0n, position: 0n };
    },
  };
  const writer = new PayloadWriter(appends, { maxAge: async () => undefined, change: async () => {} }, LIMIT);
  const sizes = (await writer.fit('test-1', events)).map(({ type, data, metadata }) => data.length + metadata.length + 2 * type.length);
  return { parts, size: sizes.reduce((sum, size) => sum + size) };
};

it('counts metadata and types: servers since 24.10.4 do, and refuse an append that is larger', async () => {
  const { parts, size } = await fitted([event(2_000, 500), event(6_000, 500), event(1_000, 500)]);
  expect(parts).toHaveLength(1);
  expect(size).toBeLessThanOrEqual(LIMIT);
  expect((await fitted([event(2_000, 500), event(6_000, 500)])).parts).toEqual([]);
});

it('leaves data in place where a reference would be as large', async () => {
  expect((await fitted(Array.from({ length: 30 }, () => event(50, 500)))).parts).toEqual([]);
});
