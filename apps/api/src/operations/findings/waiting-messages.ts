import { Injectable } from '@nestjs/common';
import { DeadLetterLog } from '#api/messaging/deliveries/dead-letter-log.js';
import { ReadBudget } from '#api/messaging/messages/read-budget.js';
import { type NamedSubscription, WaitingInAll } from '#api/operations/messaging/waiting-in-all.js';
import type { FindingView } from '#domain/operations/finding-kinds.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { AttachedSubscriptions } from '#projections/messaging/resources/attached-subscriptions.js';

/** Maximum number of checked dead letter topics. */
const MOST_TOPICS = 500;

/** `view`: page of the only subscription concerned, or of its project; absent if there are several. */
type Found = Readonly<{ value: number; view?: FindingView }>;

/** `oldestWaitingAt`: leaves out subscriptions of which it is not known whether the message waits. */
type WaitingNow = Readonly<{
  waiting: number;
  oldestPublishedAt: string | null;
  oldestWaitingAt: string | null;
  deadLetters: Found;
  pushFails: Found;
}>;

/** The first of several subscriptions, and whether all are in its project. */
class Concerned {
  count = 0;
  first: NamedSubscription | undefined;
  private isOneProject = true;

  add(one: NamedSubscription): void {
    this.count += 1;
    this.first ??= one;
    this.isOneProject &&= one.projectId === this.first.projectId;
  }

  get projectId(): string | undefined {
    return this.isOneProject ? this.first?.projectId : undefined;
  }
}

const earlier = (one: string | null, other: string | null): string | null => [one ?? [], other ?? []].flat().sort()[0] ?? null;

/** Counts waiting messages, dead letters and failing pushes of all projects. */
@Injectable()
export class WaitingMessages {
  constructor(
    private readonly attached: AttachedSubscriptions,
    private readonly waitingInAll: WaitingInAll,
    private readonly letters: DeadLetterLog,
    private readonly accounts: AccountQueries,
  ) {}

  /**
   * Waiting messages, the publish time of the oldest one, and dead letters that were not redriven, as far as they are counted.
   * @throws ReadStoreUnavailable, EventStoreUnavailable
   */
  async count(): Promise<WaitingNow> {
    let [waiting, oldestPublishedAt, oldestWaitingAt]: [number, string | null, string | null] = [0, null, null];
    const pushFails = new Concerned();
    const byTopic = new Map<string, NamedSubscription[]>();
    for await (const page of this.waitingInAll.pages(new TimeSlice())) {
      waiting += page.messages;
      oldestPublishedAt = earlier(oldestPublishedAt, page.oldestPublishedAt);
      oldestWaitingAt = earlier(oldestWaitingAt, page.oldestWaitingAt);
      for (const one of page.pushFails) pushFails.add(one);
      for (const one of page.withDeadLetters) {
        const topic = `${one.projectId}/${one.deadLetterTopic}`;
        if (byTopic.has(topic) || byTopic.size < MOST_TOPICS) getOrInsert(byTopic, topic, () => []).push(one);
      }
    }
    return {
      ...{ waiting, oldestPublishedAt, oldestWaitingAt },
      deadLetters: await this.deadLetters([...byTopic.values()]),
      pushFails: { value: pushFails.count, ...(await this.viewOf(pushFails)) },
    };
  }

  /** @param byTopic subscriptions with the same dead letter topic */
  private async deadLetters(byTopic: readonly (readonly NamedSubscription[])[]): Promise<Found> {
    const named = byTopic.flatMap(([first]) => (first ? [{ ...first, document: { topic: first.deadLetterTopic ?? '' } }] : []));
    const topics = await this.attached.topicsOf(named);
    const budget = new ReadBudget();
    const concerned = new Concerned();
    let value = 0;
    for (const [index, { projectId }] of named.entries()) {
      const topic = topics[index];
      if (!topic) continue;
      const count = await this.letters.count({ projectId, topicId: topic.topicId }, budget);
      value += count().count;
      for (const one of byTopic[index] ?? []) if (count(one.subscription).count > 0) concerned.add(one);
    }
    return { value, ...(await this.viewOf(concerned, { tab: 'dead-letters' })) };
  }

  private async viewOf({ count, first, projectId }: Concerned, query?: FindingView['query']): Promise<Pick<Found, 'view'>> {
    const project = projectId === undefined ? undefined : await this.accounts.project(projectId);
    if (!project || !first) return {};
    const path = `/messaging/${encodeURIComponent(project.name)}`;
    if (count > 1) return { view: { path, text: `Open ${project.name}` } };
    const subscription = `${path}/subscriptions/${encodeURIComponent(first.subscription)}`;
    return { view: { path: subscription, ...(query && { query }), text: `Open ${first.subscription}` } };
  }
}
