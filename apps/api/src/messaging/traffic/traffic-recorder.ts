import type { MessageLog } from '#api/messaging/messages/message-log.js';
import { messagesStream } from '#domain/messaging/messages/message-events.js';
import { type TrafficCommand, traffic, trafficStream } from '#domain/messaging/traffic/traffic.js';
import type { Clock } from '#domain/shared/clock.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { systemContext } from '#infra/event-store/system-events.js';
import type { Logger } from '#infra/logging/logger.js';
import type { StreamProcessor } from '#infra/stream-processor/stream-processor.js';
import type { RecordableTopic, TrafficRecordQueries } from '#projections/messaging/traffic/queries.js';
import { PartitionSetAside } from '#projections/shared/read-store.js';

export type TrafficRecorderParts = Readonly<{
  topics: TrafficRecordQueries;
  events: Pick<EventStore, 'truncate'>;
  log: MessageLog;
  processor: Pick<StreamProcessor, 'execute'>;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  /** How long messages are kept. */
  retentionSeconds: number;
}>;

/** Its traffic is recorded once it is resumed. */
const unlessSetAside = (error: unknown): void => {
  if (!(error instanceof PartitionSetAside)) throw error;
};

/** A record tells how things were at the one before it, so both have to be made before a message expires. */
const RECORDS_IN_RETENTION = 4;
const LONGEST_INTERVAL = 3_600;

/**
 * Records what was published before the messages expire, so that counters can be built anew from the log at any time; and discards the
 * messages of deleted topics once that is done. Every node does so, and each record is made by one of them.
 */
export class TrafficRecorder {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly parts: TrafficRecorderParts) {}

  /** Called by Nest. */
  onApplicationBootstrap(): void {
    this.schedule();
  }

  /** Called by Nest. Resolves when nothing is under way. */
  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private schedule(): void {
    const seconds = Math.min(this.parts.retentionSeconds / RECORDS_IN_RETENTION, LONGEST_INTERVAL);
    this.timer = setTimeout(() => {
      this.running = this.pass()
        .catch((error: unknown) => this.parts.logger.warn({ err: error }, 'the traffic of topics is recorded later'))
        .finally(() => {
          if (!this.stopped) this.schedule();
        });
    }, seconds * 1_000).unref();
  }

  /** All topics, once. */
  private async pass(): Promise<void> {
    for await (const page of this.parts.topics.topics()) {
      for (const topic of page) await this.settle(topic).catch(unlessSetAside);
      if (this.stopped) return;
    }
  }

  private async settle({ topicId, counters, projectDeleted }: RecordableTopic): Promise<void> {
    const { projectId, record, messages, reported, closed, days } = counters;
    const common = { projectId, topicId, record: record + 1 };
    const pending = messages > reported || counters.deleted || projectDeleted;
    if (pending) await this.parts.topics.requireKeptUp(topicId);
    if (messages > reported && !projectDeleted) {
      await this.execute({ type: 'RecordTraffic', ...common, totals: closed, days });
    } else if (counters.deleted || projectDeleted) {
      const head = await this.parts.log.head(topicId);
      if (head > 0) await this.parts.events.truncate(messagesStream(topicId), BigInt(head));
      await this.execute({ type: 'DiscardTopicLog', ...common });
    }
  }

  private async execute(command: TrafficCommand): Promise<void> {
    const context = systemContext('traffic-recorder', 'messaging', this.parts.clock());
    await this.parts.processor.execute({ stream: trafficStream(command.topicId), decider: traffic, command, context });
  }
}
