import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject, RecordedEvent } from '#domain/shared/events.js';
import { forAny } from '#test/support/for-any.js';
import { leafOf as leafByContract } from '#test/support/integrity/proof-checker.js';
import { isChained } from './chained.js';
import { placeInRuns } from './integrity-events.js';
import { leafOf, storedForm } from './leaf.js';

const event: RecordedEvent = {
  id: '6f0c2f3e-0000-4000-8000-000000000001',
  type: 'TenantCreated',
  data: { tenantId: 't', name: { iv: 'AA==' } },
  metadata: {
    time: '2024-01-01T00:00:00.000Z',
    actor: { kind: 'key', id: 'k' },
    service: 'status',
    requestId: 'r',
    correlationId: 'c',
    causationId: 'd',
    schemaVersion: 1,
    idempotency: { key: 'a', body: 'b' },
  },
  stream: 'status.tenants-global',
  revision: 7n,
  position: 99n,
  recordedAt: 1,
};

describe('The leaf of an event', () => {
  it('is the hash of its canonical stored form, metadata included, without its places in one log', () => {
    const canonical =
      '{"data":{"name":{"iv":"AA=="},"tenantId":"t"},"id":"6f0c2f3e-0000-4000-8000-000000000001","metadata":{"actor":{"id":"k","kind":"key"},' +
      '"causationId":"d","correlationId":"c","idempotency":{"body":"b","key":"a"},"requestId":"r","schemaVersion":1,"service":"status",' +
      '"time":"2024-01-01T00:00:00.000Z"},"revision":7,"stream":"status.tenants-global","type":"TenantCreated"}';
    const expected = createHash('sha256')
      .update(Buffer.from([0]))
      .update(canonical)
      .digest('hex');
    expect(leafOf(event).toString('hex')).toBe(expected);
    expect(leafOf({ ...event, position: 1n, recordedAt: 2 }).toString('hex')).toBe(expected);
  });

  it('of a message is made of the hashes of its data and attributes', () => {
    const data = { projectId: 'p', publishTime: 'now', data: 'Zm9vé', attributes: { b: '1', a: '2' } };
    const form = storedForm({ ...event, type: 'MessagePublished', data });
    const hex = (text: string): string => createHash('sha256').update(text).digest('hex');
    expect(form.data).toEqual({
      projectId: 'p',
      publishTime: 'now',
      data: { $sha256: hex('Zm9vé'), $bytes: 6 },
      attributes: { $sha256: hex('{"a":"2","b":"1"}'), $bytes: 17 },
    });
  });

  it('has its own metadata, whether the event before shares the object, has an equal one or another', () => {
    const { metadata } = event;
    const other = { ...metadata, requestId: 'other' };
    const alone = [metadata, other].map((one) => leafOf({ ...event, metadata: { ...one } }));
    const inTurn = [metadata, metadata, other, { ...metadata }, other, other].map((one) => leafOf({ ...event, metadata: one }));
    const [first, second] = alone;
    expect(inTurn).toEqual([first, first, second, first, second, second]);
  });

  it('is that of the event in memory before it was stored', () => {
    const fresh = { ...event, data: Object.assign({}, event.data, { left: undefined, zero: -0 }) };
    expect(leafOf(fresh)).toEqual(leafOf({ ...event, data: JSON.parse(JSON.stringify(fresh.data)) }));
  });
});

const text = fc.oneof(
  fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 5 }), // lone surrogates too
  fc.constantFrom('', '__proto__', 'toJSON', '10', '9', '-1', '"\\\n', 'n'.repeat(70)),
);
const scalar = fc.oneof(
  text,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(null, true, false, -0, 1e21, 1e-7, 5e-324),
);
const { object } = fc.letrec<{ json: unknown; object: JsonObject }>((tie) => ({
  json: fc.oneof({ depthSize: 'medium', withCrossShrink: true }, scalar, fc.array(tie('json'), { maxLength: 4 }), tie('object')),
  object: fc
    .array(fc.tuple(text, tie('json')), { maxLength: 40, size: 'small' })
    .map((members) => Object.fromEntries(members) as JsonObject),
}));

describe('Leaves of any events', () => {
  it('are those that a checker computes from the contract alone', () =>
    forAny(100, object, object, text, fc.constantFrom('Any', 'MessagePublished'), (data, metadata, stream, type) => {
      const any = { ...event, type, stream, data, metadata: metadata as RecordedEvent['metadata'] };
      expect(leafOf(any)).toEqual(leafByContract(storedForm(any)));
    }));

  it('do not depend on the events before', () => {
    const events = Array.from({ length: 5_000 }, (_, number) => ({
      ...event,
      data: { [`z${number}`]: number, a: { b: 1, [`${number}`]: 2 } },
    }));
    expect([...events, ...events].filter((one) => !leafOf(one).equals(leafByContract(storedForm(one))))).toEqual([]);
  });
});

describe('Chained streams', () => {
  it('are all but those of the store, of keys, of the chain and of large payloads', () => {
    const unchained = ['$settings', '$$x', 'keys.subject-1', 'keys.master-global', 'integrity.leaves-global', 'payload-1.2'];
    expect(unchained.filter(isChained)).toEqual([]);
    expect(['ops.keys-global', 'status.tenants-global', 'payloads', 'messaging.messages-1'].every(isChained)).toBe(true);
  });

  it('are found by the runs of their leaves', () => {
    const leaves = { streams: ['a', 'b'], runs: [0, 5, 2, 1, 0, 1, 0, 7, 1] };
    expect([0, 1, 2, 3, 4].map((offset) => placeInRuns(leaves, offset))).toEqual([
      { stream: 'a', revision: 5 },
      { stream: 'a', revision: 6 },
      { stream: 'b', revision: 0 },
      { stream: 'a', revision: 7 },
      undefined,
    ]);
  });
});
