import { describe, expect, it } from '@jest/globals';
import { Waiters } from './waiters.js';

describe('Waiters', () => {
  const { signal } = new AbortController();

  it('are woken one by one, in the order in which they came, or all at once', async () => {
    const waiters = new Waiters<string>();
    const waiting = ['a', 'b', 'c', 'd'].map(async (name) => `${name} ${await waiters.wait(60_000, signal)}`);
    waiters.wakeOne('first');
    waiters.wakeOne('second');
    expect(waiters.size).toBe(2);
    waiters.wakeAll('rest');
    waiters.wakeOne('nobody');
    expect(await Promise.all(waiting)).toEqual(['a first', 'b second', 'c rest', 'd rest']);
  });

  it('give up after their time and on their signal, and are not woken then', async () => {
    const waiters = new Waiters<string>();
    const gone = new AbortController();
    const waiting = [waiters.wait(1, signal), waiters.wait(60_000, gone.signal), waiters.wait(0, signal)];
    gone.abort();
    expect(await Promise.all([...waiting, waiters.wait(60_000, gone.signal)])).toEqual([undefined, undefined, undefined, undefined]);
    expect(waiters.size).toBe(0);
  });
});
