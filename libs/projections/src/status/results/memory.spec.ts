import { expect, it } from '@jest/globals';
import { cachedIfSmall, type ReadCache } from './memory.js';

it('keeps small values only: any caller may read as many large ones as there are keys', async () => {
  const kept = new Map<string, object>();
  const cache: ReadCache = {
    get: (key) => kept.get(key),
    fill: async (key, read) => {
      const found = await read();
      if (found !== undefined) kept.set(key, found);
      return found;
    },
    clear: () => kept.clear(),
  };
  const reads: string[] = [];
  const read = (name: string, bytes: number) =>
    cachedIfSmall(cache, [name], async () => {
      reads.push(name);
      return name === 'none' ? undefined : { value: { name }, bytes };
    });
  for (let turn = 0; turn < 2; turn++) {
    expect([await read('small', 65_536), await read('large', 65_537), await read('none', 0)]).toEqual([
      { name: 'small' },
      { name: 'large' },
      undefined,
    ]);
  }
  expect(reads).toEqual(['small', 'large', 'none', 'large', 'none']);
});
