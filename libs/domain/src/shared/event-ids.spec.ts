import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { commandPartOf, isOfSameAppend, nextEventId } from './event-ids.js';

const event = (id: string, revision: bigint, stream = 'test.a-1') => ({ id, revision, stream });

describe('ids of the events of a command', () => {
  const first = randomUUID();
  const third = nextEventId(nextEventId(first));

  it('are UUIDs that count on from the first one, also beyond its last number', () => {
    expect(nextEventId('0f0e0d0c-0b0a-4908-8706-0504030201ff')).toBe('0f0e0d0c-0b0a-4908-8706-050403020200');
    const last = '0f0e0d0c-0b0a-4908-8706-ffffffffffff';
    expect(nextEventId(last)).toBe('0f0e0d0c-0b0a-4908-8706-000000000000');
    expect(commandPartOf(nextEventId(last))).toBe(commandPartOf(last));
    expect(isOfSameAppend(event(last, 3n), event(nextEventId(last), 4n))).toBe(true);
  });

  it('show which events were appended at once', () => {
    expect(isOfSameAppend(event(first, 0n), event(nextEventId(first), 1n))).toBe(true);
    expect(isOfSameAppend(event(first, 5n), event(third, 7n))).toBe(true);
  });

  it.each([
    ['another revision', event(third, 6n)],
    ['another stream', event(third, 7n, 'test.a-2')],
    ['a random id', event(randomUUID(), 6n)],
    ['the same event', event(first, 5n)],
  ])('do not join %s', (_, later) => expect(isOfSameAppend(event(first, 5n), later)).toBe(false));
});
