import { describe, expect, it } from '@jest/globals';
import { turns } from '#test/support/turns.js';
import { MemoryBudget } from './memory-budget.js';

describe('room for large work', () => {
  it('is given to as much work as fits into it, and then to the owners in turns', async () => {
    const room = new MemoryBudget(10);
    const began: string[] = [];
    const ends = new Map<string, () => void>();
    const work = (owner: string, name: string, bytes: number) =>
      room.within(owner, bytes, () => {
        began.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      });
    const all = Promise.all([work('a', 'a1', 6), work('a', 'a2', 4), work('a', 'a3', 6), work('a', 'a4', 6), work('b', 'b1', 3)]);
    await turns();
    expect(began).toEqual(['a1', 'a2']);
    ends.get('a1')?.();
    await turns();
    expect(began).toEqual(['a1', 'a2', 'a3']);
    ends.get('a3')?.();
    await turns();
    expect(began).toEqual(['a1', 'a2', 'a3', 'b1']);
    ends.get('a2')?.();
    await turns();
    expect(began).toEqual(['a1', 'a2', 'a3', 'b1', 'a4']);
    expect(room.taken).toBe(9);
    ends.get('b1')?.();
    ends.get('a4')?.();
    await all;
    expect(room.taken).toBe(0);
  });

  it('is given to work larger than all of it when no other work is running', async () => {
    const room = new MemoryBudget(10);
    const give = await room.take('a', 4);
    let began = false;
    const large = room.within('a', 1_000, async () => {
      began = true;
    });
    await turns();
    expect(began).toBe(false);
    give();
    await large;
    expect(began).toBe(true);
  });

  it('is not given to new work while other work waits', async () => {
    const room = new MemoryBudget(10);
    const give = room.tryTake('b', 8);
    const waiting = room.take('a', 4);
    expect([room.isCrowded('b'), room.tryTake('b', 1)]).toEqual([true, undefined]);
    give?.();
    (await waiting)();
    expect([room.isCrowded('b'), room.taken]).toEqual([false, 0]);
  });

  it('is given to others when a signal ends a wait', async () => {
    const room = new MemoryBudget(10);
    const give = room.tryTake('c', 6);
    const leaving = new AbortController();
    const large = room.take('a', 10, leaving.signal);
    const small = room.take('b', 4);
    leaving.abort(new Error('gone'));
    await expect(large).rejects.toThrow('gone');
    (await small)();
    give?.();
    expect(room.taken).toBe(0);
    room.add('c', 20);
    expect([room.tryAdd('b', 1), room.taken]).toEqual([false, 20]);
    room.add('c', -20);
    await expect(new MemoryBudget(0).within('a', 1, async () => 'alone')).resolves.toBe('alone');
  });

  it('is given to one owner up to its share, and to others meanwhile', async () => {
    const room = new MemoryBudget(10, 4);
    const give = room.tryTake('a', 3);
    const waiting = room.take('a', 2);
    expect([room.isCrowded('a'), room.isCrowded('b'), room.tryTake('a', 1)]).toEqual([true, false, undefined]);
    const other = room.tryTake('b', 6); // its only work may exceed the share
    expect([other === undefined, room.tryTake('b', 1), room.taken]).toEqual([false, undefined, 9]);
    other?.();
    expect([room.isCrowded('a'), room.taken]).toEqual([true, 3]);
    give?.();
    (await waiting)();
    expect([room.isCrowded('a'), room.taken]).toEqual([false, 0]);
  });

  it('has room for others while an owner was given more than its share', () => {
    const room = new MemoryBudget(10, 4);
    room.add('a', 100);
    expect([room.tryAdd('b', 4), room.tryAdd('a', 1), room.taken]).toEqual([true, false, 104]);
  });

  it('is given back by failing work', async () => {
    const room = new MemoryBudget(10);
    await expect(room.within('a', 10, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(room.taken).toBe(0);
  });
});
