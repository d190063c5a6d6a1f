import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { objectId } from '#domain/accounting/object-id.js';
import { longId, shortId } from '#projections/accounting/short-id.js';
import { forAny } from '#test/support/for-any.js';
import { metricCodec, type StoredMetric } from './stored-metric.js';

const hex = fc.tuple(fc.nat(2 ** 31), fc.stringMatching(/^[0-9a-f]{16}$/)).map(([seconds, random]) => objectId(seconds * 1_000, random));
const ids = fc.oneof(hex, fc.string(), fc.constantFrom('', '~', 'ABCDEFABCDEFABCDEFABCDEF', 'b'.repeat(16)));
const instants = fc
  .date({ min: new Date('0000-01-01T00:00:00.000Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  .map((date) => date.toISOString());
const metrics: fc.Arbitrary<StoredMetric> = fc.record(
  {
    id: hex,
    installationId: ids,
    from: instants,
    to: instants,
    value: fc.constantFrom('1', '-1e-20', '12345678901234567890.10'),
    repeated: fc.string(),
    groupId: fc.string(),
    userKey: fc.string(),
    fence: fc.nat(),
  },
  { requiredKeys: ['id', 'installationId', 'from', 'to', 'value', 'repeated'] },
);

describe('The stored text of a metric', () => {
  it('says what the metric says', () =>
    forAny(100, metrics, (metric) => expect(metricCodec.decode(metricCodec.encode(metric))).toEqual(metric)));

  it('has an empty user', () =>
    forAny(100, metrics, ({ userKey: _, ...metric }) => {
      const anonymous = { ...metric, userId: '' as const };
      expect(metricCodec.decode(metricCodec.encode(anonymous))).toEqual(anonymous);
    }));

  it('has ids of 16 characters, pseudonyms of 22, and others as they are', async () => {
    expect(shortId('0f'.repeat(16))).toHaveLength(22);
    expect(longId(shortId('0f'.repeat(16)))).toBe('0f'.repeat(16));
    await forAny(100, hex, (id) => expect(shortId(id)).toHaveLength(16));
    await forAny(100, ids, ids, (one, other) =>
      expect([longId(shortId(one)), shortId(one) === shortId(other)]).toEqual([one, one === other]),
    );
  });
});
