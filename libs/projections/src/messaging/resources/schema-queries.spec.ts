import { expect, it } from '@jest/globals';
import type { ReadStore } from '#projections/shared/read-store.js';
import { memoryView } from '#test/support/memory-view.js';
import { SchemaQueries } from './schema-queries.js';

it('names of schemas are looked up a few at a time, and parsed in turns, because whole schemas are read', async () => {
  const ids = Array.from({ length: 10 }, (_, index) => `s${index}`);
  const view = memoryView({
    'schemas.by-id': Object.fromEntries(ids.map((id) => [`p/${id}`, JSON.stringify({ schemaId: id, name: `n${id}` })])),
  });
  const sizes: number[] = [];
  const getMany = (collection: string, keys: readonly string[]) => {
    sizes.push(keys.length);
    return view.getMany(collection, keys);
  };
  const queries = new SchemaQueries({ view: () => ({ ...view, getMany }) } as unknown as ReadStore);
  let turns = 0;
  const slice = { isOver: true, next: async () => void turns++ };
  const names = await queries.names('p', [...ids, ...ids, null, 'gone'], slice);
  expect([...names]).toEqual(ids.map((id) => [id, `n${id}`]));
  expect(sizes).toEqual([4, 4, 3]);
  expect(turns).toBe(11);
});
