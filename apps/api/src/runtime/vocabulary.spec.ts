import { describe, expect, it } from '@jest/globals';
import { EXPIRING } from '#domain/integrity/expiring.js';
import { projections } from './vocabulary.js';

describe('projections of events that leave the log', () => {
  it('read documents of all their versions: their past cannot be built anew (docs/decisions/0059)', () => {
    const concerned = projections.filter(({ categories }) => EXPIRING.some((category) => categories.includes(category)));
    expect(concerned.map(({ name, readsFrom = 1 }) => [name, readsFrom])).toEqual([['messaging.counters', 1]]);
  });
});
