import { describe, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import { type CursorAction, type CursorCommand, cursor, startingCursor } from './cursor.js';
import type { Cursor, CursorEvent } from './cursor-events.js';

const ids = { subscriptionId: 's', projectId: 'p' };
const start = { topicId: 't', startOffset: 3 };
const time = (second: number, fraction = '000') => new Date(Date.UTC(2024, 0, 1, 0, 0, second)).toISOString().replace('000', fraction);
const secondOf = (second: number) => Date.UTC(2024, 0, 1) / 1_000 + second;
const NEW: Cursor = startingCursor(start);

const command = (
  action: CursorAction,
  { topicId = 't', now = time(0), ...order }: Partial<Pick<CursorCommand, 'topicId' | 'topicOrder' | 'now'>> = {},
): CursorCommand => ({ ...ids, start, topicId, ...order, now, ...action });
const event = (type: CursorEvent['type'], changes: Partial<Cursor>): CursorEvent => ({
  type,
  data: { ...ids, cursor: { ...NEW, ...changes } },
});
const deliver = (from: number, count: number, seen = from, end = from + count): CursorAction => ({
  type: 'DeliverBatch',
  seen,
  from,
  end,
  count,
  bytes: count * 10,
});
const acknowledge = (highest: number, ackDeadlineSeconds = 10, next = highest + 1): CursorAction => ({
  type: 'AcknowledgeBatch',
  highest,
  next,
  ackDeadlineSeconds,
});
const modify = (offset: number): CursorAction => ({ type: 'ModifyOffset', offset, min: 2, max: 7 });

/** Five messages were delivered at second 0. */
const OUT = {
  offset: 3,
  nextOffset: 8,
  pendingAck: secondOf(0),
  messages: 5,
  bytes: 50,
  lastPull: time(0),
  rate: 5,
};
const out = event('BatchDelivered', OUT);
const given = deciderSpec(cursor);

describe('delivering', () => {
  it('returns a batch from the offset on, and counts it', () =>
    given()
      .when(command(deliver(3, 5)))
      .then(out));

  it('returns the same messages again in a new batch, to any caller and without delay', () =>
    given(out)
      .when(command(deliver(3, 2), { now: time(4, '900') }))
      .then(
        event('BatchDelivered', {
          offset: 3,
          nextOffset: 5,
          pendingAck: secondOf(4),
          messages: 7,
          bytes: 70,
          lastPull: time(4, '900'),
          rate: 2 / 4.9,
        }),
      ));

  it('without messages leaves an empty batch and a rate of zero', () =>
    given(event('BatchAcknowledged', { ...OUT, offset: 8, nextOffset: 0, pendingAck: null }))
      .when(command(deliver(8, 0), { now: time(2) }))
      .then(event('BatchDelivered', { ...OUT, offset: 8, nextOffset: 8, pendingAck: secondOf(2), lastPull: time(2), rate: 0 })));

  it('without messages at offset 0 leaves nothing outstanding', () =>
    given(event('OffsetModified', { offset: 0 }))
      .when(command(deliver(0, 0)))
      .then(event('BatchDelivered', { offset: 0, nextOffset: 0, pendingAck: null, lastPull: time(0) })));

  it('without messages twice within a second is recorded once', () => {
    const empty = event('BatchDelivered', { offset: 3, nextOffset: 3, pendingAck: secondOf(1), lastPull: time(1) });
    given(empty)
      .when(command(deliver(3, 0), { now: time(1, '999') }))
      .then();
    given(empty)
      .when(command(deliver(3, 0), { now: time(2) }))
      .then(event('BatchDelivered', { offset: 3, nextOffset: 3, pendingAck: secondOf(2), lastPull: time(2) }));
    given(out)
      .when(command(deliver(3, 0), { now: time(0, '500') }))
      .then(event('BatchDelivered', { ...OUT, nextOffset: 3, lastPull: time(0, '500'), rate: 0 }));
  });

  it('skips expired messages', () =>
    given()
      .when(command(deliver(6, 1, 3)))
      .then(
        event('BatchDelivered', { offset: 6, nextOffset: 7, pendingAck: secondOf(0), messages: 1, bytes: 10, lastPull: time(0), rate: 1 }),
      ));

  it('ends after the last message, including any skipped ones', () => {
    const batch = { offset: 5, nextOffset: 40, pendingAck: secondOf(0), messages: 2, bytes: 20, lastPull: time(0), rate: 2 };
    given()
      .when(command(deliver(5, 2, 3, 40)))
      .then(event('BatchDelivered', batch));
    const acknowledged = (offset: number) => event('BatchAcknowledged', { ...batch, offset, nextOffset: 0, pendingAck: null });
    given(event('BatchDelivered', batch))
      .when(command(acknowledge(39, 10, 1_000)))
      .then(acknowledged(1_000));
    given(event('BatchDelivered', batch))
      .when(command(acknowledge(7)))
      .then(acknowledged(8));
    given(event('BatchDelivered', batch))
      .when(command(acknowledge(40)))
      .thenRejected('WRONG_ACK');
  });

  it('is refused if the cursor has moved since the messages were read', () => {
    given(event('OffsetModified', { offset: 5 }))
      .when(command(deliver(3, 5)))
      .thenRejected('CURSOR_MOVED', { offset: 5 });
    given()
      .when(command(deliver(0, 1)))
      .thenRejected('CURSOR_MOVED', { offset: 3 });
  });

  it('starts at the beginning of the log of a recreated topic', () =>
    given(out)
      .when(command(deliver(0, 1), { topicId: 'u', now: time(5) }))
      .then(
        event('BatchDelivered', {
          topicId: 'u',
          offset: 0,
          nextOffset: 1,
          pendingAck: secondOf(5),
          messages: 6,
          bytes: 60,
          lastPull: time(5),
          rate: 0.2,
        }),
      ));
});

it('a caller who has not seen yet that the topic was recreated cannot move the cursor back to the earlier one', () => {
  const batch = { nextOffset: 1, pendingAck: secondOf(0), messages: 1, bytes: 10, lastPull: time(0), rate: 1 };
  const renewed = event('BatchDelivered', { ...batch, topicId: 'v', topicOrder: '3', offset: 0 });
  given(event('OffsetModified', {}))
    .when(command(deliver(0, 1), { topicId: 'v', topicOrder: '3' }))
    .then(renewed);
  for (const earlier of [
    { topicId: 't', topicOrder: '1' },
    { topicId: 'u', topicOrder: '2' },
  ]) {
    const withRenewed = given(renewed);
    withRenewed.when(command(deliver(0, 1), earlier)).thenRejected('TOPIC_REPLACED');
    withRenewed.when(command(modify(3), earlier)).thenRejected('TOPIC_REPLACED');
    withRenewed.when(command(acknowledge(0), earlier)).thenRejected('TOPIC_REPLACED');
    withRenewed.when(command({ type: 'RaiseOffset', min: 4 }, earlier)).then();
  }
  given(renewed)
    .when(command({ type: 'RaiseOffset', min: 4 }, { topicId: 'w', topicOrder: '4' }))
    .then(event('OffsetModified', { ...batch, topicId: 'w', topicOrder: '4', offset: 4, nextOffset: 0, pendingAck: null }));
});

it('a cursor that an earlier release moved to a recreated topic gets the order of that topic with the next command', () => {
  const moved = { ...OUT, topicId: 'u', offset: 0, nextOffset: 1 };
  const acknowledged = { ...moved, topicOrder: '2', offset: 1, nextOffset: 0, pendingAck: null };
  given(event('BatchDelivered', moved))
    .when(command(acknowledge(0), { topicId: 'u', topicOrder: '2' }))
    .then(event('BatchAcknowledged', acknowledged));
});

describe('acknowledging', () => {
  const acknowledged = (offset: number) => event('BatchAcknowledged', { ...OUT, offset, nextOffset: 0, pendingAck: null });

  it.each([3, 5, 7])('%i moves the offset past it and closes the batch', (highest) =>
    given(out)
      .when(command(acknowledge(highest)))
      .then(acknowledged(highest + 1)),
  );

  it.each([Number.MIN_SAFE_INTEGER, -1, 0, 2, 8, 2 ** 63])('%d is wrong, because it is outside the batch', (highest) =>
    given(out)
      .when(command(acknowledge(highest)))
      .thenRejected('WRONG_ACK'),
  );

  it.each<readonly [string, readonly CursorEvent[]]>([
    ['before the first pull', []],
    ['after an acknowledgement', [out, acknowledged(5)]],
    ['after the offset was modified', [out, event('OffsetModified', { offset: 3 })]],
  ])('is refused %s', (_when, before) =>
    given(...before)
      .when(command(acknowledge(3)))
      .thenRejected('NO_ACK_PENDING'),
  );

  it('is refused for an empty batch', () =>
    given(event('BatchDelivered', { nextOffset: 3, pendingAck: secondOf(0) }))
      .when(command(acknowledge(2)))
      .thenRejected('WRONG_ACK'));

  it.each([
    [10, time(10, '999'), true],
    [10, time(11), false],
    [0, time(0, '999'), true],
    [0, time(1), false],
    [600, time(600), true],
  ])('within %i whole seconds, at %s: %p', (deadline, now, inTime) => {
    const attempt = given(out).when(command(acknowledge(7, deadline), { now }));
    if (inTime) attempt.then(acknowledged(8));
    else attempt.thenRejected('ACK_TIMEOUT');
  });

  it('reports a wrong offset before a timeout', () =>
    given(out)
      .when(command(acknowledge(8, 0), { now: time(99) }))
      .thenRejected('WRONG_ACK'));

  it('is possible if the topic is deleted, but not if it was recreated', () => {
    given(out)
      .when(command(acknowledge(7), { topicId: null }))
      .then(acknowledged(8));
    given(out)
      .when(command(acknowledge(7), { topicId: 'u' }))
      .thenRejected('NO_ACK_PENDING');
  });
});

describe('a streamed batch', () => {
  const streamed = { ...OUT, streamed: true } as const;
  const batch = event('BatchDelivered', streamed);

  it('grows, and is acknowledged in parts', () => {
    given(batch)
      .when(command({ type: 'DeliverBatch', seen: 3, from: 3, end: 10, count: 2, bytes: 20, streamed: true }, { now: time(4) }))
      .then(
        event('BatchDelivered', {
          ...streamed,
          nextOffset: 10,
          pendingAck: secondOf(4),
          messages: 7,
          bytes: 70,
          lastPull: time(4),
          rate: 0.5,
        }),
      );
    const first = event('BatchAcknowledged', { ...streamed, offset: 5 });
    given(batch)
      .when(command(acknowledge(4)))
      .then(first);
    given(batch, first)
      .when(command(acknowledge(4)))
      .thenRejected('WRONG_ACK');
    given(batch, first)
      .when(command(acknowledge(7)))
      .then(event('BatchAcknowledged', { ...OUT, offset: 8, nextOffset: 0, pendingAck: null }));
  });

  it('is replaced by the batch of a pull', () =>
    given(batch)
      .when(command(deliver(3, 5), { now: time(1) }))
      .then(event('BatchDelivered', { ...OUT, pendingAck: secondOf(1), messages: 10, bytes: 100, lastPull: time(1) })));
});

describe('the offset', () => {
  it.each([2, 3, 7])('can be moved to %i, which drops the outstanding batch and is counted', (offset) => {
    const moved = event('OffsetModified', { ...OUT, offset, nextOffset: 0, pendingAck: null, seeks: 1 });
    given(out)
      .when(command(modify(offset)))
      .then(moved);
    given(moved)
      .when(command(modify(3)))
      .then(event('OffsetModified', { ...OUT, offset: 3, nextOffset: 0, pendingAck: null, seeks: 2 }));
  });
  it.each([-1, 1, 8, 2 ** 63])('cannot be moved to %d, outside the log', (offset) =>
    given(out)
      .when(command(modify(offset)))
      .thenRejected('OFFSET_OUT_OF_BOUNDS'),
  );
  it('is raised to the oldest stored message, never lowered', () => {
    given(out)
      .when(command({ type: 'RaiseOffset', min: 4 }))
      .then(event('OffsetModified', { ...OUT, offset: 4, nextOffset: 0, pendingAck: null }));
    given(out)
      .when(command({ type: 'RaiseOffset', min: 3 }))
      .then();
  });
});
