import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forAny } from '#test/support/for-any.js';
import { add, decimal, decimalText, doubleText, negate, percentageOf, sum } from './decimal.js';

describe('a decimal number', () => {
  it.each([
    ['0', '0', '0.0'],
    ['-0', '0', '0.0'],
    ['50', '50', '50.0'],
    ['50.0', '50', '50.0'],
    ['0050.250', '50.25', '50.25'],
    ['.5', '0.5', '0.5'],
    ['5.', '5', '5.0'],
    ['+7', '7', '7.0'],
    ['-0.001', '-0.001', '-0.001'],
    ['1e3', '1000', '1000.0'],
    ['1.5E-3', '0.0015', '0.0015'],
    ['-12.5e1', '-125', '-125.0'],
    ['100', '100', '100.0'],
    ['12345678901234567890.123456789', '12345678901234567890.123456789', '12345678901234567890.123456789'],
  ])('%s is shown as %s, or %s', (text, plain, double) => {
    expect([decimalText(decimal(text)), doubleText(decimal(text))]).toEqual([plain, double]);
  });

  it.each(['', '.', '-', 'e5', '1e', 'x', '1,5', '0x10', ' 1', 'NaN'])('is not spelled %j', (text) =>
    expect(() => decimal(text)).toThrow(RangeError),
  );

  it('is summed without drift', () => {
    expect(decimalText(sum(Array.from({ length: 10 }, () => decimal('0.1'))))).toBe('1');
    expect(decimalText(sum(['0.1', '0.2'].map(decimal)))).toBe('0.3');
    expect(decimalText(sum(['1e300', '1e-20', '-1e300'].map(decimal)))).toBe(`0.${'0'.repeat(19)}1`);
    expect(decimalText(sum([]))).toBe('0');
  });

  it('sums to zero once every term is subtracted, in any order', () =>
    forAny(100, fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }).map(String)), (texts) => {
      const numbers = texts.map(decimal);
      const back = sum([...numbers, ...numbers.map(negate).reverse()]);
      expect(decimalText(back)).toBe('0');
      for (const number of numbers) expect(decimalText(decimal(decimalText(number)))).toBe(decimalText(number));
    }));

  it('equals the value that JavaScript parses', () =>
    forAny(100, fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: -1e9, max: 1e9 }), (a, b) => {
      expect(decimalText(add(decimal(`${a}`), decimal(`${b}e-2`)))).toBe(decimalText(decimal(`${(a * 100 + b) / 100}`)));
    }));
});

describe('a percentage', () => {
  it.each([
    ['55', '80', '68.75'],
    ['50', '120', '41.67'],
    ['1', '7', '14.29'],
    ['0', '5', '0'],
    ['5', '5', '100'],
    ['300', '200', '150'],
    // ties
    ['1.00005', '1', '100.01'],
    ['0.00025', '1', '0.03'],
    ['0.00024999', '1', '0.02'],
    ['-0.00025', '1', '-0.03'],
    ['0.00025', '-1', '-0.03'],
    ['-1', '-2', '50'],
    ['1e-10', '1e10', '0'],
    ['1e200', '1e-200', `1${'0'.repeat(402)}`],
  ])('of %s over %s is %s', (total, capacity, percentage) => {
    const result = percentageOf(decimal(total), decimal(capacity));
    expect(result && decimalText(result)).toBe(percentage);
  });

  it.each(['0', '0.00', '-0'])('of a capacity of %s is undefined', (capacity) =>
    expect(percentageOf(decimal('5'), decimal(capacity))).toBeUndefined(),
  );
});
