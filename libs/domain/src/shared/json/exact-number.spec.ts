import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forAny } from '#test/support/for-any.js';
import { compareNumbers, exactNumber, isInteger, isMultiple } from './exact-number.js';

const spelled = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.integer({ min: -30, max: 30 }))
  .map(([negative, digits, exponent]) => `${negative ? '-' : ''}${digits}e${exponent}`);

/** The number times 10^30. */
const scaled = (text: string): bigint => {
  const [digits = '0', exponent = '0'] = text.split('e');
  return BigInt(digits) * 10n ** BigInt(30 + Number(exponent));
};

describe('exact numbers', () => {
  it('compare like decimals', () =>
    forAny(100, spelled, spelled, (left, right) => {
      const [one, other] = [scaled(left), scaled(right)];
      expect(Math.sign(compareNumbers(exactNumber(left), exactNumber(right)))).toBe(one === other ? 0 : one < other ? -1 : 1);
    }));

  it('are multiples and integers like decimals', () =>
    forAny(100, spelled, fc.bigInt({ min: 1n, max: 10n ** 17n }), fc.integer({ min: -30, max: 5 }), (value, digits, exponent) => {
      const divisor = `${digits}e${exponent}`;
      expect(isMultiple(exactNumber(value), exactNumber(divisor))).toBe(scaled(value) % scaled(divisor) === 0n);
      expect(isInteger(exactNumber(value))).toBe(scaled(value) % 10n ** 30n === 0n);
    }));

  it.each([
    ['9007199254740993', '9007199254740992', 1],
    ['0.1', '0.10000000000000000001', -1],
    ['1.0', '1', 0],
    ['-0', '0', 0],
    ['1e400', '1e399', 1],
    ['-1e400', '1', -1],
    ['100000000000000000000', '1e20', 0],
    ['1e-400', '0', 1],
  ])('%s and %s are ordered', (left, right, order) => expect(Math.sign(compareNumbers(exactNumber(left), exactNumber(right)))).toBe(order));

  it.each([
    ['0.3', '0.1', true],
    ['1e1000000', '3', false],
    ['1e1000000', '7e-5', false],
    ['3e1000000', '3', true],
    ['1e-1000000', '1', false],
    ['0', '5', true],
    [`1e${'9'.repeat(400)}`, '7', false],
    [`7e${'9'.repeat(400)}`, '7', true],
    [`${'1'.repeat(100_000)}.${'1'.repeat(100_000)}`, '7', false],
  ])('%s is a multiple of %s: %s', (value, divisor, expected) =>
    expect(isMultiple(exactNumber(value), exactNumber(divisor))).toBe(expected),
  );

  it.each([
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993.0', '-9007199254740993'],
    ['0.12345678901234567', '12345678901234567e-17'],
    ['1e400', '1e400'],
  ])('%s is printed as %s', (spelling, shown) => expect(`${exactNumber(spelling)}`).toBe(shown));
});
