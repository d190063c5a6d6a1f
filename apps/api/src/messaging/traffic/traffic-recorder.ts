import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ACTS_BY_ITSELF, CLOCK, CONFIGURATION, LOGGER } from '#api/shared/tokens.js';
import { RETENTION_LIMITS } from '#domain/messaging/resources/subscription-options.js';
import type { Clock } from '#domain/shared/clock.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { type RecordableTopic, TrafficRecordQueries } from '#projections/messaging/traffic/queries.js';
import { PartitionSetAside } from '#projections/shared/read-store.js';
import { DiscardTopicLog, RecordTraffic } from './commands.js';

/** The traffic of a project that is set aside is recorded once it is resumed. */
const unlessSetAside = (error: unknown): void => {
  if (!(error instanceof PartitionSetAside)) throw error;
};

/** A record says how things were at the one before it, so both have to be made before a message expires. */
const RECORDS_IN_RETENTION = 4;
const LONGEST_INTERVAL_SECONDS = 3_600;

/** How often the traffic of a topic is recorded whose messages are kept for so long. */
const intervalSeconds = (retentionSeconds: number): number => Math.min(retentionSeconds / RECORDS_IN_RETENTION, LONGEST_INTERVAL_SECONDS);

/**
 * Records what was published before the messages expire, so that counters can be rebuilt from the log at any time; and discards the
 * messages of deleted topics once that is done. Every node does so, and each record is made by one of them.
 */
@Injectable()
export class TrafficRecorder {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;
  /** On the monotonic clock: when the pass before this one began, in seconds. */
  private passedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly bus: CommandBus,
    private readonly topics: TrafficRecordQueries,
    private readonly resources: ResourceQueries,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'messagingRetentionSeconds'>,
    @Inject(ACTS_BY_ITSELF) private readonly acts: boolean,
  ) {}

  /** Called by Nest. */
  onApplicationBootstrap(): void {
    if (this.acts) this.schedule();
  }

  /** Called by Nest. Resolves when nothing is under way. */
  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private schedule(): void {
    const shortest = Math.min(this.configuration.messagingRetentionSeconds, RETENTION_LIMITS.shortestMessageRetention.value);
    this.timer = setTimeout(() => {
      this.running = this.recordAll()
        .catch((error: unknown) => this.logger.warn({ err: error }, 'the traffic of topics is recorded later'))
        .finally(() => {
          if (!this.stopped) this.schedule();
        });
    }, intervalSeconds(shortest) * 1_000).unref();
  }

  /** All topics, once. */
  private async recordAll(): Promise<void> {
    const now = performance.now() / 1_000;
    for await (const page of this.topics.topics()) {
      for (const topic of page) await this.record(topic, now).catch(unlessSetAside);
      if (this.stopped) return;
    }
    this.passedAt = now;
  }

  private async record({ topicId, counters, projectDeleted }: RecordableTopic, now: number): Promise<void> {
    const { projectId, record, messages, reported, closed, days } = counters;
    const next = { projectId, topicId, record: record + 1 };
    const isDeleted = counters.deleted || projectDeleted;
    if (messages <= reported && !isDeleted) return;
    if (!isDeleted && !(await this.isDue(projectId, topicId, now))) return;
    await this.topics.requireKeptUp(topicId);
    if (messages > reported && !projectDeleted)
      await this.bus.execute(new RecordTraffic(this.context(), { ...next, totals: closed, days }));
    else if (isDeleted) await this.bus.execute(new DiscardTopicLog(this.context(), next));
  }

  /** Whether an interval of the topic has ended since the pass before this one. */
  private async isDue(projectId: string, topicId: string, now: number): Promise<boolean> {
    const topic = await this.resources.topicById(projectId, topicId);
    const interval = intervalSeconds(topic?.settings?.messageRetentionSeconds ?? this.configuration.messagingRetentionSeconds);
    return Math.floor(now / interval) > Math.floor(this.passedAt / interval);
  }

  private context(): CommandContext {
    return systemContext('traffic-recorder', 'messaging', this.clock());
  }
}
