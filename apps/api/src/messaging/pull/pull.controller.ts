import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { MessagingAccess } from '#api/messaging/access.js';
import { json } from '#api/messaging/answers/answers.js';
import { answerOf } from '#api/messaging/answers/streamed-body.js';
import { bodyFrom, largeBodyAs } from '#api/messaging/bodies.js';
import { AcknowledgeMessages } from '#api/messaging/cursors/commands.js';
import { PullMessages } from '#api/messaging/cursors/pull-messages.js';
import { ReservedMessages } from '#api/messaging/cursors/reserved-messages.js';
import { SubscriptionLookup } from '#api/messaging/cursors/subscription-lookup.js';
import { isShared, SharedSubscriptions } from '#api/messaging/deliveries/shared-subscriptions.js';
import * as errors from '#api/messaging/errors.js';
import { highestOffset, inOrder, pullAnswer } from '#api/messaging/messages/message-texts.js';
import { SubscribedMessages } from '#api/messaging/messages/selection/selected-messages.js';
import { withVerb } from '#api/messaging/names.js';
import { NOTHING, RECEIVED_MESSAGES } from '#api/messaging/openapi/components.js';
import { Call, type MessagingCall } from '#api/messaging/parameters.js';
import { PULLERS } from '#api/messaging/roles.js';
import { MessagingController, Post } from '#api/messaging/route.js';
import { type Answer, takenWithin } from '#api/shared/http/answer.js';
import { untilGone } from '#api/shared/http/connections/until-gone.js';
import { setPosition } from '#api/shared/http/headers/position-header.js';
import { memoryFor } from '#api/shared/http/reserved-answers.js';
import { shows } from '#api/shared/openapi/described.js';
import { acknowledgeBody, isWaiting, limitOf, pullBody } from './pull-body.js';
import { PullRights, requireTopic } from './pull-rights.js';

/** Longest time in which a client takes messages that hold memory: 28 KiB a second of the largest answer. */
const TAKEN_WITHIN_MS = 600_000;

type SubscriptionPath = Readonly<{ subscription: string }>;

/** Delivers messages to consumers that pull (messaging contract 3.8, 4.5, 4.6). */
@MessagingController('v1/projects/:project/subscriptions', 'messaging: messages')
export class PullController {
  constructor(
    private readonly bus: CommandBus,
    private readonly subscriptions: SubscriptionLookup,
    private readonly rights: PullRights,
    private readonly messages: SubscribedMessages,
    private readonly shared: SharedSubscriptions,
    private readonly access: MessagingAccess,
  ) {}

  /** Uses the reply directly: a waiting call ends with its connection, and its memory is held until the answer is sent. */
  @Post(withVerb('subscription', 'pull'), {
    id: 'pullMessages',
    summary: 'The messages from the offset of the subscription on',
    description:
      'They come again until they are acknowledged. `returnImmediately` false waits: up to 30 s for the first message, then up to 3 s until there are `maxMessages`.',
    who: PULLERS,
    body: pullBody,
    example: { maxMessages: '10', returnImmediately: 'true' },
    errors: [errors.pushDisabled(), errors.topicOfSubscriptionGone(), errors.invalidPullParameters(), errors.backendError()],
    answers: shows(RECEIVED_MESSAGES, {
      receivedMessages: [
        {
          ackId: 'projects/EGI/subscriptions/reader:0',
          message: { messageId: '0', attributes: { site: 'A' }, data: 'aGVsbG8=', publishTime: '2026-03-01T12:00:00.343Z' },
        },
      ],
    }),
  })
  async pull(@Call() call: MessagingCall, @Param() { subscription: name }: SubscriptionPath): Promise<Answer> {
    const { context, project, body, request, reply } = call;
    const gone = untilGone(reply);
    const reservation = memoryFor(reply, gone);
    const found = await this.rights.admit(call, name);
    const readable = requireTopic(found.ref);
    const { maxMessages, returnImmediately } = bodyFrom(body, pullBody, errors.invalidPullParameters);
    const wait = isWaiting(returnImmediately);
    const refused = wait ? request.server.longCalls.follow(request, reply, this.rights.again(call, name)) : undefined;
    const signal = refused ? AbortSignal.any([gone, refused]) : gone;
    const admitAgain = async () => request.routeOptions.config.policy?.admitAgain(request);
    const requireThere = async () => {
      await admitAgain();
      try {
        const now = await this.subscriptions.byName(project, name);
        return { ...now, ref: requireTopic(now.ref) };
      } catch (error) {
        await this.access.level(); // the project may be gone, which another read model shows
        await admitAgain();
        throw error;
      }
    };
    if (isShared(found)) {
      const asked = { limit: limitOf(maxMessages), wait, signal, reservation, requireThere };
      const answer = await this.shared.pull({ request, reply, context, project, found }, asked);
      refused?.throwIfAborted();
      if (reservation.isHeld) takenWithin(reply, TAKEN_WITHIN_MS);
      return answer;
    }
    const source = new ReservedMessages(this.messages.wire(readable), reservation);
    const isThere = async () => {
      const { ref } = await requireThere();
      return ref.subscriptionId === readable.subscriptionId && ref.topicId === readable.topicId;
    };
    const options = { source, limit: limitOf(maxMessages), wait, signal, isThere };
    const pulled = await this.bus.execute(new PullMessages(context, { subscription: readable, options }));
    refused?.throwIfAborted();
    if (pulled?.asOf !== undefined) setPosition(reply, pulled.asOf);
    const named = await this.access.renamed(project);
    if (reservation.isHeld) takenWithin(reply, TAKEN_WITHIN_MS);
    return answerOf(pullAnswer(named, name, (pulled?.messages ?? []).map(inOrder)), { readable: pulled?.readable ?? true });
  }

  @Post(withVerb('subscription', 'acknowledge'), {
    id: 'acknowledgeMessages',
    summary: 'Acknowledges what was pulled, up to the last of the messages named',
    who: PULLERS,
    limit: 'document',
    body: acknowledgeBody,
    example: { ackIds: ['projects/EGI/subscriptions/reader:0'] },
    errors: [errors.invalidAckParameter(), errors.invalidAckId(), errors.ackTimeout(), errors.noAckPending(), errors.wrongAck()],
    answers: shows(NOTHING, {}),
  })
  async acknowledge(
    @Call() { context, caller, project, body, request, reply }: MessagingCall,
    @Param() { subscription: name }: SubscriptionPath,
  ): Promise<Answer> {
    const { ackIds } = await largeBodyAs(body, acknowledgeBody, errors.invalidAckParameter);
    const found = await this.subscriptions.byName(project, name);
    await this.rights.requireForAcknowledgement(caller, project, found.subscription);
    if (isShared(found)) return this.shared.acknowledge({ request, reply, context, project, found }, ackIds);
    const { subscription, ref } = found;
    const highest = await highestOffset(project, name, ackIds);
    if (highest === undefined) throw errors.invalidAckId();
    const { readable } = await this.bus.execute(
      new AcknowledgeMessages(context, { subscription: ref, highest, ackDeadlineSeconds: subscription.ackDeadlineSeconds }),
    );
    return json('{}', { readable });
  }
}
