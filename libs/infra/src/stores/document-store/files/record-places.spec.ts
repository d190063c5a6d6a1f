import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forAny } from '#test/support/for-any.js';
import { runs } from '#test/support/test-runs.js';
import { RecordPlaces } from './record-places.js';

const name = fc.constantFrom('a', 'b', 'c\0d', '');
const place = fc.record({ offset: fc.nat({ max: 2 ** 48 - 1 }), length: fc.nat() });

it('places of records are those of each name, in the order in which they were added', async () => {
  await forAny(runs(500, 100), fc.array(fc.tuple(name, place)), (records) => {
    const places = new RecordPlaces();
    for (const [name, place] of records) places.add(name, place);
    const names = new Set(records.map(([name]) => name));
    expect([places.names, places.count]).toEqual([[...names], records.length]);
    for (const name of [...names, 'none'])
      expect([...places.of(name)].map((number) => places.place(number))).toEqual(
        records.flatMap(([other, place]) => (other === name ? [place] : [])),
      );
  });
});

it('places of records are full at 131,072 names, however many records these have', () => {
  const places = new RecordPlaces();
  for (let number = 1; number < 2 ** 17; number++) places.add(`${number}`, { offset: number, length: 110 });
  for (let number = 0; number < 2 ** 17; number++) places.add('1', { offset: number, length: 110 });
  expect(places.isFull).toBe(false);
  places.add('one more', { offset: 0, length: 110 });
  expect(places.isFull).toBe(true);
});
