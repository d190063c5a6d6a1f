import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { bodyOfPieces, type Pieces } from './pieces.js';

const MIB = 1024 * 1024;

/** Pieces of this size. `made` counts them; `ended` is set when the consumer stops. */
const source = (count: number, bytes: number, failing = Number.POSITIVE_INFINITY) => {
  const state = { made: 0, ended: false };
  async function* pieces(): Pieces {
    try {
      for (; state.made < count; state.made++) {
        if (state.made === failing) throw new Error('lost');
        yield ['a'.repeat(bytes - 1), Buffer.from('é').subarray(0, 1)];
      }
    } finally {
      state.ended = true;
    }
  }
  return { state, pieces: pieces() };
};

const read = async (stream: Readable): Promise<Buffer> => Buffer.concat(await stream.toArray());

describe('a body of pieces', () => {
  it('is one piece when it is short', async () => {
    for (const [count, bytes] of [
      [0, 1],
      [1, 1],
      [30, 50_000],
    ] as const) {
      const body = await bodyOfPieces(source(count, bytes).pieces);
      expect([Buffer.isBuffer(body), (body as Buffer).length]).toEqual([true, count * bytes]);
    }
  });

  it('is a stream of the same bytes when it is long, made no faster than it is taken', async () => {
    const { state, pieces } = source(100, MIB / 2);
    const body = await bodyOfPieces(pieces);
    if (!(body instanceof Readable)) throw new Error('not a stream');
    expect(state.made).toBeLessThan(10);
    const whole = await read(body);
    expect([whole.length, state.made, state.ended]).toEqual([50 * MIB, 100, true]);
    expect(whole.subarray(0, MIB / 2).equals(whole.subarray(-MIB / 2))).toBe(true);
  });

  it('is not made any further once nobody takes it', async () => {
    for (const chunks of [0, 1, 100]) {
      const { state, pieces } = source(100, MIB);
      const body = (await bodyOfPieces(pieces)) as Readable;
      for (let chunk = 0; chunk < chunks; chunk++) if (body.read() === null) await once(body, 'readable');
      body.destroy();
      await once(body, 'close');
      expect(state.made).toBeLessThan(chunks + 10);
    }
  });

  it('fails before anything is sent where its beginning fails, and ends early where it fails later', async () => {
    await expect(bodyOfPieces(source(10, 10, 3).pieces)).rejects.toThrow('lost');
    const body = (await bodyOfPieces(source(100, MIB, 50).pieces)) as Readable;
    await expect(read(body)).rejects.toThrow('lost');
  });
});
