import { expect, it } from '@jest/globals';
import { resultsJson } from './results-json.js';

const row = (day: number) => ({ label: `day ${day}`, measures: { availability: 99.98765, reliability: 100 } });

it.each([0, 1, 200, 201, 450])('%i rows of an item make one array, a long one in several texts', async (count) => {
  const items = [{ names: ['A'], info: undefined, rows: () => Array.from({ length: count }, (_, day) => row(day)) }];
  const texts: string[] = [];
  for await (const pieces of resultsJson(items, { groups: [], head: () => ({ name: 'A' }), label: 'date', numbers: true }))
    texts.push(...pieces.map(String));
  const results = Array.from({ length: count }, (_, day) => ({ date: `day ${day}`, availability: 99.99, reliability: 100 }));
  expect(JSON.parse(texts.join(''))).toEqual({ results: [{ name: 'A', results }] });
  expect(Math.max(...texts.map((text) => text.match(/availability/g)?.length ?? 0))).toBe(Math.min(count, 200));
});
