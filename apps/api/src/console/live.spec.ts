import type { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Live, TooManyViewers } from './live.js';

/** The next event with data. */
const nextOf = async (stream: Readable): Promise<unknown> => {
  for await (const part of stream.iterator({ destroyOnReturn: false })) {
    const [, text] = /data: (.*)\n\n$/.exec(`${part}`) ?? [];
    if (text !== undefined) return JSON.parse(text);
  }
  return undefined;
};

describe('The live overview', () => {
  let live: Live;
  afterEach(() => live.onModuleDestroy());

  it('goes on for all while a store does not say who may watch, and asks it once', async () => {
    let looks = 0;
    let asked = 0;
    live = new Live(async () => ({ look: ++looks }));
    const waiting = live.watch('hung', () => {
      asked += 1;
      return new Promise(() => undefined);
    });
    const other = live.watch('fine', async () => true);
    for (const look of [1, 2, 3]) {
      expect(await nextOf(other)).toEqual({ look });
      expect(await nextOf(waiting)).toEqual({ look });
    }
    expect(asked).toBe(1);
  });

  it('asks anew where a question has no answer for long, and ends with the permission', async () => {
    const answers = [() => new Promise<boolean>(() => undefined), async () => false];
    live = new Live(async () => ({}), 700);
    const stream = live.watch('key', () => answers.shift()?.() ?? Promise.resolve(true));
    expect(await nextOf(stream)).toEqual({});
    expect(await nextOf(stream)).toBeUndefined();
    expect(answers).toEqual([]);
  });

  it('goes on while nobody can say who may watch, and ends with the permission', async () => {
    const answers = [() => Promise.reject(new Error('away')), async () => false];
    live = new Live(async () => ({}));
    const stream = live.watch('key', () => answers.shift()?.() ?? Promise.resolve(false));
    expect(await nextOf(stream)).toEqual({});
    expect(await nextOf(stream)).toBeUndefined();
  });

  it('is watched by fifty of one key, and says so', () => {
    live = new Live(async () => ({}));
    for (let viewer = 0; viewer < 50; viewer++) live.watch('key', async () => true);
    expect(() => live.watch('key', async () => true)).toThrow(TooManyViewers);
    expect(() => live.watch('key', async () => true)).toThrow('50 of them with one key');
    expect(() => live.watch('other', async () => true)).not.toThrow();
  });
});
