import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { done } from '#api/messaging/answers/answers.js';
import * as errors from '#api/messaging/errors.js';
import { withVerb } from '#api/messaging/names.js';
import { DONE } from '#api/messaging/openapi/done.js';
import { BodyOf, Call, type MessagingCall } from '#api/messaging/parameters.js';
import { pushConfigBody, requestedPush } from '#api/messaging/resources/push-configuration.js';
import { ADMINS } from '#api/messaging/roles.js';
import { MessagingController, Post } from '#api/messaging/route.js';
import { type Infer, named, struct } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { ReplacePushConfiguration, VerifyPushEndpoint } from './push-commands.js';

const modifyPushConfigBody = named('MessagingPushConfigRequest', struct({ pushConfig: pushConfigBody }));

/** Push settings of subscriptions (messaging contract 4.9). */
@MessagingController('v1/projects/:project/subscriptions', 'messaging: subscriptions')
export class PushConfigController {
  constructor(private readonly bus: CommandBus) {}

  @Post(withVerb('subscription', 'modifyPushConfig'), {
    id: 'modifyPushConfig',
    summary: 'Replaces the push settings; without any, the subscription is pulled from now on',
    who: ADMINS,
    body: modifyPushConfigBody,
    example: {
      pushConfig: { type: 'http_endpoint', pushEndpoint: 'https://receiver.example.org/in', retryPolicy: { type: 'linear', period: 3000 } },
    },
    errors: [errors.invalidSubscriptionArguments(), ...errors.ofPushSettings()],
    answers: DONE,
  })
  async modifyPushConfig(
    @Call() { context, project: { projectId } }: MessagingCall,
    @Param('subscription') subscription: string,
    @BodyOf(modifyPushConfigBody, errors.invalidSubscriptionArguments) { pushConfig }: Infer<typeof modifyPushConfigBody>,
  ): Promise<Answer> {
    const replacement = new ReplacePushConfiguration(context, { projectId, subscription, push: requestedPush(pushConfig) });
    return done(this.bus.execute(replacement));
  }

  @Post(withVerb('subscription', 'verifyPushEndpoint'), {
    id: 'verifyPushEndpoint',
    summary: 'Asks the host of the push endpoint for the verification hash; with the right answer, messages are pushed',
    who: ADMINS,
    limit: 'none',
    errors: [
      errors.pushDisabled(),
      errors.pushUnavailable(),
      errors.notInPushMode(),
      errors.alreadyVerified(),
      errors.verificationFailed('Wrong verification hash'),
    ],
    answers: DONE,
  })
  async verifyPushEndpoint(
    @Call() { context, project: { projectId } }: MessagingCall,
    @Param('subscription') subscription: string,
  ): Promise<Answer> {
    return done(this.bus.execute(new VerifyPushEndpoint(context, { projectId, subscription })));
  }
}
