import type { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import { LiveStream, TooManyViewers } from './live.js';

/** The next event with data. */
const nextOf = async (stream: Readable): Promise<unknown> => {
  for await (const part of stream.iterator({ destroyOnReturn: false })) {
    const [, text] = /data: (.*)\n\n$/.exec(`${part}`) ?? [];
    if (text !== undefined) return JSON.parse(text);
  }
  return undefined;
};

describe('The live overview', () => {
  let live: LiveStream;
  afterEach(() => live.onModuleDestroy());

  it('shows the same look to all, and ends with the permission of one', async () => {
    let looks = 0;
    live = new LiveStream(async () => ({ look: ++looks }));
    const [leaving, staying] = [new AbortController(), new AbortController()];
    const [one, other] = [live.watch('one', leaving.signal), live.watch('other', staying.signal)];
    for (const stream of [one, other]) expect(await nextOf(stream)).toEqual({ look: 1 });
    leaving.abort();
    expect(await nextOf(one)).toBeUndefined();
    expect(await nextOf(other)).toEqual({ look: 2 });
  });

  it('is watched by fifty of one key, and says so', () => {
    const { signal } = new AbortController();
    live = new LiveStream(async () => ({}));
    for (let viewer = 0; viewer < 50; viewer++) live.watch('key', signal);
    expect(() => live.watch('key', signal)).toThrow(TooManyViewers);
    expect(() => live.watch('key', signal)).toThrow('50 of them with one key');
    expect(() => live.watch('other', signal)).not.toThrow();
  });
});
