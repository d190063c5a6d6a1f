import { describe, expect, it } from '@jest/globals';
import { IdempotencyKeyReused, Overloaded, ProcessorClosed } from '#infra/engine/stream-processor/execution.js';
import { isOutage } from './failures.js';

describe('failures that a repeated call may not meet again', () => {
  it.each([new Overloaded('a-1'), new ProcessorClosed('the stream processor is closing')])('include %p', (error) =>
    expect(isOutage(error)).toBe(true),
  );

  it.each([new IdempotencyKeyReused('a-1'), new Error('a fault')])('do not include %p', (error) => expect(isOutage(error)).toBe(false));
});
