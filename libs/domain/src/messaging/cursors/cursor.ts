import { rateOf } from '#domain/messaging/messages/messages.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import type { Cursor, CursorEvent } from './cursor-events.js';

/** Position at which a new subscription starts: an offset in the log of the topic it was created for. */
type CursorStart = Readonly<{ topicId: string; startOffset: number }>;

/**
 * Selects the messages of a topic that a subscription receives (messaging contract 7.3, 7.4), by options of the subscription. Default: all. Equal ones are
 * equal as JSON.
 */
export type Selection = Readonly<{
  filter?: string;
  /** Older messages are skipped. */
  messageRetentionSeconds?: number;
}>;

/**
 * A subscription and the log it reads. `topicId`: the topic that currently has the name to which the subscription is attached, `null` if there is
 * none. `topicOrder`: a text that sorts this topic by its creation among those of the project. `selection`: absent if the subscription receives all
 * messages.
 */
export type SubscriptionRef = Readonly<{
  projectId: string;
  subscriptionId: string;
  start: CursorStart;
  topicId: string | null;
  topicOrder?: string;
  selection?: Selection;
}>;

/** `now`: `YYYY-MM-DDTHH:MM:SS.sssZ` */
type Common = Omit<SubscriptionRef, 'selection'> & Readonly<{ now: string }>;

/** Actions on a cursor (messaging contract 4.4). */
export type CursorAction =
  /**
   * `seen`: the offset from which the messages were read. `from`: the offset of the first message, greater than `seen` if older messages had expired
   * or were skipped. `end`: the offset after the last message, greater than `from + count` if messages in between were skipped. `streamed`: adds the
   * messages to the outstanding batch, whose unacknowledged messages stay outstanding.
   */
  | Readonly<{ type: 'DeliverBatch'; seen: number; from: number; end: number; count: number; bytes: number; streamed?: true }>
  /** `highest`: the largest acknowledged offset. `next`: the first offset after it that is not skipped. */
  | Readonly<{ type: 'AcknowledgeBatch'; highest: number; next: number; ackDeadlineSeconds: number }>
  /** `min`, `max`: bounds of the log, inclusive. */
  | Readonly<{ type: 'ModifyOffset'; offset: number; min: number; max: number }>
  /** Messages before `min` have expired. */
  | Readonly<{ type: 'RaiseOffset'; min: number }>;
export type CursorCommand = Common & CursorAction;

/** The cursor of an unused subscription. */
export const startingCursor = ({ topicId, startOffset }: CursorStart): Cursor => ({
  topicId,
  offset: startOffset,
  nextOffset: 0,
  pendingAck: null,
  messages: 0,
  bytes: 0,
  lastPull: null,
  rate: 0,
});

/** The cursor at an offset, with nothing outstanding. */
const movedTo = ({ streamed: _, ...cursor }: Cursor, offset: number): Cursor => ({ ...cursor, offset, nextOffset: 0, pendingAck: null });

/** The cursor after a move by a call. The number of moves distinguishes later deliveries from earlier ones of the same messages. */
export const soughtTo = (cursor: Cursor, offset: number): Cursor => ({ ...movedTo(cursor, offset), seeks: (cursor.seeks ?? 0) + 1 });

/** The cursor in the log of the current topic. A recreated topic is read from its beginning (messaging contract 4.8). */
export const cursorIn = (cursor: Cursor, topicId: string | null): Cursor =>
  topicId === null || topicId === cursor.topicId ? cursor : { ...movedTo(cursor, 0), topicId };

/** The cursor in the log of the topic of a command. A recreated topic adds its order, also if an earlier release has moved the cursor there. */
const currentCursor = ({ start, topicId, topicOrder }: Common, state: Cursor | null): Cursor => {
  const current = cursorIn(state ?? startingCursor(start), topicId);
  return topicOrder === undefined || topicId === start.topicId ? current : { ...current, topicOrder };
};

/** Whether a command names an earlier topic than the one that is read: its caller has not seen yet that the topic was recreated. */
const isOutdated = ({ topicId, topicOrder }: Common, state: Cursor | null): boolean =>
  state?.topicOrder !== undefined && topicOrder !== undefined && topicId !== state.topicId && topicOrder < state.topicOrder;

/** Seconds since 1970-01-01 UTC. */
const secondOf = (instant: string): number => Math.floor(Date.parse(instant) / 1_000);

type Delivery = Extract<CursorAction, { type: 'DeliverBatch' }>;

const delivered = ({ streamed: _, ...cursor }: Cursor, { from, end, count, bytes, streamed }: Delivery, now: string): Cursor => ({
  ...cursor,
  ...(streamed && { streamed }),
  offset: from,
  nextOffset: end,
  pendingAck: end === 0 ? null : secondOf(now),
  messages: cursor.messages + count,
  bytes: cursor.bytes + bytes,
  lastPull: now,
  rate: rateOf(count, cursor.lastPull, now),
});

/** Whether a delivery only repeats, within a second, that there are no messages. Otherwise clients that poll without a pause would fill the log. */
export const saysNothingNew = (cursor: Cursor, { from, count }: Pick<Delivery, 'from' | 'count'>, now: string): boolean =>
  count === 0 &&
  cursor.offset === from &&
  cursor.nextOffset === from &&
  cursor.rate === 0 &&
  cursor.lastPull !== null &&
  Date.parse(now) - Date.parse(cursor.lastPull) < 1_000;

type Acknowledgement = Extract<CursorAction, { type: 'AcknowledgeBatch' }>;

const acknowledged = (cursor: Cursor, { highest, next, ackDeadlineSeconds }: Acknowledgement, now: string): Cursor => {
  const { offset, nextOffset, pendingAck } = cursor;
  if (nextOffset === 0) throw new DomainError('NO_ACK_PENDING');
  if (highest < offset || highest >= nextOffset) throw new DomainError('WRONG_ACK');
  if (pendingAck !== null && secondOf(now) - pendingAck > ackDeadlineSeconds) throw new DomainError('ACK_TIMEOUT');
  return cursor.streamed && next < nextOffset ? { ...cursor, offset: next } : movedTo(cursor, next);
};

/**
 * The rules of a subscription's cursor. There is one outstanding batch, the half-open range from `offset` to `nextOffset`. Rejects a delivery with
 * `CURSOR_MOVED` (details `offset`: the current one) if the cursor has moved since the messages were read; an acknowledgement with `NO_ACK_PENDING`,
 * `WRONG_ACK`, then `ACK_TIMEOUT`; a new offset with `OFFSET_OUT_OF_BOUNDS`; all of them with `TOPIC_REPLACED` if the cursor has gone on to a later topic.
 */
export const cursor: Decider<Cursor | null, CursorCommand, CursorEvent> = {
  window: 1,
  initialState: () => null,
  decide: (command, state) => {
    const { subscriptionId, projectId, now } = command;
    if (isOutdated(command, state)) {
      if (command.type === 'RaiseOffset') return [];
      throw new DomainError('TOPIC_REPLACED');
    }
    const known = currentCursor(command, state);
    const recorded = (type: CursorEvent['type'], next: Cursor): CursorEvent[] => [
      { type, data: { subscriptionId, projectId, cursor: next } },
    ];
    switch (command.type) {
      case 'DeliverBatch':
        if (known.offset !== command.seen) throw new DomainError('CURSOR_MOVED', { offset: known.offset });
        return saysNothingNew(known, command, now) ? [] : recorded('BatchDelivered', delivered(known, command, now));
      case 'AcknowledgeBatch':
        return recorded('BatchAcknowledged', acknowledged(known, command, now));
      case 'ModifyOffset': {
        const { offset, min, max } = command;
        if (offset < min || offset > max) throw new DomainError('OFFSET_OUT_OF_BOUNDS');
        return recorded('OffsetModified', soughtTo(known, offset));
      }
      case 'RaiseOffset':
        return known.offset < command.min ? recorded('OffsetModified', movedTo(known, command.min)) : [];
    }
  },
  evolve: (_state, { data }) => data.cursor,
};
