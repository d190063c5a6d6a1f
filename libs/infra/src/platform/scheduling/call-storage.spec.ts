import { afterEach, expect, it, jest } from '@jest/globals';
import { CallStorage } from './call-storage.js';

afterEach(() => {
  jest.useRealTimers();
});

it('is switched off some seconds after its last use, not during another one', async () => {
  jest.useFakeTimers();
  const storage = new CallStorage<string>();
  const [first, second] = [storage.begin(), storage.begin()];
  const later = storage.run('a', async () => {
    await Promise.resolve();
    return storage.current;
  });
  expect(await later).toBe('a');
  first();
  first();
  jest.advanceTimersByTime(20_000);
  expect(storage.run('b', () => storage.current)).toBe('b');
  second();
  storage.run('c', () => {
    jest.advanceTimersByTime(9_000);
    expect(storage.current).toBe('c');
    jest.advanceTimersByTime(2_000);
    expect(storage.current).toBeUndefined();
  });
});
