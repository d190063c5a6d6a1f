import { Inject, Injectable } from '@nestjs/common';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { derivedId } from '#api/shared/commands/derived-id.js';
import { CLOCK, EVENT_STORE } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { metricData, streamOfMetricData } from '#domain/status/metric-data/metric-data.js';
import { type MessageRange, streamOfMetricBatches } from '#domain/status/metric-source/metric-batches.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import { mergedResults } from './merged-results.js';
import type { MetricMessage } from './metric-message.js';

/**
 * Messages of one batch, for the `sequence`-th step of the work. `again`: set if some of them were processed before. `resumed`: set if an
 * earlier step of this batch may be unfinished.
 */
export type OpenBatch = Readonly<{ tenantId: string; range: MessageRange; sequence: number; again?: object; resumed?: true }>;

/** Events per write, and per read of a stream. */
const AT_A_TIME = 12;
const PAGE = 200;

/** Name of a batch in the metadata of its events. */
const batchName = ({ tenantId, range: { topicId, from, to }, sequence, again }: OpenBatch): string =>
  `${tenantId}/${topicId}/${from}-${to}${again ? `#${sequence}` : ''}`;

const isSame = (one: MessageRange, other: MessageRange): boolean =>
  one.topicId === other.topicId && one.from === other.from && one.to === other.to;

/**
 * Records the points of a batch of messages, each once. The request id of every event comes from the batch, so that after a crash the
 * recorded events can be found in the log. It uses no idempotency keys, because they would be stored for every event, although repeats are
 * rare.
 */
@Injectable()
export class MetricRecorder {
  constructor(
    private readonly gateway: CommandGateway,
    @Inject(EVENT_STORE) private readonly events: Pick<EventStore, 'readStream'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Resolves when all points are in the log. @throws as {@link CommandGateway.executeAll}: then some of them may be */
  async record(batch: OpenBatch, messages: readonly MetricMessage[]): Promise<void> {
    const known = batch.resumed ? await this.recorded(batch, messages) : new Set<string>();
    await this.gateway.executeAll(metricData, this.recordings(batch, messages, known), AT_A_TIME);
  }

  private *recordings(batch: OpenBatch, messages: readonly MetricMessage[], known: ReadonlySet<string>) {
    const { tenantId } = batch;
    const name = batchName(batch);
    let number = 0;
    for (const { host, results, cause } of mergedResults(messages)) {
      const requestId = derivedId(`${name}/${number}`);
      number++;
      if (known.has(requestId)) continue;
      const context = systemContext('metric-source', 'status', this.clock(), cause, requestId);
      yield {
        stream: streamOfMetricData(tenantId, host),
        command: { type: 'RecordMetricResults', tenantId, host, results } as const,
        context,
      };
    }
  }

  /** Request ids of the batch whose events are in the log. */
  private async recorded(batch: OpenBatch, messages: readonly MetricMessage[]): Promise<ReadonlySet<string>> {
    const taken = await this.positionOf(batch);
    const name = batchName(batch);
    const hosts = new Set<string>();
    const requestIds = new Set<string>();
    for (const { host } of mergedResults(messages)) {
      hosts.add(host);
      requestIds.add(derivedId(`${name}/${requestIds.size}`));
    }
    const found = new Set<string>();
    for (const host of hosts)
      for await (const { metadata } of this.newest(streamOfMetricData(batch.tenantId, host), taken))
        if (requestIds.has(metadata.requestId)) found.add(metadata.requestId);
    return found;
  }

  /** Log position at which the batch began: all its points come after it. Positions, because a wrong clock may have dated events. */
  private async positionOf({ tenantId, range }: OpenBatch): Promise<Position> {
    const isTaken = ({ type, data }: RecordedEvent): boolean => type === 'MetricMessagesTaken' && isSame(data.open as MessageRange, range);
    for await (const event of this.newest(streamOfMetricBatches(tenantId), 0n)) if (isTaken(event)) return event.position;
    return 0n;
  }

  /** The events of a stream from its end back to a position, and some older ones. */
  private async *newest(stream: string, after: Position): AsyncGenerator<RecordedEvent> {
    for (let from: bigint | undefined; ; ) {
      const page = await this.events.readStream(stream, { direction: 'backwards', limit: PAGE, ...(from !== undefined && { from }) });
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < PAGE || last.position < after || last.revision === 0n) return;
      from = last.revision - 1n;
    }
  }
}
