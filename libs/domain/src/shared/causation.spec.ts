import { describe, expect, it } from '@jest/globals';
import { causeIn, causeOf, newestCause, reactionTo } from './causation.js';
import type { ReadStreamOptions } from './event-store.js';
import type { RecordedEvent } from './events.js';

/** An event of a stream of one type. */
const event = (id: string, correlationId: string, causationId: string): RecordedEvent => ({
  ...{ id, stream: 'tests-1', type: id.slice(0, 1), revision: 0n, position: 1n, recordedAt: 0, data: {} },
  metadata: {
    ...{ time: '', actor: { kind: 'user', id: 'ada' }, service: 'status', requestId: causationId, schemaVersion: 1 },
    ...{ correlationId, causationId },
  },
});

/** `given(event).then(…)`: ids in the metadata of what reacts to it. */
const given = (cause: RecordedEvent) => ({
  then: (expected: object): void => expect(reactionTo(causeOf(cause))).toEqual(expected),
});

describe('a reaction', () => {
  it('names its event, not the cause of that, and carries on the conversation', () =>
    given(event('a1', 'conversation', 'request')).then({ causationId: 'a1', correlationId: 'conversation' }));

  it('to a reaction stays in the conversation', () => {
    const first = event('a1', 'conversation', 'request');
    const { correlationId, causationId } = reactionTo(causeOf(first));
    given(event('b1', correlationId, causationId)).then({ causationId: 'b1', correlationId: 'conversation' });
  });

  it('of another actor in a call has the cause of the events of the call', () => {
    const { metadata } = event('a1', 'conversation', 'request');
    expect(reactionTo(causeIn(metadata))).toEqual({ causationId: 'request', correlationId: 'conversation' });
  });
});

describe('the newest cause in a stream', () => {
  const [one, two, other] = [event('a1', 'c1', 'r'), event('a2', 'c2', 'r'), event('b1', 'c3', 'r')];
  const asked: ReadStreamOptions[] = [];
  const events = {
    readStream: async (_stream: string, options: ReadStreamOptions) => {
      asked.push(options);
      return [other, two, one];
    },
  };

  it('is the last event that passes, among a bounded number', async () => {
    expect(await newestCause(events, 'tests-1', ({ type }) => type === 'a')).toEqual({ id: 'a2', correlationId: 'c2' });
    expect(await newestCause(events, 'tests-1')).toEqual({ id: 'b1', correlationId: 'c3' });
    expect(asked.every(({ direction, limit }) => direction === 'backwards' && limit <= 200)).toBe(true);
  });

  it('is null if none passes', async () => expect(await newestCause(events, 'tests-1', () => false)).toBeNull());
});
