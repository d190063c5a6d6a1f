import { expect, it } from '@jest/globals';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { sortInSlices } from './sort-in-slices.js';

const numbers = (count: number): { value: number; place: number }[] =>
  Array.from({ length: count }, (_, place) => ({ value: Math.imul(place + 1, 2_654_435_761) % 97, place }));

it.each([0, 1, 2, 999, 1_000, 1_001, 2_000, 2_001, 3_500, 64_321])('%i items are sorted; equal ones keep their order', async (count) => {
  const items = numbers(count);
  const expected = [...items].sort((one, other) => one.value - other.value);
  await sortInSlices(items, (one, other) => one.value - other.value, new TimeSlice());
  expect(items).toEqual(expected);
});

it('yields to other work while it sorts many', async () => {
  const items = numbers(200_000);
  let turns = 0;
  const others = setInterval(() => turns++, 0);
  await sortInSlices(items, (one, other) => one.value - other.value, new TimeSlice());
  clearInterval(others);
  expect(turns).toBeGreaterThan(1);
});
