import type { MessageLog } from '#api/messaging/messages/message-log.js';
import { messagesStream } from '#domain/messaging/messages/message-events.js';
import { type TrafficCommand, traffic, trafficStream } from '#domain/messaging/traffic/traffic.js';
import type { Clock } from '#domain/shared/clock.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { systemContext } from '#infra/event-store/system-events.js';
import type { Logger } from '#infra/logging/logger.js';
import type { StreamProcessor } from '#infra/stream-processor/stream-processor.js';
import { COUNTERS_PROJECTION, counterCollections, type TopicCounters } from '#projections/messaging/traffic/counter-documents.js';
import { PartitionSetAside, type ReadStore } from '#projections/shared/read-store.js';

export type TrafficRecorderParts = Readonly<{
  store: ReadStore;
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
const TOPICS_AT_A_TIME = 500;

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
    const view = this.parts.store.view(COUNTERS_PROJECTION);
    for (let after: string | undefined; !this.stopped; ) {
      const bound = after === undefined ? {} : { gt: after };
      const page = await view.range(counterCollections.topics, { ...bound, limit: TOPICS_AT_A_TIME });
      const topics = page.map(({ key, value }) => ({ topicId: key, counters: JSON.parse(value.toString('utf8')) as TopicCounters }));
      const projects = topics.map(({ counters }) => counters.projectId);
      const gone = projects.length > 0 ? await view.getMany(counterCollections.deletedProjects, projects) : [];
      for (const [index, { topicId, counters }] of topics.entries())
        await this.settle(topicId, counters, Boolean(gone[index])).catch(unlessSetAside);
      after = page.at(-1)?.key;
      if (page.length < TOPICS_AT_A_TIME) return;
    }
  }

  private async settle(topicId: string, counters: TopicCounters, projectGone: boolean): Promise<void> {
    const { projectId, record, messages, reported, closed, days } = counters;
    const common = { projectId, topicId, record: record + 1 };
    const pending = messages > reported || counters.deleted || projectGone;
    // Refused when the project is set aside: its counters are those of an earlier time.
    if (pending) await this.parts.store.view(COUNTERS_PROJECTION).get(counterCollections.topics, topicId);
    if (messages > reported && !projectGone) {
      await this.execute({ type: 'RecordTraffic', ...common, totals: closed, days });
    } else if (counters.deleted || projectGone) {
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
