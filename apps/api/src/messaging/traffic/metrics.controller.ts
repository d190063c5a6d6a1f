import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccountReader } from '#api/messaging/accounts/account-reader.js';
import * as errors from '#api/messaging/errors.js';
import { MessagingRoute, messagingCall, projectOf } from '#api/messaging/http-policy.js';
import { withVerb } from '#api/messaging/names.js';
import { inParts } from '#api/messaging/pagination.js';
import { ResourceReader } from '#api/messaging/resources/resource-reader.js';
import { sendJ3 } from '#api/messaging/responses.js';
import { onlyAccessible } from '#api/messaging/visibility.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { wireInstant } from '#projections/messaging/layout.js';
import { TrafficQueries } from '#projections/messaging/traffic/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { dailyPoints, type MetricView, metrics, NEVER } from './metric-views.js';
import { MetricsReader } from './metrics-reader.js';

/** Metrics of projects, topics and subscriptions (messaging contract 3.9). */
@ApiTags('messaging: metrics')
@ApiSecurity('x-api-key')
@Controller('v1/projects')
export class MetricsController {
  private readonly reader: MetricsReader;
  private readonly resources: ResourceReader;
  private readonly accounts: AccountReader;

  constructor(
    @Inject(READ_STORE) store: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly traffic: TrafficQueries,
  ) {
    this.reader = new MetricsReader(store);
    this.resources = new ResourceReader(store);
    this.accounts = new AccountReader(store);
  }

  @Get(withVerb('project', 'metrics'))
  @MessagingRoute('projects:metrics')
  @ApiOperation({ summary: 'How many topics, subscriptions and messages a project has, and what its members have access to' })
  async ofProject(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const project = projectOf(request);
    const timestamp = this.now();
    const [totals, topics, subscriptions, members, days] = await Promise.all([
      this.reader.totals(project),
      this.reader.accessible(project, 'topics'),
      this.reader.accessible(project, 'subscriptions'),
      this.membersOf(project),
      this.traffic.recentDaysOfProject(project.projectId),
    ]);
    const ofMembers = (metric: typeof metrics.topicsOfMember, counts: ReadonlyMap<string, number>): readonly MetricView[] =>
      members.flatMap(({ userId, name }) => {
        const value = counts.get(userId);
        return value === undefined ? [] : [metric(`${project.name}.${name}`, { timestamp, value })];
      });
    sendJ3(reply, {
      metrics: [
        metrics.topicsOfProject(project.name, { timestamp, value: totals.topics }),
        metrics.subscriptionsOfProject(project.name, { timestamp, value: totals.subscriptions }),
        ...ofMembers(metrics.topicsOfMember, topics),
        ...ofMembers(metrics.subscriptionsOfMember, subscriptions),
        metrics.dailyMessagesOfProject(project.name, ...dailyPoints(days)),
      ],
    });
  }

  @Get(`:project/topics/${withVerb('topic', 'metrics')}`)
  @MessagingRoute('topics:metrics')
  @ApiOperation({ summary: 'What was published to a topic' })
  async ofTopic(
    @Param() { topic: name }: Readonly<{ topic: string }>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const project = projectOf(request);
    const timestamp = this.now();
    const { topicId } = await this.accessible(
      request,
      'publisher',
      () => this.resources.topic(project, name),
      ({ topicId }) => topicId,
    );
    const [traffic, subscriptions, days] = await Promise.all([
      this.traffic.ofTopic(topicId),
      this.resources.subscriptionsOf(project, name),
      this.traffic.recentDaysOfTopic(project.projectId, name),
    ]);
    const { messages = 0, bytes = 0, lastPublish, rate = 0 } = traffic ?? {};
    sendJ3(reply, {
      metrics: [
        metrics.subscriptionsOfTopic(name, { timestamp, value: subscriptions.length }),
        metrics.messagesOfTopic(name, { timestamp, value: messages }),
        metrics.bytesOfTopic(name, { timestamp, value: bytes }),
        metrics.dailyMessagesOfTopic(name, ...dailyPoints(days)),
        metrics.publishingRate(name, { timestamp: lastPublish ? wireInstant(lastPublish) : NEVER, value: rate }),
      ],
    });
  }

  @Get(`:project/subscriptions/${withVerb('subscription', 'metrics')}`)
  @MessagingRoute('subscriptions:metrics')
  @ApiOperation({ summary: 'What was consumed from a subscription' })
  async ofSubscription(
    @Param() { subscription: name }: Readonly<{ subscription: string }>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const project = projectOf(request);
    const timestamp = this.now();
    const { subscriptionId } = await this.accessible(
      request,
      'consumer',
      () => this.resources.subscription(project, name),
      (subscription) => subscription.subscriptionId,
    );
    const {
      messages = 0,
      bytes = 0,
      lastPull,
      rate = 0,
    } = (await this.traffic.ofSubscription({ projectId: project.projectId, subscriptionId })) ?? {};
    sendJ3(reply, {
      metrics: [
        metrics.messagesOfSubscription(name, { timestamp, value: messages }),
        metrics.bytesOfSubscription(name, { timestamp, value: bytes }),
        metrics.consumptionRate(name, { timestamp: lastPull ? wireInstant(lastPull) : NEVER, value: rate }),
      ],
    });
  }

  /** Without what metrics do not show of them. */
  private async membersOf({ projectId }: ProjectReference): Promise<readonly Readonly<{ userId: string; name: string }>[]> {
    const members: Readonly<{ userId: string; name: string }>[] = [];
    for await (const { items } of inParts((page) => this.accounts.listUsers(page, projectId), { size: 0, counted: false }))
      for (const { userId, name } of items) members.push({ userId, name });
    return members;
  }

  private now(): string {
    return wireInstant(new Date(this.clock()).toISOString());
  }

  /**
   * A topic or subscription, if its ACL lets the caller see it. To whom an ACL applies, what does not exist is as forbidden as what does
   * (messaging contract 1.7). @throws MessagingError F01, N03, N04
   */
  private async accessible<Document>(
    request: FastifyRequest,
    role: 'publisher' | 'consumer',
    find: () => Promise<Document>,
    idOf: (document: Document) => string,
  ): Promise<Document> {
    const user = onlyAccessible(messagingCall(request).caller, role);
    if (user === undefined) return find();
    const found = await find().catch((error: unknown) => {
      throw error instanceof errors.MessagingError ? errors.forbidden() : error;
    });
    if (!(await this.resources.acl(projectOf(request), idOf(found))).includes(user)) throw errors.forbidden();
    return found;
  }
}
