import { expect, it } from '@jest/globals';
import { ObjectIds } from './object-ids.js';

it('new ids are 24 hex characters, begin with the second and grow', () => {
  const now = Date.parse('2031-05-04T10:11:12.345Z');
  const made = new ObjectIds(() => now);
  const ids = Array.from({ length: 1_000 }, () => made.next());
  for (const id of ids) expect(id).toMatch(/^735fc3c0[0-9a-f]{16}$/);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
});
