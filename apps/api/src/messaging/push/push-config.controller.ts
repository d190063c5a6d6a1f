import { Controller, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyAs } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { MessagingRoute, projectOf } from '#api/messaging/http-policy.js';
import { withVerb } from '#api/messaging/names.js';
import { ResourceReader } from '#api/messaging/resources/resource-reader.js';
import { ResourceWriter } from '#api/messaging/resources/resource-writer.js';
import { sendEmpty } from '#api/messaging/responses.js';
import { struct } from '#api/shared/bodies/body-shape.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { PushAvailability } from './push-availability.js';
import { pushConfigBody } from './push-configuration.js';

const modifyPushConfigBody = struct({ pushConfig: pushConfigBody });

type Params = Readonly<{ subscription: string }>;

/** Where the messages of a subscription are pushed to (messaging contract 4.9). */
@ApiTags('messaging: subscriptions')
@ApiSecurity('x-api-key')
@Controller('v1/projects/:project/subscriptions')
export class PushConfigController {
  private readonly reader: ResourceReader;
  private readonly writer: ResourceWriter;

  constructor(
    commands: CommandBus,
    private readonly push: PushAvailability,
    @Inject(READ_STORE) store: ReadStore,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.reader = new ResourceReader(store);
    this.writer = new ResourceWriter(commands, clock);
  }

  @Post(withVerb('subscription', 'modifyPushConfig'))
  @HttpCode(200)
  @MessagingRoute('subscriptions:modifyPushConfig')
  @ApiOperation({ summary: 'Replaces the push settings; without any, the subscription is pulled from now on' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: modifyPushConfigBody.schema })
  async modifyPushConfig(@Param() { subscription }: Params, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { pushConfig } = bodyAs(request, modifyPushConfigBody, errors.invalidSubscriptionArguments);
    await this.reader.subscription(projectOf(request), subscription);
    const push = await this.push.requested(pushConfig);
    await this.writer.write(request, reply, { type: 'ReplacePushConfiguration', subscription, push });
    sendEmpty(reply);
  }

  @Post(withVerb('subscription', 'verifyPushEndpoint'))
  @HttpCode(200)
  @MessagingRoute('subscriptions:verifyPushEndpoint', 'none')
  @ApiOperation({ summary: 'Asks the host of the push endpoint for the verification hash; with the right answer, messages are pushed' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async verifyPushEndpoint(@Param() { subscription }: Params, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.push.requireAvailable();
    const { push } = await this.reader.subscription(projectOf(request), subscription);
    if (push?.type !== 'http_endpoint') throw errors.notInPushMode();
    // One that is verified is left to the decider, which knows whether this is the same call once more.
    const failure = push.verified ? undefined : await this.push.verify(push);
    if (failure !== undefined) throw errors.verificationFailed(failure);
    await this.writer.write(request, reply, { type: 'VerifyPushEndpoint', subscription, verificationHash: push.verificationHash });
    sendEmpty(reply);
  }
}
