import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ACTS_BY_ITSELF, CLOCK, CONFIGURATION, LOGGER } from '#api/shared/tokens.js';
import { RETENTION_LIMITS } from '#domain/messaging/resources/subscription-options.js';
import { sha256 } from '#domain/shared/bytes/sha256.js';
import type { Clock } from '#domain/shared/clock.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
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

/** A record covers the time since the previous one, so both have to be made before a message expires. */
const RECORDS_IN_RETENTION = 4;
const LONGEST_INTERVAL_SECONDS = 3_600;

/** Hexadecimal digits of the hash that determine a phase. */
const PHASE_DIGITS = 8;

/** Interval between records of a topic's traffic, for its retention. */
const intervalSeconds = (retentionSeconds: number): number => Math.min(retentionSeconds / RECORDS_IN_RETENTION, LONGEST_INTERVAL_SECONDS);

/** Fraction of an interval, from 0 inclusive to 1 exclusive. It is the same for a topic on every node and after every start. */
const phaseOf = (topicId: string): number => Number.parseInt(sha256(topicId).slice(0, PHASE_DIGITS), 16) / 16 ** PHASE_DIGITS;

/**
 * Records traffic before the messages expire, so that counters can be rebuilt from the log at any time. Discards the messages of deleted
 * topics afterwards. Every node does so, and each record is made by one of them. Each topic has its own phase in the interval, so that
 * thousands of topics cause no burst.
 */
@Injectable()
export class TrafficRecorder {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;
  /** Difference between the wall clock at the start and the monotonic clock, in seconds, so that intervals continue over restarts. */
  private epoch = 0;
  /** Start of the previous pass, in seconds since 1970-01-01 UTC by the clock of the start. */
  private passedAt = 0;

  constructor(
    private readonly bus: CommandBus,
    private readonly topics: TrafficRecordQueries,
    private readonly resources: ResourceQueries,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'messagingRetentionSeconds'>,
    @Inject(ACTS_BY_ITSELF) private readonly acts: boolean,
  ) {}

  /** Called by Nest. A server of the past records nothing. */
  onApplicationBootstrap(): void {
    if (!this.acts) return;
    this.epoch = (this.clock() - performance.now()) / 1_000;
    this.passedAt = this.now() - this.pauseSeconds; // covers intervals that ended while no process ran
    this.schedule();
  }

  /** Called by Nest. Resolves when no pass is running. */
  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private schedule(): void {
    this.timer = setTimeout(() => {
      this.running = this.recordAll()
        .catch((error: unknown) => this.logger.warn({ err: error }, 'the traffic of topics is recorded later'))
        .finally(() => {
          if (!this.stopped) this.schedule();
        });
    }, this.pauseSeconds * 1_000).unref();
  }

  /** Pause between two passes. */
  private get pauseSeconds(): number {
    return intervalSeconds(Math.min(this.configuration.messagingRetentionSeconds, RETENTION_LIMITS.shortestMessageRetention.value));
  }

  private now(): number {
    return this.epoch + performance.now() / 1_000;
  }

  /** Records all topics once. */
  private async recordAll(): Promise<void> {
    const now = this.now();
    const slice = new TimeSlice();
    for await (const page of this.topics.topics()) {
      for (const topic of page) {
        await this.record(topic, now).catch(unlessSetAside);
        if (slice.isOver) await slice.next();
      }
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

  /** Returns whether an interval of the topic has ended since the previous pass. */
  private async isDue(projectId: string, topicId: string, now: number): Promise<boolean> {
    const topic = await this.resources.topicById(projectId, topicId);
    const interval = intervalSeconds(topic?.settings?.messageRetentionSeconds ?? this.configuration.messagingRetentionSeconds);
    const phase = phaseOf(topicId) * interval;
    return Math.floor((now + phase) / interval) > Math.floor((this.passedAt + phase) / interval);
  }

  private context(): CommandContext {
    return systemContext('traffic-recorder', 'messaging', this.clock(), null);
  }
}
