import { Inject, Injectable } from '@nestjs/common';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { derivedId } from '#api/shared/commands/derived-id.js';
import { CLOCK, EVENT_STORE } from '#api/shared/tokens.js';
import { newestEvents, unrecorded } from '#api/status/metric-data/recorded-results.js';
import type { Clock } from '#domain/shared/clock.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { EventsOfResults, metricData, type ResultsOfEvent, streamOfMetricData } from '#domain/status/metric-data/metric-data.js';
import { type MessageRange, streamOfMetricBatches } from '#domain/status/metric-source/metric-batches.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import type { MetricMessage } from './metric-message.js';

/**
 * Messages of one batch, for the `sequence`-th step of the work. `again`: set if some of them were processed before. `resumed`: set if an
 * earlier step of this batch may be unfinished.
 */
export type OpenBatch = Readonly<{ tenantId: string; range: MessageRange; sequence: number; again?: object; resumed?: true }>;

/** Name of a batch in the metadata of its events. */
const batchName = ({ tenantId, range: { topicId, from, to }, sequence, again }: OpenBatch): string =>
  `${tenantId}/${topicId}/${from}-${to}${again ? `#${sequence}` : ''}`;

const requestIdOf = (batch: OpenBatch, number: number): string => derivedId(`${batchName(batch)}/${number}`);

const isSame = (one: MessageRange, other: MessageRange): boolean =>
  one.topicId === other.topicId && one.from === other.from && one.to === other.to;

/** The points of messages by event, in their order. */
const eventsOf = (messages: readonly MetricMessage[]): readonly ResultsOfEvent[] => {
  const events = new EventsOfResults();
  for (const { points } of messages) for (const { results, bytes } of points.events) events.add(results, bytes);
  return events.all();
};

/**
 * Records the points of a batch of messages, each once, in one append. The request id of its events comes from the batch, so that after a crash the
 * recorded events can be found in the log. It uses no idempotency keys, because each needs a stream, although repeats are rare.
 */
@Injectable()
export class MetricRecorder {
  constructor(
    private readonly gateway: CommandGateway,
    @Inject(EVENT_STORE) private readonly events: Pick<EventStore, 'readStream'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Resolves when all points are in the log. @throws as {@link CommandGateway.execute} */
  async record(batch: OpenBatch, messages: readonly MetricMessage[]): Promise<void> {
    const all = eventsOf(messages);
    const events = batch.resumed ? await this.left(batch, all) : all;
    const first = messages.find(({ points }) => points.count > 0);
    if (!first || events.length === 0) return;
    const { tenantId } = batch;
    const context = systemContext('metric-source', 'status', this.clock(), first.cause, requestIdOf(batch, 0));
    const command = { type: 'RecordMetricResults', tenantId, events } as const;
    await this.gateway.execute({ stream: streamOfMetricData(tenantId), decider: metricData, context, command });
  }

  /** The points of the batch that are not in the log. Each part that an earlier release recorded has a request id of its own. */
  private async left(batch: OpenBatch, events: readonly ResultsOfEvent[]): Promise<readonly ResultsOfEvent[]> {
    const { tenantId } = batch;
    const requestIds = new Set(events.flatMap(({ results }) => results).map((_, number) => requestIdOf(batch, number)));
    const isOurs = ({ metadata }: RecordedEvent): boolean => requestIds.has(metadata.requestId);
    const after = await this.positionOf(batch);
    return unrecorded(this.events, events, { tenantId, streams: [streamOfMetricData(tenantId)], after, isOurs });
  }

  /** Log position at which the batch began: all its points come after it. Positions, because a wrong clock may have dated events. */
  private async positionOf({ tenantId, range }: OpenBatch): Promise<Position> {
    const isTaken = ({ type, data }: RecordedEvent): boolean => type === 'MetricMessagesTaken' && isSame(data.open as MessageRange, range);
    for await (const event of newestEvents(this.events, streamOfMetricBatches(tenantId), 0n)) if (isTaken(event)) return event.position;
    return 0n;
  }
}
