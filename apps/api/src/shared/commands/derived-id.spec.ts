import { expect, it } from '@jest/globals';
import { derivedId } from './derived-id.js';

it('derives from a text a UUID that is always the same', () => {
  const ids = Array.from({ length: 200 }, (_, index) => derivedId(`key/${index}`));
  expect(new Set(ids).size).toBe(200);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(derivedId('key/7')).toBe(ids[7]);
});
