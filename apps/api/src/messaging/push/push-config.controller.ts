import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { empty } from '#api/messaging/answers.js';
import * as errors from '#api/messaging/errors.js';
import { MessagingRoute } from '#api/messaging/http-policy.js';
import { withVerb } from '#api/messaging/names.js';
import { BodyOf, CallerContext, Project } from '#api/messaging/parameters.js';
import { type Infer, struct } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { schemaOf } from '#api/shared/openapi/shape.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { ReplacePushConfiguration, VerifyPushEndpoint } from './push-commands.js';
import { pushConfigBody, requestedPush } from './push-configuration.js';

const modifyPushConfigBody = struct({ pushConfig: pushConfigBody });

/** Where the messages of a subscription are pushed to (messaging contract 4.9). */
@ApiTags('messaging: subscriptions')
@ApiSecurity('x-api-key')
@Controller('v1/projects/:project/subscriptions')
export class PushConfigController {
  constructor(private readonly bus: CommandBus) {}

  @Post(withVerb('subscription', 'modifyPushConfig'))
  @HttpCode(200)
  @MessagingRoute('subscriptions:modifyPushConfig')
  @ApiOperation({ summary: 'Replaces the push settings; without any, the subscription is pulled from now on' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: schemaOf(modifyPushConfigBody) })
  async modifyPushConfig(
    @CallerContext() context: CommandContext,
    @Project() { projectId }: ProjectReference,
    @Param('subscription') subscription: string,
    @BodyOf(modifyPushConfigBody, errors.invalidSubscriptionArguments) { pushConfig }: Infer<typeof modifyPushConfigBody>,
  ): Promise<Answer> {
    const replacement = new ReplacePushConfiguration(context, projectId, subscription, requestedPush(pushConfig));
    const { readable } = await this.bus.execute(replacement);
    return empty({ readable });
  }

  @Post(withVerb('subscription', 'verifyPushEndpoint'))
  @HttpCode(200)
  @MessagingRoute('subscriptions:verifyPushEndpoint', 'none')
  @ApiOperation({ summary: 'Asks the host of the push endpoint for the verification hash; with the right answer, messages are pushed' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async verifyPushEndpoint(
    @CallerContext() context: CommandContext,
    @Project() { projectId }: ProjectReference,
    @Param('subscription') subscription: string,
  ): Promise<Answer> {
    const { readable } = await this.bus.execute(new VerifyPushEndpoint(context, projectId, subscription));
    return empty({ readable });
  }
}
