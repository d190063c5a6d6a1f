import { expect, it } from '@jest/globals';
import { batchesOf } from './names.js';

it('asks for names in calls whose request line every proxy takes', () => {
  const short = Array.from({ length: 150 }, (_, at) => `ops.key:${at}`);
  const long = Array.from({ length: 60 }, (_, at) => `actor:${'e'.repeat(64)}@egi.eu@https://aai.example.org/auth/realms/egi/${at}`);
  const batches = batchesOf([...short, ...long]);
  expect(batches.flat()).toEqual([...short, ...long]);
  for (const batch of batches) {
    expect(batch.length).toBeLessThanOrEqual(100);
    expect(batch.map((record) => `&record=${encodeURIComponent(record)}`).join('').length).toBeLessThanOrEqual(4_100);
  }
});
