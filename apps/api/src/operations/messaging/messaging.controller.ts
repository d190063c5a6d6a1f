import { Inject, Param } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DeadLetterLog, type LetterCount } from '#api/messaging/deliveries/dead-letters/dead-letter-log.js';
import { Problem } from '#api/ops-kit/problem.js';
import { Get, OpsController } from '#api/ops-kit/route.js';
import { StrictQuery } from '#api/ops-kit/strict-input.js';
import { match, membersOf, optional, pageSize } from '#api/ops-kit/strict-members.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { CLOCK } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { Static } from '#domain/shared/shape.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { readAcross } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import type { Page } from '#projections/messaging/newest-first.js';
import { ResourceCounts, ResourceQueries, type TopicDocument } from '#projections/messaging/resources/queries.js';
import { TrafficQueries } from '#projections/messaging/traffic/queries.js';
import { PROJECT, PROJECTS, SUBSCRIPTION, SUBSCRIPTIONS, TOPIC, TOPIC_ROW, TOPICS } from './documentation.js';
import { MetricSources } from './metric-sources.js';
import { PastTraffic } from './past-traffic.js';
import { projectNamed } from './project-named.js';
import { SubscriptionRows, since } from './subscription-rows.js';
import { SubscriptionState } from './subscription-state.js';

const MOST = 100;
/** Topics and subscriptions in the answer of a project. */
const MOST_OF_PROJECT = 1_000;
const MOST_PROJECTS = 1_000;
/** Answers are shared for this time. */
const SHARED_MS = 500;
const MOST_SHARED = 100;

class PageQuery extends membersOf({
  after: optional(match(/^[0-9a-f]{1,64}$/, 'be `next` of another page', { description: '`next` of the page before' })),
  limit: pageSize(MOST),
}) {}

class ProjectQuery extends membersOf({
  limit: pageSize(MOST_OF_PROJECT, MOST, 'topics and subscriptions, of each so many; '),
}) {}

const NO_TOTALS = { topics: 0, subscriptions: 0 };

type Named = Readonly<{ project: string }>;
type Look<Item> = (projectId: string, page: Page) => Promise<Readonly<{ items: readonly Item[]; next?: string | undefined }>>;

/** Current state of the messaging service: names and figures, no message data (operations contract 1). */
@OpsController('ops/messaging', 'operations')
export class MessagingController {
  /** Answers by request. Repeated requests of consoles cause at most two lookups a second, however many consoles there are. */
  private readonly answers = new LRUCache<string, Promise<object>>({ max: MOST_SHARED, ttl: SHARED_MS });

  constructor(
    private readonly accounts: AccountQueries,
    private readonly resources: ResourceQueries,
    private readonly counts: ResourceCounts,
    private readonly traffic: TrafficQueries,
    private readonly rows: SubscriptionRows,
    private readonly state: SubscriptionState,
    private readonly sources: MetricSources,
    private readonly letters: DeadLetterLog,
    private readonly past: PastTraffic,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get('', { id: 'listProjectTraffic', summary: 'Projects of the messaging service, the newest first', answers: { 200: PROJECTS } })
  projects(): Promise<Answered<typeof PROJECTS>> {
    return this.once(['projects'], () =>
      readAcross(async () => {
        const all = await this.accounts.allProjects(new TimeSlice());
        const shown = all.slice(-MOST_PROJECTS).reverse();
        const totals = await Promise.all(shown.map(({ projectId }) => this.counts.totals(projectId)));
        const items = shown.map(({ name, description, createdOn }, at) => ({
          name,
          description,
          createdAt: createdOn,
          ...(totals[at] ?? NO_TOTALS),
        }));
        return { items, total: all.length };
      }),
    );
  }

  @Get(':project', {
    id: 'readProjectTraffic',
    summary: 'All figures of a messaging project: its newest topics and subscriptions, and the metric sources that read them',
    answers: { 200: PROJECT },
  })
  project(@Param() { project }: Named, @StrictQuery(ProjectQuery) { limit }: ProjectQuery): Promise<Answered<typeof PROJECT>> {
    return this.once(['project', project, limit], async () => {
      const projectId = await this.projectId(project);
      const page = pageOf({ limit });
      const [topics, subscriptions, sources] = await Promise.all([
        this.resources.topics(projectId, page),
        this.resources.subscriptions(projectId, page),
        this.sources.of(projectId),
      ]);
      const [topicViews, subscriptionViews, metricSources] = await Promise.all([
        this.topicViews(topics.items),
        this.rows.views(projectId, subscriptions.items, sources, this.clock()),
        this.sources.views(sources),
      ]);
      const more = (topics.next ?? subscriptions.next) !== undefined;
      return { name: project, topics: topicViews, subscriptions: subscriptionViews, more, metricSources };
    });
  }

  @Get(':project/topics', {
    id: 'listTopicTraffic',
    summary: 'Topics of a messaging project with what was published, the newest topic first',
    answers: { 200: TOPICS },
  })
  topics(@Param() { project }: Named, @StrictQuery(PageQuery) query: PageQuery): Promise<Answered<typeof TOPICS>> {
    return this.shared('topics', project, query, async (projectId, page) => {
      const { items, next } = await this.resources.topics(projectId, page);
      return { items: await this.topicViews(items), next };
    });
  }

  @Get(':project/topics/:topic', {
    id: 'readTopicTraffic',
    summary: 'What was published to a topic, with the messages of each five minutes of the last hour',
    answers: { 200: TOPIC },
  })
  topic(@Param() { project, topic }: Named & Readonly<{ topic: string }>): Promise<Answered<typeof TOPIC>> {
    return this.once(['topic', project, topic], async () => {
      const projectId = await this.projectId(project);
      const found = await this.resources.topic(projectId, topic);
      if (!found) throw new Problem(404, 'the project has no topic of this name');
      const { topicId } = found;
      const [{ messages = 0, bytes = 0, lastPublish = null } = {}, subscriptions, deadLetters] = await Promise.all([
        this.traffic.ofTopic(topicId),
        this.resources.subscriptionsOf(projectId, topic),
        this.deadLettersOf(projectId, found),
      ]);
      const { published, ...hour } = await this.past.lastHour({
        published: { id: topicId, now: messages, read: async (traffic) => (await traffic.ofTopic(topicId))?.messages ?? 0 },
      });
      const lastHour = { ...hour, counts: published };
      return { name: topic, messages, bytes, publishedAt: lastPublish, lastHour, subscriptions: subscriptions.slice(-MOST), deadLetters };
    });
  }

  @Get(':project/subscriptions', {
    id: 'listSubscriptionBacklogs',
    summary: 'Subscriptions of a messaging project with what waits in them, the newest subscription first',
    answers: { 200: SUBSCRIPTIONS },
  })
  subscriptions(@Param() { project }: Named, @StrictQuery(PageQuery) query: PageQuery): Promise<Answered<typeof SUBSCRIPTIONS>> {
    return this.shared('subscriptions', project, query, async (projectId, page) => {
      const [{ items, next }, sources] = await Promise.all([this.resources.subscriptions(projectId, page), this.sources.of(projectId)]);
      return { items: await this.rows.views(projectId, items, sources, this.clock()), next };
    });
  }

  @Get(':project/subscriptions/:subscription', {
    id: 'readSubscriptionState',
    summary: 'What waits in a subscription by age, what goes in and out, who consumes and who may, how pushing goes',
    answers: { 200: SUBSCRIPTION },
  })
  subscription(@Param() { project, subscription }: Named & Readonly<{ subscription: string }>): Promise<Answered<typeof SUBSCRIPTION>> {
    return this.once(['subscription', project, subscription], async () => {
      const projectId = await this.projectId(project);
      const found = await this.resources.subscription(projectId, subscription);
      if (!found) throw new Problem(404, 'the project has no subscription of this name');
      return this.state.of(projectId, found, await this.sources.of(projectId));
    });
  }

  private async topicViews(topics: readonly TopicDocument[]): Promise<readonly Static<typeof TOPIC_ROW>[]> {
    const ids = topics.map(({ topicId }) => topicId);
    const [totals, before] = await Promise.all([this.traffic.ofTopics(ids), this.past.anHourAgo((traffic) => traffic.ofTopics(ids))]);
    return topics.map(({ name }, index) => {
      const { messages = 0, bytes = 0, lastPublish = null } = totals[index] ?? {};
      return { name, messages, messagesLastHour: since(before, index, messages), bytes, publishedAt: lastPublish };
    });
  }

  /** `null` if it has none, and no subscription or metric source sends any to it. */
  private async deadLettersOf(projectId: string, { topicId, name }: TopicDocument): Promise<LetterCount | null> {
    const count = (await this.letters.count({ projectId, topicId }))();
    if (count.count > 0) return count;
    const [{ items }, sources] = await Promise.all([
      this.resources.subscriptions(projectId, { size: MOST_OF_PROJECT, counted: false }),
      this.sources.of(projectId),
    ]);
    const isOne =
      items.some(({ options }) => options?.deadLetterPolicy?.topic === name) ||
      sources.some(({ source }) => source.deadLetterTopic === name);
    return isOne ? count : null;
  }

  private shared<Item>(list: string, project: string, query: PageQuery, look: Look<Item>) {
    return this.once([list, project, query.after, query.limit], async () => {
      const { items, next = null } = await look(await this.projectId(project), pageOf(query));
      return { items, next };
    });
  }

  /** Shares one answer among equal requests at almost the same time. A failure is not shared. */
  private once<T extends object>(asked: readonly unknown[], look: () => Promise<T>): Promise<T> {
    const key = JSON.stringify(asked);
    const known = this.answers.get(key) as Promise<T> | undefined;
    if (known) return known;
    const answer = look();
    this.answers.set(key, answer);
    answer.catch(() => this.answers.delete(key));
    return answer;
  }

  /** @throws Problem 404 */
  private async projectId(name: string): Promise<string> {
    return (await projectNamed(this.accounts, name)).projectId;
  }
}

const pageOf = ({ after, limit }: PageQuery): Page => ({
  size: limit,
  counted: false,
  ...(after !== undefined && { first: after }),
});
