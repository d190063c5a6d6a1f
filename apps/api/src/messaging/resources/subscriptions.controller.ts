import { Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { empty, json } from '#api/messaging/answers.js';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { type MessagingCaller, MessagingRoute } from '#api/messaging/http-policy.js';
import { listAnswer, mapParts } from '#api/messaging/long-list.js';
import { withVerb } from '#api/messaging/names.js';
import { inParts } from '#api/messaging/pagination.js';
import { BodyOf, Caller, CallerContext, PageQuery, Project } from '#api/messaging/parameters.js';
import { PushAvailability } from '#api/messaging/push/push-availability.js';
import { pushConfigBody, requestedPush } from '#api/messaging/push/push-configuration.js';
import { referencedTopic } from '#api/messaging/references.js';
import { onlyAccessible } from '#api/messaging/visibility.js';
import { type Infer, integer, struct, text } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { schemaOf } from '#api/shared/openapi/shape.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { j3, jc } from '#projections/messaging/layout.js';
import type { Page } from '#projections/messaging/newest-first.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { subscriptionView } from './resource-views.js';
import { CreateSubscription, DeleteSubscription, ModifyAckDeadline } from './subscription-commands.js';

const subscriptionBody = struct({ topic: text, ackDeadlineSeconds: integer, pushConfig: pushConfigBody });
const deadlineBody = struct({ ackDeadlineSeconds: integer });

const DEFAULT_DEADLINE_SECONDS = 10;
const LONGEST_DEADLINE_SECONDS = 600;

/** @throws MessagingError B12 */
const requireDeadline = (seconds: number): void => {
  if (seconds < 0 || seconds > LONGEST_DEADLINE_SECONDS) throw errors.invalidAckDeadline();
};

/** Subscriptions without their messages, ACLs, push settings and metrics (messaging contract 3.7). */
@ApiTags('messaging: subscriptions')
@ApiSecurity('x-api-key')
@Controller('v1/projects/:project/subscriptions')
export class SubscriptionsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly resources: ResourceQueries,
    private readonly push: PushAvailability,
  ) {}

  @Get()
  @MessagingRoute('subscriptions:list')
  @ApiOperation({ summary: 'The subscriptions of a project, newest first; consumers see those they may pull from' })
  @ApiQuery({ name: 'pageSize', required: false, description: 'How many; all of them when absent or not positive' })
  @ApiQuery({ name: 'pageToken', required: false, description: '`nextPageToken` of the page before' })
  list(@PageQuery() page: Page, @Project() project: ProjectReference, @Caller() caller: MessagingCaller): Promise<Answer> {
    const accessibleTo = onlyAccessible(caller, 'consumer');
    const parts = inParts((part) => this.resources.subscriptions(project.projectId, part, accessibleTo), page);
    return listAnswer(
      'subscriptions',
      mapParts(parts, async (items) => items.map((item) => subscriptionView(project, item))),
    );
  }

  @Get(':subscription')
  @MessagingRoute('subscriptions:show')
  @ApiOperation({ summary: 'One subscription' })
  async show(@Project() project: ProjectReference, @Param('subscription') name: string): Promise<Answer> {
    const subscription = found(await this.resources.subscription(project.projectId, name), errors.subscriptionNotFound);
    const status = await this.push.statusOf(project, subscription);
    return json(j3(subscriptionView(project, subscription, status)));
  }

  @Put(':subscription')
  @MessagingRoute('subscriptions:create')
  @ApiOperation({ summary: 'Creates a subscription to a topic: it gets the messages published from now on' })
  @ApiBody({ schema: schemaOf(subscriptionBody) })
  async create(
    @CallerContext() context: CommandContext,
    @Project() project: ProjectReference,
    @Param('subscription') name: string,
    @BodyOf(subscriptionBody, errors.invalidSubscriptionArguments) body: Infer<typeof subscriptionBody>,
  ): Promise<Answer> {
    const { ackDeadlineSeconds, pushConfig } = body;
    requireDeadline(ackDeadlineSeconds);
    const topic = referencedTopic(body.topic, project);
    const settings = { topic, ackDeadlineSeconds: ackDeadlineSeconds || DEFAULT_DEADLINE_SECONDS, push: requestedPush(pushConfig) };
    const { subscription, readable } = await this.bus.execute(new CreateSubscription(context, project.projectId, name, settings));
    return json(j3(subscriptionView(project, subscription)), { readable });
  }

  @Delete(':subscription')
  @MessagingRoute('subscriptions:delete')
  @ApiOperation({ summary: 'Deletes a subscription' })
  async delete(
    @CallerContext() context: CommandContext,
    @Project() project: ProjectReference,
    @Param('subscription') name: string,
  ): Promise<Answer> {
    const { deleted, readable } = await this.bus.execute(new DeleteSubscription(context, project.projectId, name));
    const body = this.push.deleteReply(project, deleted);
    return body ? json(jc(body), { readable }) : empty({ readable });
  }

  @Post(withVerb('subscription', 'modifyAckDeadline'))
  @HttpCode(200)
  @MessagingRoute('subscriptions:modifyAckDeadline')
  @ApiOperation({ summary: 'Sets how long consumers have to acknowledge, in seconds; also for what is out' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: schemaOf(deadlineBody) })
  async modifyAckDeadline(
    @CallerContext() context: CommandContext,
    @Project() { projectId }: ProjectReference,
    @Param('subscription') subscription: string,
    @BodyOf(deadlineBody, errors.invalidAckDeadline) { ackDeadlineSeconds }: Infer<typeof deadlineBody>,
  ): Promise<Answer> {
    requireDeadline(ackDeadlineSeconds);
    const { readable } = await this.bus.execute(new ModifyAckDeadline(context, projectId, subscription, ackDeadlineSeconds));
    return empty({ readable });
  }
}
