import { expect, it } from '@jest/globals';
import { RowSum, SUMS_BELOW } from './row-sum.js';

it('does not depend on the order of the rows, even after millions of them, when the sum begins anew', () => {
  const rows = Array.from({ length: 100 }, (_, n) => ['category', n, n % 7] as const);
  for (let less = 1; less < 10; less++) {
    const [one, other] = [new RowSum(SUMS_BELOW - less), new RowSum(SUMS_BELOW - less)];
    for (const row of rows) one.add(...row);
    for (const row of rows.toReversed()) other.add(...row);
    expect(one.equals(other)).toBe(true);
    other.add('one', 'more');
    expect(one.equals(other)).toBe(false);
  }
});
