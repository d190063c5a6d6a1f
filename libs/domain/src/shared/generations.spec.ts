import { beforeEach, describe, expect, it } from '@jest/globals';
import { Generations } from './generations.js';

type Sized = Readonly<{ size: number }>;

describe('A cache in two generations', () => {
  let cache: Generations<Sized>;
  beforeEach(() => {
    cache = new Generations<Sized>({ most: 20, longest: 6, sizeOf: ({ size }) => size });
  });

  const keys = (): string => ['a', 'b', 'c', 'd', 'e', 'f'].filter((key) => cache.get(key)).join('');
  const put = (names: string, size = 4): void => {
    for (const key of names) cache.set(key, { size });
  };

  it('drops the values that were not used since the generation before', () => {
    put('abc'); // fills a generation
    cache.get('a');
    put('de');
    expect(keys()).toBe('ade');
  });

  it('counts a replaced value once', () => {
    put('ab');
    for (let time = 0; time < 10; time++) put('b');
    put('c');
    expect(keys()).toBe('abc');
  });

  it('keeps no value that is too large, nor the one that it would replace', () => {
    put('a');
    put('a', 7);
    expect(cache.get('a')).toBeUndefined();
  });

  it('counts no value that was deleted', () => {
    for (let time = 0; time < 2; time++) {
      put('a');
      cache.delete('a');
    }
    put('bcde');
    expect(cache.get('b')).toBeDefined();
  });

  it('deletes values of both generations by the beginning of their keys', () => {
    for (const key of ['x/1', 'x/2', 'y/1', 'x/3', 'y/2']) cache.set(key, { size: 4 });
    cache.deleteUnder('x/');
    expect(['x/1', 'x/2', 'x/3', 'y/1', 'y/2'].filter((key) => cache.get(key))).toEqual(['y/1', 'y/2']);
    cache.clear();
    expect(cache.get('y/1')).toBeUndefined();
  });
});
