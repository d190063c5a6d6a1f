import { randomUUID } from 'node:crypto';
import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyAs } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { MessagingRoute, messagingCall, projectOf } from '#api/messaging/http-policy.js';
import { mapParts, sendListParts } from '#api/messaging/long-list.js';
import { MessageLog } from '#api/messaging/messages/message-log.js';
import { withVerb } from '#api/messaging/names.js';
import { inParts, pageOf } from '#api/messaging/pagination.js';
import { PushAvailability } from '#api/messaging/push/push-availability.js';
import { pushConfigBody } from '#api/messaging/push/push-configuration.js';
import { referencedTopic } from '#api/messaging/references.js';
import { sendEmpty, sendJ3, sendJC } from '#api/messaging/responses.js';
import { onlyAccessible } from '#api/messaging/visibility.js';
import { integer, struct, text } from '#api/shared/bodies/body-shape.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import { wireInstant } from '#projections/messaging/layout.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { ResourceReader } from './resource-reader.js';
import { subscriptionView } from './resource-views.js';
import { ResourceWriter } from './resource-writer.js';

type SubscriptionPath = Readonly<{ subscription: string }>;
type Parameters = Readonly<Record<string, unknown>>;

const subscriptionBody = struct({ topic: text, ackDeadlineSeconds: integer, pushConfig: pushConfigBody });
const deadlineBody = struct({ ackDeadlineSeconds: integer });

/** Seconds. */
const DEFAULT_DEADLINE = 10;
const LONGEST_DEADLINE = 600;

/** @throws MessagingError B12 */
const requireDeadline = (seconds: number): void => {
  if (seconds < 0 || seconds > LONGEST_DEADLINE) throw errors.invalidAckDeadline();
};

/** Subscriptions, but for their messages, ACLs, push settings and metrics (messaging contract 3.7). */
@ApiTags('messaging: subscriptions')
@ApiSecurity('x-api-key')
@Controller('v1/projects/:project/subscriptions')
export class SubscriptionsController {
  private readonly reader: ResourceReader;
  private readonly writer: ResourceWriter;

  constructor(
    commands: CommandBus,
    @Inject(READ_STORE) store: ReadStore,
    @Inject(CLOCK) clock: Clock,
    private readonly push: PushAvailability,
    private readonly log: MessageLog,
  ) {
    this.reader = new ResourceReader(store);
    this.writer = new ResourceWriter(commands, clock);
  }

  @Get()
  @MessagingRoute('subscriptions:list')
  @ApiOperation({ summary: 'The subscriptions of a project, newest first; consumers see those they may pull from' })
  @ApiQuery({ name: 'pageSize', required: false, description: 'How many; all of them when absent or not positive' })
  @ApiQuery({ name: 'pageToken', required: false, description: '`nextPageToken` of the page before' })
  async list(@Query() query: Parameters, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const page = pageOf(query);
    const project = projectOf(request);
    const accessibleTo = onlyAccessible(messagingCall(request).caller, 'consumer');
    const parts = inParts((part) => this.reader.subscriptions(project, part, accessibleTo), page);
    const shown = mapParts(parts, async (items) => items.map((item) => subscriptionView(project, item)));
    await sendListParts(reply, 'subscriptions', shown);
  }

  @Get(':subscription')
  @MessagingRoute('subscriptions:show')
  @ApiOperation({ summary: 'One subscription' })
  async show(@Param() { subscription: name }: SubscriptionPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const project = projectOf(request);
    const subscription = await this.reader.subscription(project, name);
    const status = await this.push.statusOf(project, subscription);
    sendJ3(reply, subscriptionView(project, subscription, status));
  }

  @Put(':subscription')
  @MessagingRoute('subscriptions:create')
  @ApiOperation({ summary: 'Creates a subscription to a topic: it gets the messages published from now on' })
  @ApiBody({ schema: subscriptionBody.schema })
  async create(
    @Param() { subscription: name }: SubscriptionPath,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const project = projectOf(request);
    const { topic: reference, ackDeadlineSeconds, pushConfig } = bodyAs(request, subscriptionBody, errors.invalidSubscriptionArguments);
    requireDeadline(ackDeadlineSeconds);
    const { name: topic, topicId } = await this.reader.topic(project, referencedTopic(reference, project));
    const push = await this.push.requested(pushConfig);
    const [created] = await this.writer.write(request, reply, {
      type: 'CreateSubscription',
      subscriptionId: randomUUID(),
      name,
      topic,
      topicId,
      startOffset: await this.log.head(topicId),
      ackDeadlineSeconds: ackDeadlineSeconds || DEFAULT_DEADLINE,
      push,
    });
    if (created?.type !== 'SubscriptionCreated') throw new Error('a creation made no subscription');
    sendJ3(reply, subscriptionView(project, { ...created.data, createdOn: wireInstant(created.metadata.time) }));
  }

  @Delete(':subscription')
  @MessagingRoute('subscriptions:delete')
  @ApiOperation({ summary: 'Deletes a subscription' })
  async delete(
    @Param() { subscription: name }: SubscriptionPath,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const project = projectOf(request);
    const subscription = await this.reader.subscription(project, name);
    await this.writer.write(request, reply, { type: 'DeleteSubscription', name });
    const body = this.push.deleteReply(project, subscription);
    if (body) sendJC(reply, body);
    else sendEmpty(reply);
  }

  @Post(withVerb('subscription', 'modifyAckDeadline'))
  @HttpCode(200)
  @MessagingRoute('subscriptions:modifyAckDeadline')
  @ApiOperation({ summary: 'Sets how long consumers have to acknowledge, in seconds; also for what is out' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: deadlineBody.schema })
  async modifyAckDeadline(
    @Param() { subscription }: SubscriptionPath,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { ackDeadlineSeconds } = bodyAs(request, deadlineBody, errors.invalidAckDeadline);
    requireDeadline(ackDeadlineSeconds);
    await this.writer.write(request, reply, { type: 'ModifyAckDeadline', subscription, ackDeadlineSeconds });
    sendEmpty(reply);
  }
}
