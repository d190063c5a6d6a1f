import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { AcknowledgeMessages } from '#api/messaging/cursors/commands.js';
import { PullMessages } from '#api/messaging/cursors/pull-messages.js';
import { type FoundSubscription, SubscriptionLookup } from '#api/messaging/cursors/subscription-lookup.js';
import { MessageLog, type StoredMessage } from '#api/messaging/messages/message-log.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CLOCK } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import {
  firstNew,
  type MessageRange,
  type MetricBatchCommand,
  metricBatches,
  streamOfMetricBatches,
} from '#domain/status/metric-source/metric-batches.js';
import type { MetricSource } from '#domain/status/metric-source/metric-source.js';
import { systemContext } from '#infra/event-store/system-events.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { MetricSourceQueries } from '#projections/status/metric-source/queries.js';
import { type DeadLetter, DeadLetters } from './dead-letters.js';
import { MessageFlawed, type MetricMessage, readMetricMessage } from './metric-message.js';
import { MetricRecorder, type OpenBatch } from './metric-recorder.js';
import { TopicReaders } from './topic-readers.js';

/** What keeps a source from being pulled until somebody changes it; in words for operators. */
export class SourceUnusable extends Error {
  override readonly name = 'SourceUnusable';
}

/** A batch ends with the message that makes it this large, and has no more than so many: they are read into memory, and recorded within seconds. */
export const BATCH = { bytes: 1024 * 1024, messages: 1_000 } as const;

type PulledFrom = FoundSubscription & Readonly<{ topicId: string }>;

/** Takes the messages of a source up: pulls them, records their points, puts aside what is no metric data, and acknowledges. */
@Injectable()
export class MetricIngestion {
  constructor(
    private readonly bus: CommandBus,
    private readonly gateway: CommandGateway,
    private readonly subscriptions: SubscriptionLookup,
    private readonly resources: ResourceQueries,
    private readonly offsets: OffsetQueries,
    private readonly sources: MetricSourceQueries,
    private readonly log: MessageLog,
    private readonly readers: TopicReaders,
    private readonly recorder: MetricRecorder,
    private readonly deadLetters: DeadLetters,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Takes up one batch; `false` if there is none. Whatever ends it halfway, the next call goes on with the same messages.
   * @throws SourceUnusable; DomainError `SOURCE_MOVED` if another node works on the source; the errors of the stores
   */
  async next(tenantId: string, source: MetricSource): Promise<boolean> {
    const { open, done, sequence } = await this.sources.progress(tenantId);
    if (open) {
      await this.takeUp({ tenantId, range: open, resumed: true }, source, sequence);
      return true;
    }
    const from = await this.find(source);
    if (!(await this.offsets.hasMessages({ ...from.ref, topicId: from.topicId }))) return false;
    const pulled = await this.pull(from);
    const [first, last] = [pulled[0], pulled.at(-1)];
    if (!first || !last) return false;
    const range = firstNew(done, { topicId: from.topicId, from: first.offset, to: last.offset + 1 });
    if (range) {
      await this.change({ type: 'TakeMessages', tenantId, seen: sequence, range });
      const messages = pulled.filter(({ offset }) => offset >= range.from && offset < range.to);
      await this.takeUp({ tenantId, range }, source, sequence + 1, messages);
    }
    await this.acknowledge(from, range ? range.to - 1 : last.offset);
    return true;
  }

  private async find({ projectId, subscription: name }: MetricSource): Promise<PulledFrom> {
    const subscription = await this.resources.subscription(projectId, name);
    if (!subscription) throw new SourceUnusable(`Subscription ${name} does not exist`);
    if (subscription.push) throw new SourceUnusable(`Subscription ${name} is in push mode`);
    const { subscriptionId } = subscription;
    const found = await this.subscriptions.byId(projectId, subscriptionId);
    if (!found) throw new SourceUnusable(`Subscription ${name} does not exist`);
    const { topicId } = found.ref;
    if (topicId === null) throw new SourceUnusable(`The topic of subscription ${name} does not exist`);
    return { ...found, topicId };
  }

  private async pull({ ref, topicId }: PulledFrom): Promise<readonly StoredMessage[]> {
    const source = { page: (id: string, from: number, limit: number) => this.log.page(id, from, limit, BATCH.bytes) };
    const pull = new PullMessages(this.context('messaging'), { ...ref, topicId }, { source, limit: BATCH.messages, wait: false });
    return (await this.bus.execute(pull))?.messages ?? [];
  }

  /** What is refused (another consumer has moved the cursor, or it took too long) is pulled again, and passed over then. */
  private async acknowledge({ ref, subscription }: PulledFrom, highest: number): Promise<void> {
    const acknowledge = new AcknowledgeMessages(this.context('messaging'), ref, highest, subscription.ackDeadlineSeconds);
    await this.bus.execute(acknowledge).catch((error: unknown) => {
      if (!(error instanceof DomainError)) throw error;
    });
  }

  private async takeUp(
    batch: OpenBatch,
    { projectId, deadLetterTopic: topic }: MetricSource,
    sequence: number,
    pulled?: readonly StoredMessage[],
  ): Promise<void> {
    const { tenantId, range } = batch;
    const messages = pulled ?? (await this.messagesOf(range));
    const { good, letters } = await this.sorted(projectId, range.topicId, messages);
    await this.recorder.record(batch, good);
    const path = { projectId, sourceTopicId: range.topicId, ...(topic !== undefined && { topic }) };
    const deadLettered = await this.deadLetters.put(path, letters);
    const last = letters.at(-1);
    const outcome = {
      messages: messages.length,
      points: good.reduce((sum, { points }) => sum + points.count, 0),
      deadLettered,
      discarded: letters.length - deadLettered,
      ...(last && { flaw: { messageId: `${last.message.offset}`, reason: last.reason.slice(0, 1_000).toWellFormed() } }),
    };
    await this.change({ type: 'FinishMessages', tenantId, seen: sequence, outcome });
  }

  /** The messages of a range that are still kept, however they are divided into pages. */
  private async messagesOf({ topicId, from, to }: MessageRange): Promise<readonly StoredMessage[]> {
    const messages: StoredMessage[] = [];
    for (let next = from; next < to; ) {
      const page = await this.log.page(topicId, next, to - next, BATCH.bytes);
      const kept = page.filter(({ offset }) => offset < to);
      messages.push(...kept);
      if (kept.length < page.length || kept.length === 0) break;
      next = (kept.at(-1)?.offset ?? to) + 1;
    }
    return messages;
  }

  private async sorted(
    projectId: string,
    topicId: string,
    messages: readonly StoredMessage[],
  ): Promise<Readonly<{ good: readonly MetricMessage[]; letters: readonly DeadLetter[] }>> {
    const readers = await this.readers.of(projectId, topicId);
    const good: MetricMessage[] = [];
    const letters: DeadLetter[] = [];
    const slice = new TimeSlice();
    for (const message of messages) {
      if (slice.isOver) await slice.next();
      try {
        good.push(await readMetricMessage(message, readers));
      } catch (error) {
        if (!(error instanceof MessageFlawed)) throw error;
        letters.push({ message, reason: error.message });
      }
    }
    return { good, letters };
  }

  private change(command: MetricBatchCommand): Promise<unknown> {
    const { tenantId } = command;
    return this.gateway.execute({
      stream: streamOfMetricBatches(tenantId),
      decider: metricBatches,
      context: this.context('status'),
      command,
    });
  }

  private context(service: 'messaging' | 'status'): CommandContext {
    return systemContext('metric-source', service, this.clock());
  }
}
