import { describe, expect, it } from '@jest/globals';
import { FairQueue } from './fair-queue.js';

const drained = (queue: FairQueue<string>): string => {
  const taken: string[] = [];
  while (queue.length > 0) taken.push(String(queue.take()));
  return taken.join(' ');
};

describe('a fair queue', () => {
  it('lets owners take turns, each with its oldest item', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'a3', 'b1', 'a4', 'c1', 'b2']) queue.add(item.charAt(0), item);
    expect(drained(queue)).toBe('a1 b1 c1 a2 b2 a3 a4');
  });

  it('gives an owner that comes again the last turn', () => {
    const queue = new FairQueue<string>();
    queue.add('a', 'a1');
    queue.add('b', 'b1');
    queue.take();
    queue.add('a', 'a2');
    expect(drained(queue)).toBe('b1 a2');
  });

  it('finds the next item that may go, with its weight', () => {
    const queue = new FairQueue<string>();
    queue.add('a', 'a1', 7);
    queue.add('b', 'b1', 2);
    expect(queue.find(() => true)).toEqual({ owner: 'a', item: 'a1', weight: 7 });
    expect(queue.find((owner, weight) => owner !== 'a' && weight === 2)).toEqual({ owner: 'b', item: 'b1', weight: 2 });
    expect(queue.find(() => false)).toBeUndefined();
    expect([queue.take('b'), queue.take('b'), queue.has('a'), queue.has('b')]).toEqual(['b1', undefined, true, false]);
  });

  it('removes items that need not wait any longer', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'b1']) queue.add(item.charAt(0), item);
    queue.remove('a', 'a1');
    queue.remove('b', 'b1');
    queue.remove('c', 'c1');
    expect(drained(queue)).toBe('a2');
  });
});
