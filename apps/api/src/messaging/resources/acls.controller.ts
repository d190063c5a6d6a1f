import { Controller, Get, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccountReader } from '#api/messaging/accounts/account-reader.js';
import { bodyAs } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { MessagingRoute, projectOf } from '#api/messaging/http-policy.js';
import { LIMITS } from '#api/messaging/limits.js';
import { withVerb } from '#api/messaging/names.js';
import { sendEmpty, sendJ3 } from '#api/messaging/responses.js';
import { list, optional, struct, text } from '#api/shared/bodies/body-shape.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { ResourceReader } from './resource-reader.js';
import { ResourceWriter } from './resource-writer.js';

type TopicPath = Readonly<{ topic: string }>;
type SubscriptionPath = Readonly<{ subscription: string }>;

const aclBody = struct({ authorized_users: optional(list(text)) });

/** Who may publish to a topic and pull from a subscription (messaging contract 1.7, 3.5, 3.7). */
@ApiTags('messaging: access')
@ApiSecurity('x-api-key')
@Controller('v1/projects/:project')
export class AclsController {
  private readonly reader: ResourceReader;
  private readonly accounts: AccountReader;
  private readonly writer: ResourceWriter;

  constructor(commands: CommandBus, @Inject(READ_STORE) store: ReadStore, @Inject(CLOCK) clock: Clock) {
    this.reader = new ResourceReader(store);
    this.accounts = new AccountReader(store);
    this.writer = new ResourceWriter(commands, clock);
  }

  @Get(`topics/${withVerb('topic', 'acl')}`)
  @MessagingRoute('topics:acl')
  @ApiOperation({ summary: 'The names of the users in the ACL of a topic' })
  async ofTopic(@Param() { topic }: TopicPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { topicId } = await this.reader.topic(projectOf(request), topic);
    await this.show(request, reply, topicId);
  }

  @Get(`subscriptions/${withVerb('subscription', 'acl')}`)
  @MessagingRoute('subscriptions:acl')
  @ApiOperation({ summary: 'The names of the users in the ACL of a subscription' })
  async ofSubscription(
    @Param() { subscription }: SubscriptionPath,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { subscriptionId } = await this.reader.subscription(projectOf(request), subscription);
    await this.show(request, reply, subscriptionId);
  }

  @Post(`topics/${withVerb('topic', 'modifyAcl')}`)
  @HttpCode(200)
  @MessagingRoute('topics:modifyAcl')
  @ApiOperation({ summary: 'Replaces the ACL of a topic; all users must be members of the project' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: aclBody.schema })
  async setOfTopic(@Param() { topic }: TopicPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const users = await this.usersOf(request, errors.invalidTopicAcl);
    await this.writer.write(request, reply, { type: 'ReplaceTopicAcl', topic, users });
    sendEmpty(reply);
  }

  @Post(`subscriptions/${withVerb('subscription', 'modifyAcl')}`)
  @HttpCode(200)
  @MessagingRoute('subscriptions:modifyAcl')
  @ApiOperation({ summary: 'Replaces the ACL of a subscription; all users must be members of the project' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: aclBody.schema })
  async setOfSubscription(
    @Param() { subscription }: SubscriptionPath,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const users = await this.usersOf(request, errors.invalidSubscriptionAcl);
    await this.writer.write(request, reply, { type: 'ReplaceSubscriptionAcl', subscription, users });
    sendEmpty(reply);
  }

  /** Users by the names they have now; those who are gone are left out. */
  private async show(request: FastifyRequest, reply: FastifyReply, id: string): Promise<void> {
    const ids = await this.reader.acl(projectOf(request), id);
    const names = await this.accounts.namesOf(ids);
    sendJ3(reply, { authorized_users: ids.flatMap((user) => names.get(user) ?? []) });
  }

  /** The ids of the users that the body names. @throws MessagingError `malformed`, N08, or that there are too many */
  private async usersOf(request: FastifyRequest, malformed: () => errors.MessagingError): Promise<readonly string[]> {
    const { authorized_users: names } = bodyAs(request, aclBody, malformed);
    if (!names) throw malformed();
    const { usersPerAcl } = LIMITS;
    if (names.length > usersPerAcl.value)
      throw errors.limitExceeded(`An ACL has at most ${usersPerAcl.value.toLocaleString('en-US')} users`);
    const users = await this.accounts.membersNamed(projectOf(request).projectId, names);
    const missing = names.filter((_name, index) => users[index] === undefined);
    if (missing.length > 0) throw errors.usersNotFound(missing);
    return users.flatMap((user) => user ?? []);
  }
}
