import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { collectGarbage } from '#test/support/collect-garbage.js';
import { forAny } from '#test/support/for-any.js';
import { turns } from '#test/support/turns.js';
import { chunksOf, chunksOfEach } from './streamed-body.js';

describe('The chunks of a body', () => {
  it('are its bytes in order, none much larger than it may be', () =>
    forAny(
      100,
      fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('😀'.repeat(20), 'é', ''))),
      fc.integer({ min: 1, max: 9 }),
      (pieces, size) => {
        const whole = Buffer.from(pieces.join(''));
        const chunks = [...chunksOf({ pieces, plain: false }, size)];
        expect(Buffer.concat(chunks)).toEqual(whole);
        expect(chunks.filter((chunk) => chunk.toString('utf8').length > size + 1)).toEqual([]);
      },
    ));

  it('are made one by one', () => {
    let made = 0;
    const pieces = (function* () {
      for (; made < 10; made++) yield 'x'.repeat(100);
    })();
    const chunks = chunksOf({ pieces, plain: true }, 100);
    expect(made).toBe(0);
    chunks.next();
    expect(made).toBe(0);
    chunks.next();
    expect(made).toBe(1);
  });

  it('are made of one text at a time, which is not kept until the next one comes', async () => {
    const sent: WeakRef<object>[] = [];
    let go = (): void => undefined;
    let isOver = false;
    const next = async () => {
      if (sent.length > 0)
        await new Promise<void>((resolve) => {
          go = resolve;
        });
      const text = new String('x'.repeat(100_000)); // an object, because a string has no weak reference
      sent.push(new WeakRef(text));
      return { value: text as string, done: false };
    };
    const end = async () => {
      isOver = true;
      return { value: undefined, done: true } as const;
    };
    const chunks = chunksOfEach({ [Symbol.asyncIterator]: () => ({ next, return: end }) });
    const take = async () => (await chunks.next()).value?.length;
    expect([await take(), await take()]).toEqual([64 * 1024, 100_000 - 64 * 1024]);
    const waiting = take();
    await turns();
    collectGarbage();
    expect(sent.map((text) => text.deref() === undefined)).toEqual([true]);
    go();
    expect(await waiting).toBe(64 * 1024);
    await chunks.return(undefined);
    expect(isOver).toBe(true);
  });
});
