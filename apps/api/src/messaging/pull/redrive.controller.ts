import { Param } from '@nestjs/common';
import { bodyFrom } from '#api/messaging/bodies.js';
import { SharedSubscriptions } from '#api/messaging/deliveries/shared-subscriptions.js';
import * as errors from '#api/messaging/errors.js';
import { LIMITS } from '#api/messaging/limits.js';
import { withVerb } from '#api/messaging/names.js';
import { Call, type MessagingCall } from '#api/messaging/parameters.js';
import { PULLERS } from '#api/messaging/roles.js';
import { MessagingController, Post } from '#api/messaging/route.js';
import type { Answer } from '#api/shared/http/answer.js';
import { shows } from '#api/shared/openapi/described.js';
import { doc } from '#domain/shared/shape.js';
import { limitOf, redriveBody } from './pull-body.js';
import { PullRights } from './pull-rights.js';

/** Sends dead letters back to their topics (messaging contract 7.2). */
@MessagingController('v1/projects/:project/subscriptions', 'messaging: messages')
export class RedriveController {
  constructor(
    private readonly rights: PullRights,
    private readonly shared: SharedSubscriptions,
  ) {}

  @Post(withVerb('subscription', 'redrive'), {
    id: 'redriveDeadLetters',
    summary: 'Publishes dead letters to the topics that they come from, and acknowledges them',
    description:
      'Of a subscription to a dead letter topic. They lose the attributes that they got there. Messages that are none, or whose subscription is gone, stay.',
    who: PULLERS,
    body: redriveBody,
    example: { maxMessages: 100 },
    errors: [errors.invalidPullParameters(), errors.topicOfSubscriptionGone()],
    answers: shows({ redriven: doc('count', 'messages that were published again') }, { redriven: 12 }),
  })
  async redrive(
    @Call() { context, caller, project, body, request, reply }: MessagingCall,
    @Param('subscription') name: string,
  ): Promise<Answer> {
    const found = await this.rights.admit({ caller, project }, name);
    const { maxMessages } = bodyFrom(body, redriveBody, errors.invalidPullParameters);
    if (found.ref.topicId === null) throw errors.topicOfSubscriptionGone();
    const most = maxMessages === '' ? LIMITS.messagesPerRedrive.value : Math.min(limitOf(maxMessages), LIMITS.messagesPerRedrive.value);
    return this.shared.redrive({ request, reply, context, project, found }, most);
  }
}
