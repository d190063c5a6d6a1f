import { type Bound, lowerBound, upperBound } from '#infra/stores/read-store/keys.js';
import type { KeyRange } from '#projections/shared/read-store.js';

const spell = (bound: Bound | undefined, open: string): string => (bound ? `${bound.inclusive ? '[' : '('}${bound.key}` : open);

/** Lower and upper end of a range in the form that BYLEX and ZLEXCOUNT expect. */
export const rangeEnds = (range: KeyRange): readonly [lower: string, upper: string] => [
  spell(lowerBound(range), '-'),
  spell(upperBound(range), '+'),
];

/** Upper end of the keys below the range, in the form that ZLEXCOUNT expects. */
export const belowRange = (range: KeyRange): string => {
  const lower = lowerBound(range);
  return lower ? `${lower.inclusive ? '(' : '['}${lower.key}` : '-';
};

/** UTF-8 never contains the byte 0xff, so the upper end lies behind every key with the prefix. */
export const prefixEnds = (prefix: string): readonly [lower: string, upper: Buffer] => [
  `[${prefix}`,
  Buffer.concat([Buffer.from(`(${prefix}`), Buffer.of(0xff)]),
];
