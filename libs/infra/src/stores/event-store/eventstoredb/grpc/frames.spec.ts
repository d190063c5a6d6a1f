import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forAny } from '#test/support/for-any.js';
import { Deframer, frame } from './frames.js';

describe('messages of gRPC', () => {
  it('are taken out of data that are cut anywhere', async () => {
    const message = fc.uint8Array({ maxLength: 40 });
    await forAny(100, fc.array(message, { maxLength: 8 }), fc.array(fc.nat(60), { maxLength: 20 }), (messages, cuts) => {
      const sent = Buffer.concat(messages.map((each) => frame(Buffer.from(each))));
      const taken: string[] = [];
      const deframer = new Deframer((each) => taken.push(each.toString('hex')));
      let position = 0;
      for (const cut of [...cuts, sent.length]) {
        deframer.push(sent.subarray(position, position + cut));
        position = Math.min(sent.length, position + cut);
      }
      expect(taken).toEqual(messages.map((each) => Buffer.from(each).toString('hex')));
    });
  });

  it('are refused when they are compressed or too large', () => {
    for (const head of [Buffer.from([1, 0, 0, 0, 1]), Buffer.from([0, 2, 0, 0, 0])])
      expect(() => new Deframer(() => undefined).push(head)).toThrow(/^a message of \d+ bytes, flag [01]$/);
  });
});
