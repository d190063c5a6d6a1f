import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PartitionedRead, readings } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import type { CommitListener } from '#projections/shared/read-store.js';
import { CommitCache } from './commit-cache.js';

describe('what follows from read models', () => {
  const listeners = new Map<string, CommitListener>();
  const commit = (projection: string) => listeners.get(projection)?.(1n, '');
  const reads = jest.fn(async (): Promise<string | undefined> => 'read');
  let cache: CommitCache<string>;
  beforeEach(() => {
    reads.mockClear();
    cache = new CommitCache(
      {
        onCommit: (projection, listener) => {
          listeners.set(projection, listener);
          return () => listeners.delete(projection);
        },
      },
      ['one', 'two'],
      2,
    );
  });
  afterEach(() => listeners.clear());

  it('is kept once it was read', async () => {
    expect(cache.get('key')).toBeUndefined();
    expect(await cache.fill('key', reads)).toBe('read');
    expect(cache.get('key')).toBe('read');
  });

  it.each(['one', 'two'])('is forgotten when projection %s commits', async (projection) => {
    await cache.fill('key', reads);
    commit(projection);
    expect(cache.get('key')).toBeUndefined();
  });

  it('is not kept when a commit came while it was read', async () => {
    const filled = cache.fill('key', async () => {
      commit('one');
      return reads();
    });
    expect(await filled).toBe('read');
    expect(cache.get('key')).toBeUndefined();
  });

  it('is not kept when it is nothing, or could not be read', async () => {
    expect(await cache.fill('key', async () => undefined)).toBeUndefined();
    await expect(cache.fill('key', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(cache.get('key')).toBeUndefined();
  });

  it.each([
    ['one', undefined],
    ['another', 'read'],
  ])('is not kept where an answer over several partitions of %s has read it, of which one may be paused', async (projection, kept) => {
    const reading = new PartitionedRead(() => undefined);
    const end = readings.begin();
    await readings.run(reading, () =>
      cache.fill('key', () => {
        reading.note(projection);
        return reads();
      }),
    );
    end();
    expect(cache.get('key')).toBe(kept);
  });

  it('is kept up to the number that was said', async () => {
    for (const key of ['first', 'second', 'third']) await cache.fill(key, reads);
    expect(['first', 'second', 'third'].map((key) => cache.get(key))).toEqual([undefined, 'read', 'read']);
  });

  it.each([true, false])('is kept if it has to be exact only of a store with one writer: %s', async (isAlone) => {
    const exact = new CommitCache<string>({ onCommit: () => () => {}, isAlone }, ['one'], 2, true);
    await exact.fill('key', reads);
    expect(exact.get('key')).toBe(isAlone ? 'read' : undefined);
  });

  it('hears of no commit once it is closed', () => {
    cache.close();
    expect(listeners.size).toBe(0);
  });
});
