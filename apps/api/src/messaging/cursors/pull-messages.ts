import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { LIMITS } from '#api/messaging/limits.js';
import { MessageArrivals } from '#api/messaging/messages/message-arrivals.js';
import type { MessageSource } from '#api/messaging/messages/message-log.js';
import { TopicEnds } from '#api/messaging/messages/topic-ends.js';
import { CommandWith } from '#api/shared/commands/command-of.js';
import type { Deliverable } from '#api/shared/messaging-client.js';
import type { SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import type { Cursor, CursorEvent } from '#domain/messaging/cursors/cursor-events.js';
import { reactionTo } from '#domain/shared/causation.js';
import { DomainError } from '#domain/shared/decider.js';
import type { Position } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { CursorGateway } from './cursor-gateway.js';

/** A subscription whose topic exists. */
export type ReadableSubscription = SubscriptionRef & Readonly<{ topicId: string }>;

export type PullOptions<Message extends Deliverable> = Readonly<{
  source: MessageSource<Message>;
  /** Maximum number of messages, up to `LIMITS.messagesPerPull`. */
  limit: number;
  /** Set to wait for the first message, then until there are `limit` messages. `LIMITS` bounds both times (messaging contract 4.5). */
  wait: boolean;
  /** Set if the messages are the cause of the pull, and not a call. */
  reacts?: true;
  /** Ends the wait. Messages not delivered by then are not recorded. */
  signal?: AbortSignal;
  /** Called after a wait without messages: whether the subscription and its topic are still these. An error is that of the pull. Neither is recorded. */
  isThere?: () => Promise<boolean>;
}>;

/**
 * `readable`: true if reads show the delivery. `seeks`: number of calls that have moved the subscription. `asOf`: position of the log as of which
 * there are no messages, if nothing was recorded.
 */
type Pulled<Message extends Deliverable> = Readonly<{
  messages: readonly Message[];
  readable: boolean;
  seeks: number;
  asOf?: Position | undefined;
}>;

/** Delivers messages from the cursor of a subscription on. Resolves with `null` if the signal comes first. */
export class PullMessages<Message extends Deliverable> extends CommandWith<
  Readonly<{ subscription: ReadableSubscription; options: PullOptions<Message> }>,
  Pulled<Message> | null
> {}

/**
 * `messages`: messages to deliver. `from`: offset of the first; larger than requested if older ones have expired or are passed over. `end`:
 * behind the last one. `looked`: end of the range that was searched, at least `end`. `shown`: there are no messages, by the counters alone.
 */
type Batch = Readonly<{ from: number; end: number; looked: number; messages: readonly Deliverable[]; shown?: true }>;

type Pull = Readonly<{
  subscription: ReadableSubscription;
  source: MessageSource<Deliverable>;
  limit: number;
  wait: boolean;
  signal: AbortSignal;
  /** End of the wait for the first message, on the monotonic clock, in milliseconds. */
  deadline: number;
}>;

const NEVER = new AbortController().signal;

const isRefused = (error: unknown, code: string): error is DomainError => error instanceof DomainError && error.code === code;

@CommandHandler(PullMessages)
export class PullMessagesHandler implements ICommandHandler<PullMessages<Deliverable>> {
  constructor(
    private readonly cursors: CursorGateway,
    private readonly offsets: OffsetQueries,
    private readonly arrivals: MessageArrivals,
    private readonly ends: TopicEnds,
    private readonly telemetry: Telemetry,
  ) {}

  async execute({ context, data }: PullMessages<Deliverable>): Promise<Pulled<Deliverable> | null> {
    const { subscription, options } = data;
    const { source, wait, signal = NEVER } = options;
    const limit = Math.min(options.limit, LIMITS.messagesPerPull.value);
    const pull = { subscription, source, limit, wait, signal, deadline: performance.now() + LIMITS.waitForFirstMessage.value };
    const known = await this.offsets.cursor(subscription);
    await this.cursors.retain(subscription, context, known);
    let { offset } = known;
    for (;;) {
      const pulled = await this.attempt(pull, options, context, known, offset);
      if (typeof pulled !== 'number') return pulled;
      offset = pulled;
    }
  }

  /** Resolves with the offset of a cursor that has moved. V8 keeps all locals of a function that waits, so each attempt has its own. */
  private async attempt(
    pull: Pull,
    { reacts, isThere }: PullOptions<Deliverable>,
    context: CommandContext,
    known: Cursor,
    offset: number,
  ): Promise<Pulled<Deliverable> | null | number> {
    const { shown: asOf } = this.ends; // before the counters are read: these show at least as much
    const { from, end, messages, shown } = await this.batch(pull, offset);
    if (pull.signal.aborted) return null;
    const isRepeated = shown && !pull.wait && !context.idempotency && offset === known.offset && this.cursors.isUnchanged(known, from);
    if (isRepeated || (pull.wait && messages.length === 0 && isThere && !(await isThere())))
      return { messages, readable: true, seeks: 0, asOf };
    try {
      return await this.record(pull, { context, reacts, asOf }, offset, { from, end, messages });
    } catch (error) {
      if (isRefused(error, 'TOPIC_REPLACED')) return { messages: [], readable: true, seeks: 0 }; // the next pull looks the topic up again
      if (!isRefused(error, 'CURSOR_MOVED')) throw error;
      return Number(error.details.offset);
    }
  }

  /** @throws DomainError `CURSOR_MOVED`, `TOPIC_REPLACED` */
  private async record(
    { subscription, source }: Pull,
    { context, reacts, asOf }: Readonly<{ context: CommandContext; reacts: true | undefined; asOf: Position | undefined }>,
    seen: number,
    { from, end, messages }: Omit<Batch, 'looked'>,
  ): Promise<Pulled<Deliverable>> {
    const bytes = messages.reduce((sum, message) => sum + message.bytes, 0);
    const delivery = { type: 'DeliverBatch', seen, from, end, count: messages.length, bytes } as const;
    const { events, readable } = await this.cursors.execute(subscription, delivery, {
      ...context,
      ...(reacts && messages[0]?.cause && reactionTo(messages[0].cause)),
    });
    const handed = await delivered(source, subscription.topicId, { from, end, messages }, events);
    this.telemetry.messagesPulled.inc(handed.length);
    const nothing = events.length === 0 && handed.length === 0;
    return { messages: handed, readable, seeks: events[0]?.data.cursor.seeks ?? 0, ...(nothing && { asOf }) };
  }

  /** Messages from an offset on, after the wait. The wait ends early when a call moves the subscription. */
  private async batch(pull: Pull, offset: number): Promise<Batch> {
    if (!pull.wait) return this.read(pull, offset);
    const over = new AbortController();
    const isElsewhere = ({ type, data }: CursorEvent): boolean => type === 'OffsetModified' && data.cursor.offset !== offset;
    void this.cursors.moved(pull.subscription.subscriptionId, over.signal, isElsewhere).then(() => over.abort());
    try {
      return await this.waited({ ...pull, signal: AbortSignal.any([pull.signal, over.signal]) }, offset);
    } finally {
      over.abort();
    }
  }

  private async waited(pull: Pull, offset: number): Promise<Batch> {
    const { limit, signal, deadline } = pull;
    let batch = await this.read(pull, offset);
    if (batch.messages.length === 0) batch = await this.awaited(pull, batch, offset, 1, deadline);
    if (batch.messages.length === 0 || signal.aborted) return batch;
    return this.awaited(pull, batch, offset, limit, Math.min(performance.now() + LIMITS.waitForMoreMessages.value, deadline));
  }

  /** Messages from an offset on, once `count` are there or at the given time. A source that passes over messages searches new ones, too. */
  private async awaited(pull: Pull, known: Batch, offset: number, count: number, until: number): Promise<Batch> {
    const { subscription, source, signal } = pull;
    const { topicId } = subscription;
    let batch = known;
    while (batch.messages.length < count && !signal.aborted) {
      const after = source.passed ? batch.looked : batch.from + count - 1;
      await this.arrivals.wait({ topicId, subscription, after }, until - performance.now(), signal);
      if (signal.aborted) return batch;
      const { looked } = batch;
      if (batch.messages.length > 0) return this.again(pull, looked, offset, count, until);
      batch = await this.read(pull, offset);
      if (!source.passed || batch.looked === looked) return batch;
    }
    return batch;
  }

  /** Reads messages again, with more. The read may wait for memory; the first ones are let go before. */
  private async again(pull: Pull, looked: number, offset: number, count: number, until: number): Promise<Batch> {
    const batch = await this.read(pull, offset);
    return !pull.source.passed || batch.looked === looked ? batch : this.awaited(pull, batch, offset, count, until);
  }

  private async read({ subscription: { topicId }, source, limit }: Pull, offset: number): Promise<Batch> {
    const start = source.passed?.(topicId, offset) ?? offset;
    if (await this.ends.isEnd(topicId, start)) return { from: start, end: start, looked: start, messages: [], shown: true };
    const read = () => source.page(topicId, offset, limit, LIMITS.dataPerPull.value);
    let messages = await read();
    let next = offset;
    if (messages.length === 0 && !source.passed) {
      next = await this.offsets.endAfter(topicId, offset);
      // Reads once more: the counters of the topic may include messages that came after the first read.
      if (next > offset) messages = await read();
    }
    const last = messages.at(-1);
    if (!last) {
      const from = source.passed?.(topicId, next) ?? next;
      return { from, end: from, looked: from, messages };
    }
    const end = last.offset + 1;
    return { from: messages[0]?.offset ?? next, end, looked: source.passed?.(topicId, end) ?? end, messages };
  }
}

/** Messages of the batch. For a repeated call: the messages of the first delivery that are still kept. @param current id of the topic of the batch */
const delivered = async (
  source: MessageSource<Deliverable>,
  current: string,
  { from, end, messages }: Omit<Batch, 'looked'>,
  events: readonly CursorEvent[],
): Promise<readonly Deliverable[]> => {
  const delivery = events[0]?.data.cursor;
  if (!delivery) return messages;
  const { topicId, offset, nextOffset } = delivery;
  if (topicId === current && offset === from && nextOffset === end) return messages;
  if (nextOffset <= offset) return [];
  return (await source.page(topicId, offset, nextOffset - offset)).filter((message) => message.offset < nextOffset);
};
