import { binaryEvent, type EventData, jsonEvent } from '@eventstore/db-client';
import type { EventMetadata } from '#domain/shared/events.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';

const BYTES = Buffer.from([0, 0xff, 0xfe, 7]);
const DEEP = Buffer.from(`{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`);
const metadata = (): EventMetadata => ({ ...systemContext('other', 'status', 0, null), schemaVersion: 1 });
const asBytes = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));

/** Events that are not of the form that Logbook writes, by what is odd about them; the vendor's client writes them into any stream. */
export const unreadableEvents = (type = 'Odd'): Readonly<Record<string, EventData>> => ({
  'without metadata': jsonEvent({ type, data: { tenantId: 'x', projectId: 'x', keyId: 'x' } }),
  empty: binaryEvent({ type, data: Buffer.alloc(0) }),
  'of bytes': binaryEvent({ type, data: BYTES, metadata: BYTES }),
  'of a cut text': binaryEvent({ type, data: Buffer.from('{"a":'), metadata: asBytes(metadata()) }),
  'of JSON that is no object': jsonEvent({ type, data: 'é' as never, metadata: metadata() }),
  'with a list of metadata': jsonEvent({ type, data: {}, metadata: [1] as never }),
  'with a text of metadata': jsonEvent({ type, data: {}, metadata: 'text' as never }),
  'with other metadata': jsonEvent({ type, data: {}, metadata: { $correlationId: 'c', actor: 'somebody', schemaVersion: 1 } }),
  'of version 0': jsonEvent({ type, data: {}, metadata: { ...metadata(), schemaVersion: 0 } }),
  'with a wrong time': jsonEvent({ type, data: {}, metadata: { ...metadata(), time: '2024-99-01T00:00:00Z' } }),
  'with half an idempotency key': jsonEvent({ type, data: {}, metadata: { ...metadata(), idempotency: { key: 'k' } } }),
  deep: binaryEvent({ type, data: DEEP, metadata: asBytes(metadata()) }),
  'with deep metadata': binaryEvent({ type, data: BYTES, metadata: DEEP }),
  huge: binaryEvent({ type, data: Buffer.alloc(300_000, 7) }),
  'of a payload that is not there': jsonEvent({
    type,
    data: null as never,
    metadata: { ...metadata(), $payload: { parts: 3, bytes: 3_000_000, digest: 'd', expires: false } },
  }),
  'of parts that are not there': jsonEvent({
    type,
    data: null as never,
    metadata: { ...metadata(), $payload: { revisions: [2 ** 53 - 1, 0], offset: 5, parts: 2, bytes: 1e6 } },
  }),
  'of a payload without a place': jsonEvent({ type, data: {}, metadata: { ...metadata(), $payload: { parts: 1e300 } } }),
});

/** Events of the form that Logbook writes, which this release cannot take. */
export const unknownEvents = (type: string): Readonly<Record<string, EventData>> => ({
  'of an unknown type': jsonEvent({ type: 'NeverHeardOf', data: {}, metadata: metadata() }),
  'of a type with an odd name': jsonEvent({ type: `\u001b[31m\u202e${'x'.repeat(3_000)}`, data: {}, metadata: metadata() }),
  'of a newer version': jsonEvent({ type, data: {}, metadata: { ...metadata(), schemaVersion: 99 } }),
});
