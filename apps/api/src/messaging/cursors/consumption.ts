import { LIMITS } from '#api/messaging/limits.js';
import type { LogRetention } from '#api/messaging/messages/log-retention.js';
import type { Deliverable, LogBounds, MessageLog, MessagePages } from '#api/messaging/messages/message-log.js';
import type { TopicWatch } from '#api/messaging/messages/topic-watch.js';
import { type Outcome, StreamWrite } from '#api/shared/commands/stream-write.js';
import { type CursorAction, type CursorCommand, cursor, type SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import { type Cursor, type CursorEvent, cursorStream } from '#domain/messaging/messages/message-events.js';
import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import { Turnstile } from '#infra/scheduling/turnstile.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import type { OffsetQueries } from '#projections/messaging/traffic/queries.js';

export type Consumer = SubscriptionRef;

/** `wait`: until there are `limit` messages, as long as that may take (messaging contract 4.5). `pages`: where to take them from. */
export type PullRequest<Message extends Deliverable> = Readonly<{ limit: number; wait: boolean; pages: MessagePages<Message> }>;

/** What is delivered now; `readable`: reads show it. */
export type Pulled<Message extends Deliverable> = Readonly<{ messages: readonly Message[]; readable: boolean }>;

type Batch<Message extends Deliverable> = Readonly<{ from: number; messages: readonly Message[] }>;

export type ConsumptionParts = Readonly<{
  offsets: OffsetQueries;
  log: MessageLog;
  watch: TopicWatch;
  retention: LogRetention;
  clock: Clock;
  execute: (write: StreamWrite<Cursor | null, CursorCommand, CursorEvent>) => Promise<Outcome<CursorEvent>>;
}>;

/** Commands to one subscription: fewer than may wait for a stream. */
const COMMANDS_AT_A_TIME = 500;

/** The topic has no log that could be asked. */
const NO_LOG: LogBounds = { min: 0, max: 0 };

/** What consumers do with subscriptions: pull, acknowledge, move the offset (messaging contract 4.4 to 4.7). */
export class Consumption {
  /** Of all those who use one subscription: they wait here rather than be refused by its stream. */
  private readonly turnstile = new Turnstile(COMMANDS_AT_A_TIME);

  constructor(private readonly parts: ConsumptionParts) {}

  /**
   * Delivers messages from the cursor on. The signal ends the waiting; what was not delivered then is not counted.
   * @returns `null` when the signal came first
   */
  async pull<Message extends Deliverable>(
    consumer: Consumer & Readonly<{ topicId: string }>,
    { limit, wait, pages }: PullRequest<Message>,
    context: CommandContext,
    signal: AbortSignal,
  ): Promise<Pulled<Message> | null> {
    const request = { limit: Math.min(limit, LIMITS.messagesPerPull.value), wait, pages };
    const deadline = performance.now() + LIMITS.waitForFirstMessage.value;
    const known = await this.cursorOf(consumer);
    await this.retain(consumer, known, context);
    let { offset } = known;
    for (;;) {
      const { from, messages } = await this.gather(consumer, offset, request, deadline, signal);
      if (signal.aborted) return null;
      const bytes = messages.reduce((sum, message) => sum + message.bytes, 0);
      try {
        const delivery = { type: 'DeliverBatch', seen: offset, from, count: messages.length, bytes } as const;
        const { events, readable } = await this.act(consumer, delivery, context);
        return { messages: await this.delivered(pages, messages, from, events), readable };
      } catch (error) {
        if (!(error instanceof DomainError && error.code === 'CURSOR_MOVED')) throw error;
        offset = Number(error.details.offset);
      }
    }
  }

  /** Where a subscription stands, as reads show it. */
  standing(consumer: Consumer): Promise<Cursor> {
    return this.cursorOf(consumer);
  }

  /** Whether there are messages to deliver, as far as reads show; cheap, and no event. */
  async hasMore(consumer: Consumer & Readonly<{ topicId: string }>): Promise<boolean> {
    return this.parts.offsets.hasMessages(consumer);
  }

  /** @throws DomainError `NO_ACK_PENDING`, `WRONG_ACK`, `ACK_TIMEOUT` */
  async acknowledge(
    consumer: Consumer,
    highest: number,
    ackDeadlineSeconds: number,
    context: CommandContext,
  ): Promise<Outcome<CursorEvent>> {
    const keyed = context.idempotency !== undefined;
    await this.parts.retention.forCursor(consumer.subscriptionId, { fresh: false, keyed });
    return this.act(consumer, { type: 'AcknowledgeBatch', highest, ackDeadlineSeconds }, context);
  }

  /** Where the subscription stands in the log, as reads show it; `stale`: its own offset lies before `min`, and this is not it. */
  async offsets({ topicId, ...consumer }: Consumer): Promise<LogBounds & Readonly<{ current: number; stale: boolean }>> {
    const [bounds, { offset }] = await Promise.all([this.bounds(topicId), this.cursorOf({ ...consumer, topicId })]);
    return { ...bounds, current: Math.max(offset, bounds.min), stale: offset < bounds.min };
  }

  /** Messages before `min` have expired: what is outstanding is dropped if it is one of them. */
  raise(consumer: Consumer, min: number, context: CommandContext): Promise<Outcome<CursorEvent>> {
    return this.act(consumer, { type: 'RaiseOffset', min }, context);
  }

  /** @throws DomainError `OFFSET_OUT_OF_BOUNDS` */
  async move(consumer: Consumer, offset: number, context: CommandContext): Promise<Outcome<CursorEvent>> {
    const [bounds, known] = await Promise.all([this.bounds(consumer.topicId), this.cursorOf(consumer)]);
    await this.retain(consumer, known, context);
    return this.act(consumer, { type: 'ModifyOffset', offset, ...bounds }, context);
  }

  private bounds(topicId: string | null): Promise<LogBounds> {
    return topicId === null ? Promise.resolve(NO_LOG) : this.parts.log.bounds(topicId);
  }

  /** Messages from an offset on, `from` that of the first: a later one when there were others that have expired. */
  private async gather<Message extends Deliverable>(
    { projectId, subscriptionId, topicId }: Consumer & Readonly<{ topicId: string }>,
    offset: number,
    { limit, wait, pages }: PullRequest<Message>,
    deadline: number,
    signal: AbortSignal,
  ): Promise<Batch<Message>> {
    const { watch } = this.parts;
    const subscription = { projectId, subscriptionId };
    let batch = await this.batch(pages, topicId, offset, limit);
    if (wait && batch.messages.length === 0) {
      await watch.until({ topicId, subscription, beyond: batch.from }, deadline - performance.now(), signal);
      if (!signal.aborted) batch = await this.batch(pages, topicId, offset, limit);
    }
    const count = batch.messages.length;
    if (!wait || count === 0 || count >= limit || signal.aborted) return batch;
    const patience = Math.min(LIMITS.waitForMoreMessages.value, deadline - performance.now());
    await watch.until({ topicId, subscription, beyond: batch.from + limit - 1 }, patience, signal);
    return signal.aborted ? batch : this.batch(pages, topicId, offset, limit);
  }

  private async batch<Message extends Deliverable>(
    pages: MessagePages<Message>,
    topicId: string,
    offset: number,
    limit: number,
  ): Promise<Batch<Message>> {
    const read = () => pages.page(topicId, offset, limit, LIMITS.dataPerPull.value);
    let messages = await read();
    let next = offset;
    if (messages.length === 0) {
      next = Math.max(next, await this.parts.offsets.nextOffset(topicId));
      // Looked for once more: the topic's counters may tell of messages that came after the first look.
      if (next > offset) messages = await read();
    }
    return { from: messages[0]?.offset ?? next, messages };
  }

  /** What was read, unless the call is the repeat of an earlier one: then what that delivered, as far as it is kept. */
  private async delivered<Message extends Deliverable>(
    pages: MessagePages<Message>,
    messages: readonly Message[],
    from: number,
    events: readonly CursorEvent[],
  ): Promise<readonly Message[]> {
    const delivery = events[0]?.data.cursor;
    if (!delivery || (delivery.offset === from && delivery.nextOffset === from + messages.length)) return messages;
    const { topicId, offset, nextOffset } = delivery;
    if (nextOffset <= offset) return [];
    return (await pages.page(topicId, offset, nextOffset - offset)).filter((message) => message.offset < nextOffset);
  }

  private retain({ subscriptionId, ...consumer }: Consumer, known: Cursor, { idempotency }: CommandContext): Promise<void> {
    return this.parts.retention.forCursor(subscriptionId, { fresh: isFresh(known, consumer), keyed: idempotency !== undefined });
  }

  /** What counts is the time after all waiting. */
  private act(consumer: Consumer, action: CursorAction, context: CommandContext): Promise<Outcome<CursorEvent>> {
    const { projectId, subscriptionId, start, topicId } = consumer;
    const time = new Date(this.parts.clock()).toISOString();
    const command: CursorCommand = { projectId, subscriptionId, start, topicId, now: time, ...action };
    const write = new StreamWrite(cursorStream(subscriptionId), cursor, command, { ...context, time });
    return this.turnstile.within(subscriptionId, () => this.parts.execute(write));
  }

  private cursorOf(consumer: Consumer): Promise<Cursor> {
    return this.parts.offsets.cursor(consumer);
  }
}

/** Whether nobody has used the subscription, as far as its cursor tells. */
const isFresh = ({ offset, nextOffset, lastPull }: Cursor, { start, topicId }: Pick<Consumer, 'start' | 'topicId'>): boolean =>
  lastPull === null && nextOffset === 0 && offset === (topicId === null || topicId === start.topicId ? start.startOffset : 0);
