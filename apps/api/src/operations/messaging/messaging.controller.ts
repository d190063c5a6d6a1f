import { Param } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Deliveries } from '#api/messaging/deliveries/deliveries.js';
import { Problem } from '#api/ops-kit/problem.js';
import { Get, OpsController } from '#api/ops-kit/route.js';
import { StrictQuery } from '#api/ops-kit/strict-input.js';
import { IsMatch, IsWhole, Optional } from '#api/ops-kit/strict-members.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import type { Page } from '#projections/messaging/newest-first.js';
import { AttachedSubscriptions } from '#projections/messaging/resources/attached-subscriptions.js';
import { ResourceQueries, type SubscriptionDocument } from '#projections/messaging/resources/queries.js';
import { OffsetQueries, TrafficQueries } from '#projections/messaging/traffic/queries.js';
import { Backlogs } from './backlogs.js';
import { NO_PROJECT, NO_TOPIC, SUBSCRIPTIONS, TOPIC, TOPICS } from './documentation.js';
import { PastTraffic } from './past-traffic.js';

const MOST = 100;
/** Who watches sees what others have just been shown. */
const SHARED_MS = 1_000;
const MOST_SHARED = 100;

class PageQuery {
  @Optional()
  @IsMatch(/^[0-9a-f]{1,64}$/, 'be `next` of another page', { description: '`next` of the page before' })
  after?: string;

  @Optional()
  @IsWhole(1, MOST, { description: `default: ${MOST}` })
  limit?: number;
}

type Named = Readonly<{ project: string }>;
type Look = (projectId: string, page: Page) => Promise<Readonly<{ items: readonly object[]; next?: string | undefined }>>;

/** What waits in the messaging service, as it is now: names and figures, no data of messages (operations contract 1). */
@OpsController('ops/messaging', 'operations')
export class MessagingController {
  /** Answers, by what was asked for: what consoles ask for again and again is looked up once a second, however many there are. */
  private readonly answers = new LRUCache<string, Promise<object>>({ max: MOST_SHARED, ttl: SHARED_MS });

  constructor(
    private readonly accounts: AccountQueries,
    private readonly resources: ResourceQueries,
    private readonly attached: AttachedSubscriptions,
    private readonly offsets: OffsetQueries,
    private readonly traffic: TrafficQueries,
    private readonly deliveries: Deliveries,
    private readonly backlogs: Backlogs,
    private readonly past: PastTraffic,
  ) {}

  @Get(':project/topics', {
    id: 'listTopicTraffic',
    summary: 'Topics of a messaging project with what was published, the newest topic first',
    answers: { 200: TOPICS, 404: NO_PROJECT },
  })
  topics(@Param() { project }: Named, @StrictQuery(PageQuery) query: PageQuery): Promise<object> {
    return this.shared('topics', project, query, async (projectId, page) => {
      const { items, next } = await this.resources.topics(projectId, page);
      const ids = items.map(({ topicId }) => topicId);
      const [totals, before] = await Promise.all([this.traffic.ofTopics(ids), this.past.anHourAgo((traffic) => traffic.ofTopics(ids))]);
      const views = items.map(({ name }, index) => {
        const { messages = 0, bytes = 0, lastPublish = null } = totals[index] ?? {};
        return { name, messages, messagesLastHour: since(before, index, messages), bytes, publishedAt: lastPublish };
      });
      return { items: views, next };
    });
  }

  @Get(':project/topics/:topic', {
    id: 'readTopicTraffic',
    summary: 'What was published to a topic, with the messages of each five minutes of the last hour',
    answers: { 200: TOPIC, 404: NO_TOPIC },
  })
  topic(@Param() { project, topic }: Named & Readonly<{ topic: string }>): Promise<object> {
    return this.once(['topic', project, topic], async () => {
      const found = await this.resources.topic(await this.projectId(project), topic);
      if (!found) throw new Problem(404, 'the project has no topic of this name');
      const { messages = 0, bytes = 0, lastPublish = null } = (await this.traffic.ofTopic(found.topicId)) ?? {};
      return { name: topic, messages, bytes, publishedAt: lastPublish, lastHour: await this.past.lastHour(found.topicId, messages) };
    });
  }

  @Get(':project/subscriptions', {
    id: 'listSubscriptionBacklogs',
    summary: 'Subscriptions of a messaging project with what waits in them, the newest subscription first',
    answers: { 200: SUBSCRIPTIONS, 404: NO_PROJECT },
  })
  subscriptions(@Param() { project }: Named, @StrictQuery(PageQuery) query: PageQuery): Promise<object> {
    return this.shared('subscriptions', project, query, async (projectId, page) => {
      const { items, next } = await this.resources.subscriptions(projectId, page);
      return { items: await this.subscriptionViews(projectId, items), next };
    });
  }

  private shared(list: string, project: string, query: PageQuery, look: Look): Promise<object> {
    return this.once([list, project, query.after, query.limit], async () => {
      const { items, next = null } = await look(await this.projectId(project), pageOf(query));
      return { items, next };
    });
  }

  /** The same answer for all who ask for the same within a second. A failure is not shared. */
  private once(asked: readonly unknown[], look: () => Promise<object>): Promise<object> {
    const key = JSON.stringify(asked);
    const known = this.answers.get(key);
    if (known) return known;
    const answer = look();
    this.answers.set(key, answer);
    answer.catch(() => this.answers.delete(key));
    return answer;
  }

  /** @throws Problem 404 */
  private async projectId(name: string): Promise<string> {
    const project = await this.accounts.projectNamed(name);
    if (!project) throw new Problem(404, 'there is no messaging project of this name');
    return project.projectId;
  }

  private async subscriptionViews(projectId: string, documents: readonly SubscriptionDocument[]): Promise<readonly object[]> {
    const topics = await this.attached.topicsOf(documents.map((document) => ({ projectId, document })));
    const refs = documents.map(({ subscriptionId, topicId, startOffset }, index) => {
      const start = { topicId, startOffset };
      return { projectId, subscriptionId, start, topicId: topics[index]?.topicId ?? null };
    });
    const ids = [...new Set(topics.flatMap((topic) => topic?.topicId ?? []))];
    const [cursors, totals, before] = await Promise.all([
      this.offsets.cursors(refs),
      this.traffic.ofTopics(ids),
      this.past.anHourAgo((traffic) => traffic.ofSubscriptions(refs)),
    ]);
    const totalsById = new Map(ids.map((id, index) => [id, totals[index]]));
    const standing = documents.map(({ options }, index) => ({
      options,
      topic: topics[index],
      totals: totalsById.get(topics[index]?.topicId ?? ''),
      offset: cursors[index]?.offset ?? 0,
    }));
    const backlogs = await this.backlogs.of(standing);
    const served = new Map([...this.deliveries.all()].map((one) => [one.by.subscription.subscriptionId, one]));
    return documents.map(({ subscriptionId, name, topic, push, options }, index) => {
      const here = served.get(subscriptionId);
      return {
        name,
        topic,
        ackMode: options?.ackMode ?? 'cursor',
        push: push !== null,
        ...backlogs[index],
        outstanding: here?.leases.outstanding ?? null,
        delivered: cursors[index]?.messages ?? 0,
        deliveredLastHour: since(before, index, cursors[index]?.messages ?? 0),
        pulledAt: cursors[index]?.lastPull ?? null,
        deadLetterTopic: options?.deadLetterPolicy?.topic ?? null,
        deadLettersKept: here?.deadLetters.areBlocked ?? null,
      };
    });
  }
}

/** How many have come since the figures of an hour ago; `null` where those are not known. */
const since = (before: readonly (Readonly<{ messages: number }> | undefined)[] | null, index: number, now: number): number | null =>
  before && Math.max(0, now - (before[index]?.messages ?? 0));

const pageOf = ({ after, limit = MOST }: PageQuery): Page => ({
  size: limit,
  counted: false,
  ...(after !== undefined && { first: after }),
});
