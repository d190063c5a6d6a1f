import fc from 'fast-check';
import type { KeyRange } from '#projections/shared/read-store.js';

/** Lists of ranges of keys between some bounds. @param most largest offset, limit and number of bytes */
export const rangesOver = (
  bound: fc.Arbitrary<string>,
  most: Readonly<{ offset: number; limit: number; bytes: number }>,
  length: Readonly<{ minLength: number; maxLength: number }>,
): fc.Arbitrary<readonly KeyRange[]> => {
  const end = (inclusive: keyof KeyRange, exclusive: keyof KeyRange) =>
    fc.oneof(fc.constant({}), ...[inclusive, exclusive].map((name) => bound.map((key) => ({ [name]: key }))));
  const rest = fc.record(
    { reverse: fc.boolean(), offset: fc.nat(most.offset), limit: fc.nat(most.limit), maxBytes: fc.nat(most.bytes) },
    { requiredKeys: [] },
  );
  return fc.array(
    fc.tuple(end('gte', 'gt'), end('lte', 'lt'), rest).map((parts): KeyRange => Object.assign({}, ...parts)),
    length,
  );
};
