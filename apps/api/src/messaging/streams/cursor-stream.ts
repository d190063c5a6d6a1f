import { setTimeout as sleep } from 'node:timers/promises';
import type { CursorGateway } from '#api/messaging/cursors/cursor-gateway.js';
import type { ReadableSubscription } from '#api/messaging/cursors/pull-messages.js';
import type { MessageArrivals } from '#api/messaging/messages/message-arrivals.js';
import type { MessageSource } from '#api/messaging/messages/message-log.js';
import type { WireMessage } from '#api/messaging/messages/message-texts.js';
import type { Cursor } from '#domain/messaging/cursors/cursor-events.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { OffsetQueries } from '#projections/messaging/traffic/queries.js';

export type CursorStreamParts = Readonly<{
  cursors: Pick<CursorGateway, 'execute' | 'moved'>;
  offsets: Pick<OffsetQueries, 'cursor'>;
  arrivals: Pick<MessageArrivals, 'wait'>;
  source: MessageSource<WireMessage>;
  context: CommandContext;
}>;

type CursorStreamOptions = Readonly<{
  subscription: ReadableSubscription;
  ackDeadlineSeconds: number;
  /** Maximum number of messages that are sent and not acknowledged. */
  most: number;
  signal: AbortSignal;
}>;

/** `data` of one part; the next part is read once this one is taken. A part has at least one message. */
export const PART_BYTES = 256 * 1024;
/** Minimum pause between deliveries, so that messages arriving one by one are recorded together. */
const GATHER_MS = 25;
/** Longest time until a move of the cursor by another node is noticed: while messages are outstanding, and otherwise. */
const LOOK_MS = 1_000;
const IDLE_LOOK_MS = 15_000;
/** A stream counts as a pull once an hour, even without messages. */
const RECORDED_MS = 3_600_000;

const isMoved = (error: unknown): boolean => error instanceof DomainError && ['CURSOR_MOVED', 'TOPIC_REPLACED'].includes(error.code);

/**
 * Messages of one stream behind a cursor. Sent messages are outstanding until any call acknowledges them. Messages are sent again if the
 * cursor moves back, or if they are not acknowledged within the deadline.
 */
export class CursorStream {
  /** Offsets sent and not acknowledged, in order. */
  private sent: number[] = [];
  /** Offset after the last message sent. */
  private next = 0;
  private cursor: Cursor | undefined;
  /** On the monotonic clock, in milliseconds. */
  private recordedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly parts: CursorStreamParts,
    private readonly options: CursorStreamOptions,
  ) {}

  /** The next messages; empty if there was nothing to send for some time, or the signal came. */
  async take(): Promise<readonly WireMessage[]> {
    const { subscription, most, signal } = this.options;
    const over = new AbortController();
    const end = (): void => over.abort();
    // Not `AbortSignal.any`: a stream lives long, and would accumulate the combined signals.
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    const moved = this.parts.cursors.moved(subscription.subscriptionId, over.signal);
    try {
      const early = this.recordedAt + GATHER_MS - performance.now();
      if (early > 0) await sleep(early);
      await this.look();
      const messages = await this.deliver(most - this.sent.length);
      if (messages.length === 0 && !signal.aborted) await this.pause(moved, over.signal);
      return messages;
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  }

  /** Reads acknowledgements and moves since the last look. Overdue messages are not outstanding any more. */
  private async look(): Promise<void> {
    const { subscription, ackDeadlineSeconds } = this.options;
    const before = this.cursor;
    const read = await this.parts.offsets.cursor(subscription);
    const cursor = before && read.messages < before.messages ? before : read; // reads may be behind this stream's own records
    this.cursor = cursor;
    if (!before || cursor.nextOffset === 0) {
      this.sent = [];
      this.next = cursor.offset;
    } else if (cursor.offset !== before.offset) {
      this.sent = this.sent.filter((offset) => offset >= cursor.offset);
      this.next = Math.max(this.next, cursor.offset);
    }
    const overdue = performance.now() - this.recordedAt > (Math.max(ackDeadlineSeconds, 0) + 1) * 1_000;
    if (!overdue) return;
    this.next = this.sent[0] ?? this.next;
    this.sent = [];
  }

  private async deliver(room: number): Promise<readonly WireMessage[]> {
    const { cursor, next } = this;
    const { subscription, signal } = this.options;
    const messages = room > 0 ? await this.parts.source.page(subscription.topicId, next, room, PART_BYTES) : [];
    const isDue = performance.now() - this.recordedAt > RECORDED_MS;
    if (!cursor || signal.aborted || (messages.length === 0 && !isDue)) return [];
    if (!(await this.record(cursor, messages))) return [];
    await new TimeSlice(0).next(); // one commit records the deliveries of many streams
    for (const { offset } of messages) this.sent.push(offset);
    this.next = (messages.at(-1)?.offset ?? next - 1) + 1;
    return messages;
  }

  /** Records a delivery before it is sent, as pulls do. Resolves with `false` if the cursor has moved, perhaps to another topic. */
  private async record(cursor: Cursor, messages: readonly WireMessage[]): Promise<boolean> {
    const { cursors, context } = this.parts;
    const from = this.sent[0] === undefined ? (messages[0]?.offset ?? cursor.offset) : cursor.offset;
    const end = Math.max(from, cursor.nextOffset, (messages.at(-1)?.offset ?? -1) + 1);
    const bytes = messages.reduce((sum, message) => sum + message.bytes, 0);
    const delivery = { seen: cursor.offset, from, end, count: messages.length, bytes, streamed: true } as const;
    try {
      const { events } = await cursors.execute(this.options.subscription, { type: 'DeliverBatch', ...delivery }, context);
      this.cursor = events.at(-1)?.data.cursor ?? cursor;
    } catch (error) {
      if (isMoved(error)) return false;
      throw error;
    }
    this.recordedAt = performance.now();
    return true;
  }

  /** Waits until there may be something to send: after a message, an acknowledgement or a move of the cursor. */
  private async pause(moved: Promise<void>, signal: AbortSignal): Promise<void> {
    const { arrivals, source } = this.parts;
    const { subscription, most } = this.options;
    const { topicId } = subscription;
    const longest = this.sent.length > 0 ? LOOK_MS : IDLE_LOOK_MS;
    const after = source.passed?.(topicId, this.next) ?? this.next;
    const arrival =
      this.sent.length < most ? arrivals.wait({ topicId, subscription, after }, longest, signal) : sleep(longest, undefined, { signal });
    await Promise.race([moved, arrival]).catch(() => undefined);
    await sleep(GATHER_MS);
    await new TimeSlice(0).next(); // a message may wake thousands of streams at the same moment
  }
}
