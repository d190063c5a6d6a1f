import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chunksOf } from './streamed-body.js';

describe('The chunks of a body', () => {
  it('are its bytes in order, none much larger than it may be', () =>
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('😀'.repeat(20), 'é', ''))),
        fc.integer({ min: 1, max: 9 }),
        (pieces, size) => {
          const whole = Buffer.from(pieces.join(''));
          const chunks = [...chunksOf({ pieces, plain: false }, size)];
          expect(Buffer.concat(chunks)).toEqual(whole);
          expect(chunks.filter((chunk) => chunk.toString('utf8').length > size + 1)).toEqual([]);
        },
      ),
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
});
