import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { turns } from '#test/support/turns.js';
import { Turnstile } from './turnstile.js';

describe('a turnstile', () => {
  it('limits the concurrent work of each key, and keeps its order', async () => {
    const turnstile = new Turnstile(2);
    const log: string[] = [];
    const ends: (() => void)[] = [];
    const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) =>
      turnstile.within(name.charAt(0), () => {
        log.push(name);
        return new Promise<void>((resolve) => ends.push(resolve));
      }),
    );
    await turns();
    expect(log).toEqual(['a1', 'a2', 'b1']);
    ends[0]?.();
    await turns();
    expect(log).toEqual(['a1', 'a2', 'b1', 'a3']);
    for (let index = 1; index < 5; index++) {
      ends[index]?.();
      await turns();
    }
    await Promise.all(all);
    expect(log).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  });

  it('listens to a signal only while work waits', async () => {
    const turnstile = new Turnstile(1);
    const { signal } = new AbortController();
    const leave = await turnstile.enter('a', signal);
    const waiting = turnstile.enter('a', signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    leave();
    (await waiting)();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('goes on after failing work', async () => {
    const turnstile = new Turnstile(1);
    const failing = turnstile.within('a', () => Promise.reject(new Error('no')));
    const next = turnstile.within('a', async () => 'next');
    await expect(failing).rejects.toThrow('no');
    await expect(next).resolves.toBe('next');
  });
});
