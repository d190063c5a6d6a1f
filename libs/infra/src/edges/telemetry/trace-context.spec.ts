import { describe, expect, it } from '@jest/globals';
import { childOf, newTrace, readTraceparent, writeTraceparent } from './trace-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('traceparent', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, { traceId: TRACE, spanId: SPAN, sampled: true }],
    [`00-${TRACE}-${SPAN}-00`, { traceId: TRACE, spanId: SPAN, sampled: false }],
    [`00-${TRACE}-${SPAN}-ff`, { traceId: TRACE, spanId: SPAN, sampled: true }],
    [`cc-${TRACE}-${SPAN}-01-what-the-future-will-be`, { traceId: TRACE, spanId: SPAN, sampled: true }],
  ])('%s is read', (header, context) => expect(readTraceparent(header)).toEqual(context));

  it.each([
    undefined,
    '',
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    [`00-${TRACE}-${SPAN}-01`],
  ])('%p is ignored', (header) => expect(readTraceparent(header)).toBeUndefined());

  it('is written as it was read, with new ids below it', () => {
    const header = `00-${TRACE}-${SPAN}-01`;
    const context = readTraceparent(header);
    if (!context) throw new Error('not read');
    expect(writeTraceparent(context)).toBe(header);
    const child = childOf(context);
    expect([child.traceId, child.sampled, child.spanId === SPAN]).toEqual([TRACE, true, false]);
    expect(readTraceparent(writeTraceparent(newTrace(1)))?.sampled).toBe(true);
    expect(newTrace(0).sampled).toBe(false);
  });
});
