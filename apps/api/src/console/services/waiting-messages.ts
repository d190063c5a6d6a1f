import { Inject, Injectable } from '@nestjs/common';
import { DeadLetterLog } from '#api/messaging/deliveries/dead-letter-log.js';
import { ReadBudget } from '#api/messaging/messages/read-budget.js';
import { WaitingInAll } from '#api/operations/messaging/waiting-in-all.js';
import { READ_STORE } from '#api/shared/tokens.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { AttachedSubscriptions } from '#projections/messaging/resources/attached-subscriptions.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Maximum number of checked dead letter topics. */
const MOST_TOPICS = 500;

/** Counts waiting messages and dead letters of all projects, for the overview. */
@Injectable()
export class WaitingMessages {
  private readonly attached: AttachedSubscriptions;

  constructor(
    @Inject(READ_STORE) store: ReadStore,
    private readonly waitingInAll: WaitingInAll,
    private readonly letters: DeadLetterLog,
  ) {
    this.attached = new AttachedSubscriptions(store);
  }

  /**
   * Waiting messages, the publish time of the oldest one, and dead letters that were not redriven, as far as they are counted.
   * @throws ReadStoreUnavailable, EventStoreUnavailable
   */
  async count(): Promise<Readonly<{ waiting: number; oldestPublishedAt: string | null; deadLetters: number }>> {
    let [waiting, oldestPublishedAt]: [number, string | null] = [0, null];
    const topics = new Map<string, Readonly<{ projectId: string; document: Readonly<{ topic: string }> }>>();
    for await (const page of this.waitingInAll.pages(new TimeSlice())) {
      waiting += page.messages;
      [oldestPublishedAt = null] = [page.oldestPublishedAt ?? [], oldestPublishedAt ?? []].flat().sort();
      for (const { projectId, topic } of page.deadLetterTopics)
        if (topics.size < MOST_TOPICS) topics.set(`${projectId}/${topic}`, { projectId, document: { topic } });
    }
    return { waiting, oldestPublishedAt, deadLetters: await this.deadLetters([...topics.values()]) };
  }

  private async deadLetters(named: Parameters<AttachedSubscriptions['topicsOf']>[0]): Promise<number> {
    const topics = await this.attached.topicsOf(named);
    const budget = new ReadBudget();
    let count = 0;
    for (const [index, { projectId }] of named.entries()) {
      const topic = topics[index];
      if (topic) count += (await this.letters.count({ projectId, topicId: topic.topicId }, budget))().count;
    }
    return count;
  }
}
