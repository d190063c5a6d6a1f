import { Inject, Injectable } from '@nestjs/common';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { type AttachedSubscription, MessagingClient, type SeenPlace, type StoredMessage } from '#api/shared/messaging-client.js';
import { CLOCK, EVENT_STORE } from '#api/shared/tokens.js';
import { absenceOf } from '#api/status/absence.js';
import { matches } from '#domain/messaging/filters/filter.js';
import { parseFilter } from '#domain/messaging/filters/parse-filter.js';
import { type Cause, causeOf, newestCause } from '#domain/shared/causation.js';
import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import {
  firstNew,
  type MessageRange,
  type MetricBatchCommand,
  type MetricBatchEvent,
  metricBatches,
  type Retry,
  streamOfMetricBatches,
} from '#domain/status/metric-source/metric-batches.js';
import type { MetricSource } from '#domain/status/metric-source/metric-source.js';
import {
  countOutcomes,
  type LetterOutcome,
  type OffsetRange,
  outcomeOf,
  replacedIn,
  runsOf,
  type SetAside,
} from '#domain/status/metric-source/set-aside.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { type MetricProgressDocument, MetricSourceQueries, type SetAsideDocument } from '#projections/status/metric-source/queries.js';
import { type DeadLetter, DeadLetters } from './dead-letters.js';
import { MessageFlawed, type MetricMessage, readMetricMessage } from './metric-message.js';
import { MetricRecorder, type OpenBatch } from './metric-recorder.js';
import { TopicReaders } from './topic-readers.js';

/** A source that cannot be pulled without a change by a user. The message is for operators. */
export class SourceUnusable extends Error {
  override readonly name = 'SourceUnusable';
}

/** A batch ends with the message that reaches this size, or after this number: they are held in memory and recorded within seconds. */
export const BATCH = { bytes: 1024 * 1024, messages: 1_000 } as const;

/**
 * Messages of a batch that the log has assigned; `sequence`: number of this step. `again`: only those set aside in a part of them. `taken`: the event.
 * `filter`: as recorded in it.
 */
type TakenBatch = OpenBatch &
  Readonly<{
    sequence: number;
    filter?: string;
    again?: Readonly<{ part: OffsetRange; earlier: readonly SetAside[] }>;
    taken: Cause | null;
  }>;

type OnRead = (bytes: number) => void;

/** Waits for messages, after there were none: resolves when there may be some, or on the signal. */
type MessageWait = (signal: AbortSignal) => Promise<void>;

/** Ingests the messages of a source: pulls them, records their points, sets those aside that are not metric data, and acknowledges. */
@Injectable()
export class MetricIngestion {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly messaging: MessagingClient,
    private readonly accounts: AccountQueries,
    private readonly resources: ResourceQueries,
    private readonly offsets: OffsetQueries,
    private readonly sources: MetricSourceQueries,
    private readonly readers: TopicReaders,
    private readonly recorder: MetricRecorder,
    private readonly deadLetters: DeadLetters,
    @Inject(EVENT_STORE) private readonly events: Pick<EventStore, 'readStream'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Processes one batch, or resolves with a wait if there is none. If it is interrupted, the next call continues with the same messages.
   * @param onRead called with the size of the batch once its messages are read, because the last one may be far larger than {@link BATCH}
   * @throws SourceUnusable; DomainError `SOURCE_MOVED` if another node works on the source; the errors of the stores
   */
  async next(tenantId: string, source: MetricSource, onRead: OnRead = () => undefined): Promise<MessageWait | undefined> {
    const progress = await this.sources.progress(tenantId);
    const { open, again: part, filter, retry, sequence } = progress;
    if (open) {
      const again = part && { part, earlier: await this.sources.setAsideOf(tenantId, open) };
      const taken = await this.newest(tenantId, 'MetricMessagesTaken');
      const recorded = { ...(again && { again }), ...(filter !== undefined && { filter }) };
      await this.takeUp({ tenantId, range: open, sequence, resumed: true, taken, ...recorded }, source, onRead);
      return undefined;
    }
    if (!retry) return this.pullNext(tenantId, source, progress, onRead);
    const batch = await this.nextSetAside(tenantId, source.projectId, retry);
    const cause = await this.newest(tenantId, 'MetricRetryRequested');
    if (batch) await this.takeAgain(tenantId, source, batch, { seen: sequence, retry, part: batch, cause, onRead });
    else await this.change({ type: 'FinishRetry', tenantId, seen: sequence, retry }, cause);
    return undefined;
  }

  /** Skips messages that were ingested before, except those set aside: moving the offset back is a request to retry those. */
  private async pullNext(
    tenantId: string,
    source: MetricSource,
    progress: MetricProgressDocument,
    onRead: OnRead,
  ): Promise<MessageWait | undefined> {
    const { done, sequence: seen } = progress;
    const from = await this.find(source);
    const place = await this.offsets.place(from.ref);
    if (place.next <= place.offset) return this.waitFor(from, place);
    const pulled = await this.messaging.pull(this.context('messaging', null), from, { limit: BATCH.messages, maxBytes: BATCH.bytes });
    const [first, last] = [pulled[0], pulled.at(-1)];
    if (!first || !last) return this.waitFor(from, place);
    const delivered = { topicId: from.ref.topicId, from: first.offset, to: last.offset + 1 };
    const range = firstNew(done, delivered);
    const known = { ...delivered, to: range ? range.from : delivered.to };
    const batch = known.from < known.to ? await this.sources.firstSetAside(tenantId, known, BATCH.messages) : undefined;
    const part = batch && { from: Math.max(batch.from, known.from), to: Math.min(batch.to, known.to) };
    const taken = part ?? range ?? delivered;
    const { cause } = pulled.find(({ offset }) => offset >= taken.from) ?? first;
    if (batch && part) await this.takeAgain(tenantId, source, batch, { seen, part, cause, onRead }, pulled);
    else if (range) {
      const filter = from.ref.selection?.filter ?? '';
      const event = await this.change({ type: 'TakeMessages', tenantId, seen, range, filter }, cause);
      await this.takeUp({ tenantId, range, sequence: seen + 1, taken: event }, source, onRead, pulled);
    }
    await this.acknowledge(from, taken.to - 1, cause);
    return undefined;
  }

  private waitFor(from: AttachedSubscription, place: SeenPlace): MessageWait {
    return (signal) => this.messaging.more(from, place, signal);
  }

  /** The next batch of a requested retry, limited to topics of the source's project: the source may not read others. */
  private async nextSetAside(tenantId: string, projectId: string, retry: Retry): Promise<SetAsideDocument | undefined> {
    const readable = new Map<string, boolean>();
    for await (const batch of this.sources.setAsideFor(tenantId, retry, new TimeSlice())) {
      const { topicId } = batch;
      const known = readable.get(topicId) ?? (await this.resources.topicById(projectId, topicId)) !== undefined;
      readable.set(topicId, known);
      if (known) return batch;
    }
    return undefined;
  }

  /** Retries the messages that were set aside in a part of a batch. `pulled`: as for {@link takeUp}. */
  private async takeAgain(
    tenantId: string,
    source: MetricSource,
    { messages: earlier, topicId, from, to }: SetAsideDocument,
    { seen, retry, part, cause, onRead }: Readonly<{ seen: number; retry?: Retry; part: OffsetRange; cause: Cause | null; onRead: OnRead }>,
    pulled?: readonly StoredMessage[],
  ): Promise<void> {
    const range = { topicId, from, to };
    const again = { from: part.from, to: part.to };
    const taken = await this.change({ type: 'TakeMessages', tenantId, seen, range, again, ...(retry && { retry }) }, cause);
    await this.takeUp({ tenantId, range, sequence: seen + 1, taken, again: { part: again, earlier } }, source, onRead, pulled);
  }

  private async find({ projectId, subscription: name }: MetricSource): Promise<AttachedSubscription> {
    const subscription = await this.resources.subscription(projectId, name);
    if (!subscription) throw new SourceUnusable(await absenceOf(this.accounts, projectId, `Subscription ${name}`));
    if (subscription.push) throw new SourceUnusable(`Subscription ${name} is in push mode`);
    if (subscription.options?.ackMode === 'message') throw new SourceUnusable(`Subscription ${name} acknowledges messages one by one`);
    const { subscriptionId } = subscription;
    const found = await this.messaging.subscription(projectId, subscriptionId);
    if (!found) throw new SourceUnusable(`The topic of subscription ${name} does not exist`);
    return found;
  }

  /** If the acknowledgement is refused (another consumer moved the cursor, or it took too long), the messages are pulled again and skipped. */
  private async acknowledge(from: AttachedSubscription, highest: number, cause: Cause): Promise<void> {
    await this.messaging.acknowledge(this.context('messaging', cause), from, highest).catch((error: unknown) => {
      if (!(error instanceof DomainError)) throw error;
    });
  }

  /** @param pulled includes the messages of the range. If omitted, they are read, and selected as they were when the batch was taken */
  private async takeUp(batch: TakenBatch, source: MetricSource, onRead: OnRead, pulled?: readonly StoredMessage[]): Promise<void> {
    const { tenantId, range, again, sequence, taken } = batch;
    const part = { ...range, ...again?.part };
    const filter = pulled || again ? '' : (batch.filter ?? (await this.find(source)).ref.selection?.filter ?? '');
    const read = pulled ?? (await this.messagesOf(part, filter));
    onRead(read.reduce((sum, { bytes }) => sum + bytes, 0));
    const messages = read.filter(({ offset }) => offset >= part.from && offset < part.to && (!again || outcomeOf(again.earlier, offset)));
    const { good, letters } = await this.sorted(source.projectId, range.topicId, messages);
    await this.recorder.record(batch, good);
    const outcomes = await this.putAside(source, batch, letters);
    const inside = runsOf(letters.map(({ message: { offset } }, index) => ({ offset, fate: outcomes[index] ?? 'discarded' })));
    const setAside = again ? replacedIn(again.earlier, part, inside) : inside;
    const before = again && countOutcomes(messages.flatMap(({ offset }) => outcomeOf(again.earlier, offset) ?? []));
    const { deadLettered, discarded, dropped } = countOutcomes(outcomes);
    const last = letters.at(-1);
    const outcome = {
      messages: messages.length,
      points: good.reduce((sum, { points }) => sum + points.count, 0),
      deadLettered,
      discarded,
      ...(dropped > 0 && { dropped }),
      ...(setAside.length > 0 && { setAside }),
      ...(before && { before }),
      ...(last && { flaw: { messageId: `${last.message.offset}`, reason: last.reason.slice(0, 1_000).toWellFormed() } }),
    };
    await this.change({ type: 'FinishMessages', tenantId, seen: sequence, outcome }, taken);
  }

  /** Outcome of each letter. A message reaches the dead letter topic once, however often it is retried. */
  private async putAside(
    source: MetricSource,
    { tenantId, range, again }: TakenBatch,
    letters: readonly DeadLetter[],
  ): Promise<readonly LetterOutcome[]> {
    const { projectId, subscription, deadLetterTopic: topic } = source;
    const isDeadLettered = ({ message }: DeadLetter): boolean =>
      again !== undefined && outcomeOf(again.earlier, message.offset) === 'deadLettered';
    const newLetters = letters.filter((letter) => !isDeadLettered(letter));
    const path = { tenantId, projectId, subscription, sourceTopicId: range.topicId, ...(topic !== undefined && { topic }) };
    const outcomes = (await this.deadLetters.put(path, newLetters))[Symbol.iterator]();
    return letters.map((letter) => (isDeadLettered(letter) ? 'deadLettered' : (outcomes.next().value ?? 'discarded')));
  }

  /** The messages of a range that still exist and pass the filter, however they are divided into pages. */
  private async messagesOf({ topicId, from, to }: MessageRange, filter: string): Promise<readonly StoredMessage[]> {
    const parsed = filter === '' ? undefined : parseFilter(filter);
    const messages: StoredMessage[] = [];
    for (let next = from; next < to; ) {
      const page = await this.messaging.messages(topicId, next, to - next, BATCH.bytes);
      const kept = page.filter(({ offset }) => offset < to);
      messages.push(...kept.filter(({ attributes }) => !parsed || matches(parsed, attributes)));
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

  /** Resolves with the event. */
  private async change(command: MetricBatchCommand, cause: Cause | null): Promise<Cause | null> {
    const { events } = await this.gateway.execute({
      stream: streamOfMetricBatches(command.tenantId),
      decider: metricBatches,
      context: this.context('status', cause),
      command,
    });
    return events[0] ? causeOf(events[0]) : null;
  }

  private newest(tenantId: string, wanted: MetricBatchEvent['type']): Promise<Cause | null> {
    return newestCause(this.events, streamOfMetricBatches(tenantId), ({ type }) => type === wanted);
  }

  private context(service: 'messaging' | 'status', cause: Cause | null): CommandContext {
    return systemContext('metric-source', service, this.clock(), cause);
  }
}
