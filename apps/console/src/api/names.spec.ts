import { afterEach, expect, it, jest } from '@jest/globals';
import { batchesOf, nameKnown, onNames, wantNames } from './names.js';

afterEach(() => void jest.restoreAllMocks());

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

it('asks for names although the id of one record is no whole text', async () => {
  const [half, key] = [{ kind: 'actor', id: '\ud800' } as const, { kind: 'ops.key', id: '1' } as const];
  const items = [
    { ...half, id: '\ufffd', name: null },
    { ...key, name: 'Ada' },
  ];
  jest.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({ items }));
  const told = new Promise<void>((resolve) => onNames(resolve));
  wantNames([half, key]);
  await told;
  expect(nameKnown(key)?.name?.name).toBe('Ada');
  expect(nameKnown(half)?.name).toBeUndefined();
  expect(nameKnown(half)).toBeDefined();
});
