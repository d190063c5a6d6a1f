import { Inject, Param } from '@nestjs/common';
import { json } from '#api/messaging/answers/answers.js';
import { viewsOf, wholeListAnswer } from '#api/messaging/answers/long-list.js';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { type MessagingCaller } from '#api/messaging/http-policy.js';
import { withVerb } from '#api/messaging/names.js';
import { METRICS } from '#api/messaging/openapi/components.js';
import { Call, type MessagingCall } from '#api/messaging/parameters.js';
import { ADMINS, CONSUMERS, PUBLISHERS } from '#api/messaging/roles.js';
import { Get, MessagingController } from '#api/messaging/route.js';
import { onlyAccessible, requireInAcl } from '#api/messaging/visibility.js';
import type { Answer } from '#api/shared/http/answer.js';
import { shows } from '#api/shared/openapi/described.js';
import { CLOCK } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { j3, wireInstant } from '#projections/messaging/layout.js';
import { ResourceCounts, ResourceQueries } from '#projections/messaging/resources/queries.js';
import { TrafficQueries } from '#projections/messaging/traffic/queries.js';
import { dailyPoints, type MetricView, metrics, NEVER } from './metric-views.js';

/** Point in examples. */
const COUNTED = { timestamp: '2026-03-01T12:00:00Z', value: 4 };

/** Metrics of projects, topics and subscriptions (messaging contract 3.9). */
@MessagingController('v1/projects', 'messaging: metrics')
export class MetricsController {
  constructor(
    private readonly accounts: AccountQueries,
    private readonly resources: ResourceQueries,
    private readonly counts: ResourceCounts,
    private readonly traffic: TrafficQueries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get(withVerb('project', 'metrics'), {
    id: 'getMessagingProjectMetrics',
    summary: 'How many topics, subscriptions and messages a project has, and what its members have access to',
    who: ADMINS,
    errors: [errors.backendError()],
    answers: shows(METRICS, { metrics: [metrics.topicsOfProject('EGI', COUNTED)] }),
  })
  async ofProject(@Call() { project: { projectId, name: project } }: MessagingCall): Promise<Answer> {
    const timestamp = this.now();
    const [totals, topics, subscriptions, members, days] = await Promise.all([
      this.counts.totals(projectId),
      this.counts.topicsByUser(projectId, new TimeSlice()),
      this.counts.subscriptionsByUser(projectId, new TimeSlice()),
      this.accounts.members(projectId, new TimeSlice()),
      this.traffic.recentDaysOfProject(projectId),
    ]);
    const ofMembers = (metric: typeof metrics.topicsOfMember, counts: ReadonlyMap<string, number>) =>
      viewsOf(members, async (some) =>
        some.flatMap(({ userId, name }) => {
          const value = counts.get(userId);
          return value === undefined ? [] : [metric(`${project}.${name}`, { timestamp, value })];
        }),
      );
    const parts = async function* (): AsyncGenerator<readonly MetricView[]> {
      yield [
        metrics.topicsOfProject(project, { timestamp, value: totals.topics }),
        metrics.subscriptionsOfProject(project, { timestamp, value: totals.subscriptions }),
      ];
      yield* ofMembers(metrics.topicsOfMember, topics);
      yield* ofMembers(metrics.subscriptionsOfMember, subscriptions);
      yield [metrics.dailyMessagesOfProject(project, ...dailyPoints(days))];
    };
    return wholeListAnswer('metrics', parts());
  }

  @Get(`:project/topics/${withVerb('topic', 'metrics')}`, {
    id: 'getTopicMetrics',
    summary: 'What was published to a topic',
    who: PUBLISHERS,
    answers: shows(METRICS, { metrics: [metrics.messagesOfTopic('news', COUNTED)] }),
  })
  async ofTopic(@Call() { caller, project: { projectId } }: MessagingCall, @Param('topic') name: string): Promise<Answer> {
    const timestamp = this.now();
    const missing = missingFor(caller, 'publisher', errors.topicNotFound);
    const { topicId } = found(await this.resources.topic(projectId, name), missing);
    await requireInAcl(this.resources, { projectId, id: topicId }, caller, 'publisher');
    const [traffic, subscriptions, days] = await Promise.all([
      this.traffic.ofTopic(topicId),
      this.resources.subscriptionsOf(projectId, name),
      this.traffic.recentDaysOfTopic(projectId, name),
    ]);
    const { messages = 0, bytes = 0, lastPublish, rate = 0 } = traffic ?? {};
    return metricsAnswer([
      metrics.subscriptionsOfTopic(name, { timestamp, value: subscriptions.length }),
      metrics.messagesOfTopic(name, { timestamp, value: messages }),
      metrics.bytesOfTopic(name, { timestamp, value: bytes }),
      metrics.dailyMessagesOfTopic(name, ...dailyPoints(days)),
      metrics.publishingRate(name, { timestamp: lastPublish ? wireInstant(lastPublish) : NEVER, value: rate }),
    ]);
  }

  @Get(`:project/subscriptions/${withVerb('subscription', 'metrics')}`, {
    id: 'getSubscriptionMetrics',
    summary: 'What was consumed from a subscription',
    who: CONSUMERS,
    answers: shows(METRICS, { metrics: [metrics.messagesOfSubscription('reader', COUNTED)] }),
  })
  async ofSubscription(@Call() { caller, project: { projectId } }: MessagingCall, @Param('subscription') name: string): Promise<Answer> {
    const timestamp = this.now();
    const missing = missingFor(caller, 'consumer', errors.subscriptionNotFound);
    const { subscriptionId } = found(await this.resources.subscription(projectId, name), missing);
    await requireInAcl(this.resources, { projectId, id: subscriptionId }, caller, 'consumer');
    const { messages = 0, bytes = 0, lastPull, rate = 0 } = (await this.traffic.ofSubscription({ projectId, subscriptionId })) ?? {};
    return metricsAnswer([
      metrics.messagesOfSubscription(name, { timestamp, value: messages }),
      metrics.bytesOfSubscription(name, { timestamp, value: bytes }),
      metrics.consumptionRate(name, { timestamp: lastPull ? wireInstant(lastPull) : NEVER, value: rate }),
    ]);
  }

  private now(): string {
    return wireInstant(new Date(this.clock()).toISOString());
  }
}

const metricsAnswer = (shown: readonly MetricView[]): Answer => json(j3({ metrics: shown }));

/** Error for a missing resource. For callers to whom ACLs apply it equals that for a forbidden one (messaging contract 1.7). */
const missingFor = (caller: MessagingCaller, role: 'publisher' | 'consumer', error: () => errors.MessagingError) =>
  onlyAccessible(caller, role) === undefined ? error : errors.forbidden;
