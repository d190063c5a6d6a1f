import { describe, expect, it } from '@jest/globals';
import { turns } from '#test/support/turns.js';
import { PublishMemory } from './publish-memory.js';

const MIB = 1024 * 1024;

/** The calls whose work has begun, with functions that end it. */
const lab = () => {
  const memory = new PublishMemory();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const dones = new Map<string, () => void>();
  const start = (name: string, bytes: number, values: number, project = 'p') =>
    memory.within(project, { bytes, values }, async (done) => {
      begun.push(name);
      dones.set(name, done);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    });
  return { start, begun, end: (name: string) => ends.get(name)?.(), done: (name: string) => dones.get(name)?.() };
};

describe('Publish calls', () => {
  it('with 10,000 small messages are worked on one at a time, projects in turns, and hold up no small one', async () => {
    const { start, begun, end } = lab();
    const calls = [...'abc'].map((name) => start(name, 200_000, 20_001));
    calls.push(start('other', 200_000, 20_001, 'q'), start('small', 100, 3));
    await turns();
    expect(begun).toEqual(['small', 'a']);
    for (const name of ['a', 'b', 'other', 'c', 'small']) {
      end(name);
      await turns();
    }
    await Promise.all(calls);
    expect(begun).toEqual(['small', 'a', 'b', 'other', 'c']);
  });

  it('that are stored, and wait for read models, leave the memory to others, once', async () => {
    const { start, begun, end, done } = lab();
    const calls = ['a', 'b', 'c'].map((name) => start(name, 16 * MIB, 3));
    await turns();
    for (const part of [done, end]) {
      part('a');
      await turns();
      expect(begun).toEqual(['a', 'b']);
    }
    end('b');
    await turns();
    end('c');
    await Promise.all(calls);
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('with few large messages share the memory', async () => {
    const { start, begun, end } = lab();
    const calls = ['a', 'b', 'c'].map((name) => start(name, 6 * MIB, 3));
    await turns();
    expect(begun).toEqual(['a', 'b']);
    for (const name of ['a', 'b', 'c']) {
      end(name);
      await turns();
    }
    await Promise.all(calls);
  });
});
