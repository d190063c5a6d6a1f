import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '#test/support/eventually.js';
import { AnswerRoom } from './answer-room.js';
import { bodyOfPieces, type Pieces } from './pieces.js';

const MIB = 1024 * 1024;
const NEVER = new AbortController().signal;

const roomOf = (all: number, share: number) => new AnswerRoom(undefined, { all, share });

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
      const body = await bodyOfPieces(source(count, bytes).pieces).made();
      expect([Buffer.isBuffer(body), (body as Buffer).length]).toEqual([true, count * bytes]);
    }
  });

  it('is a stream of the same bytes when it is long, made no faster than it is taken', async () => {
    const { state, pieces } = source(100, MIB / 2);
    const body = await bodyOfPieces(pieces).made();
    if (!(body instanceof Readable)) throw new Error('not a stream');
    expect(state.made).toBeLessThan(10);
    const whole = await read(body);
    expect([whole.length, state.made, state.ended]).toEqual([50 * MIB, 100, true]);
    expect(whole.subarray(0, MIB / 2).equals(whole.subarray(-MIB / 2))).toBe(true);
  });

  it('is not made any further once nobody takes it', async () => {
    for (const chunks of [0, 1, 100]) {
      const { state, pieces } = source(100, MIB);
      const body = (await bodyOfPieces(pieces).made()) as Readable;
      for (let chunk = 0; chunk < chunks; chunk++) if (body.read() === null) await once(body, 'readable');
      body.destroy();
      await once(body, 'close');
      expect(state.made).toBeLessThan(chunks + 10);
    }
  });

  it('fails before anything is sent where its beginning fails, and ends early where it fails later', async () => {
    await expect(bodyOfPieces(source(10, 10, 3).pieces).made()).rejects.toThrow('lost');
    const body = (await bodyOfPieces(source(100, MIB, 50).pieces).made()) as Readable;
    await expect(read(body)).rejects.toThrow('lost');
  });

  it('is not made any further than its first chunk before memory is reserved, and holds what it needs', async () => {
    const room = roomOf(6 * MIB, 3 * MIB);
    const others = room.openBody('caller', () => NEVER);
    others.hold(2 * MIB);
    const { state, pieces } = source(100, MIB / 4);
    const answer = room.openBody('caller', () => NEVER);
    const making = bodyOfPieces(pieces).made(answer);
    await eventually(async () => answer.isContended).until(Boolean);
    expect(state.made).toBe(0);
    others.close();
    const body = await making;
    if (!(body instanceof Readable)) throw new Error('not a stream');
    expect(room.taken).toBe(2 * MIB);
    let bytes = 0;
    for await (const chunk of body) bytes += (chunk as Buffer).length;
    expect([bytes, room.taken]).toEqual([25 * MIB, MIB]);
    answer.close();
    expect(room.taken).toBe(0);
  });

  it('is not made for a client that has gone', async () => {
    const room = roomOf(MIB, MIB);
    const [others, gone] = [room.openBody('caller', () => NEVER), new AbortController()];
    others.hold(MIB);
    const { state, pieces } = source(100, MIB / 4);
    const making = bodyOfPieces(pieces).made(room.openBody('caller', () => gone.signal));
    gone.abort();
    expect(await making).toBeUndefined();
    expect([state.made, state.ended]).toEqual([0, true]);
  });

  it('is counted with its size if it is short, and may be kept', async () => {
    const room = new AnswerRoom();
    const kept: number[] = [];
    const made = (count: number) =>
      bodyOfPieces(source(count, 50_000).pieces, (body) => {
        kept.push(body.length);
        return 'kept';
      }).made(room.openBody('caller', () => NEVER));
    expect([await made(1), room.taken]).toEqual(['kept', 0]);
    expect([await made(20), room.taken]).toEqual(['kept', 1_000_000]);
    expect(kept).toEqual([50_000, 1_000_000]);
  });
});
