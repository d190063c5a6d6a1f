import { Inject, Injectable } from '@nestjs/common';
import { DeadLetterLog } from '#api/messaging/deliveries/dead-letter-log.js';
import { Backlogs } from '#api/operations/messaging/backlogs.js';
import { READ_STORE } from '#api/shared/tokens.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { AttachedSubscriptions } from '#projections/messaging/resources/attached-subscriptions.js';
import { OffsetQueries, TrafficQueries } from '#projections/messaging/traffic/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Messages waiting in the subscriptions of all projects, the publish time of the oldest one, and dead letters that were not redriven. */
type WaitingMessages = Readonly<{ waiting: number; oldestPublishedAt: string | null; deadLetters: number }>;

/** Maximum number of checked dead letter topics. */
const MOST_TOPICS = 500;

/** Counts waiting messages, subscription by subscription, in time slices. */
@Injectable()
export class WaitingInAll {
  private readonly attached: AttachedSubscriptions;
  private readonly offsets: OffsetQueries;
  private readonly traffic: TrafficQueries;

  constructor(
    @Inject(READ_STORE) store: ReadStore,
    private readonly backlogs: Backlogs,
    private readonly letters: DeadLetterLog,
  ) {
    this.attached = new AttachedSubscriptions(store);
    this.offsets = new OffsetQueries(store);
    this.traffic = new TrafficQueries(store);
  }

  /** @throws ReadStoreUnavailable, EventStoreUnavailable */
  async count(): Promise<WaitingMessages> {
    let [waiting, oldestPublishedAt]: [number, string | null] = [0, null];
    const deadLetterTopics = new Map<string, Readonly<{ projectId: string; document: Readonly<{ topic: string }> }>>();
    for await (const { attached } of this.attached.pages(new TimeSlice())) {
      const [cursors, totals] = await Promise.all([
        this.offsets.cursors(attached),
        this.traffic.ofTopics(attached.map(({ topicId }) => topicId)),
      ]);
      const standing = attached.map(({ options, topic }, index) => ({
        options,
        topic,
        totals: totals[index],
        offset: cursors[index]?.offset ?? 0,
      }));
      for (const { backlog, oldestPublishedAt: oldest } of await this.backlogs.of(standing)) {
        waiting += backlog;
        if (oldest !== null && (oldestPublishedAt === null || oldest < oldestPublishedAt)) oldestPublishedAt = oldest;
      }
      for (const { projectId, options } of attached) {
        const topic = options?.deadLetterPolicy?.topic;
        if (topic !== undefined && deadLetterTopics.size < MOST_TOPICS)
          deadLetterTopics.set(`${projectId}/${topic}`, { projectId, document: { topic } });
      }
    }
    return { waiting, oldestPublishedAt, deadLetters: await this.deadLetters([...deadLetterTopics.values()]) };
  }

  private async deadLetters(named: Parameters<AttachedSubscriptions['topicsOf']>[0]): Promise<number> {
    const topics = await this.attached.topicsOf(named);
    let count = 0;
    for (const [index, { projectId }] of named.entries()) {
      const topic = topics[index];
      if (topic) count += (await this.letters.count({ projectId, topicId: topic.topicId }))().count;
    }
    return count;
  }
}
