import { Controller, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyAs, largeBodyAs } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { MessagingRoute, messagingCall, projectOf } from '#api/messaging/http-policy.js';
import { highestOffset, pullAnswer } from '#api/messaging/messages/message-texts.js';
import { WireMessages } from '#api/messaging/messages/wire-messages.js';
import { MessagingWriter } from '#api/messaging/messaging-writer.js';
import { withVerb } from '#api/messaging/names.js';
import { PushAvailability } from '#api/messaging/push/push-availability.js';
import { ResourceReader } from '#api/messaging/resources/resource-reader.js';
import { sendJC } from '#api/messaging/responses.js';
import { onlyAccessible } from '#api/messaging/visibility.js';
import { noteReadability } from '#api/shared/http/read-model-header.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { SubscriptionDocument } from '#projections/messaging/resources/resource-documents.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { AnswerPages } from './answer-pages.js';
import { findConsumer } from './consumer-lookup.js';
import { type Consumer, Consumption } from './consumption.js';
import { AnswerRoom } from './held-answer.js';
import { sendPaced } from './paced-answer.js';
import { acknowledgeBody, limitOf, pullBody } from './pull-body.js';

type SubscriptionPath = Readonly<{ subscription: string }>;

const isGone = ({ socket }: FastifyReply['raw']): boolean => socket?.destroyed !== false;

/** Aborted when the connection ends before the answer. */
const untilGone = ({ raw }: FastifyReply): AbortSignal => {
  const gone = new AbortController();
  if (isGone(raw)) gone.abort();
  raw.once('close', () => {
    if (!raw.writableEnded) gone.abort();
  });
  return gone.signal;
};

/** @throws MessagingError C06 */
const topicOf = ({ topicId }: Consumer): string => {
  if (topicId === null) throw errors.topicOfSubscriptionGone();
  return topicId;
};

/** Hands messages out (messaging contract 3.8, 4.5, 4.6). */
@ApiTags('messaging: messages')
@ApiSecurity('x-api-key')
@Controller('v1/projects/:project/subscriptions')
export class ConsumptionController {
  private readonly reader: ResourceReader;
  private readonly writer: MessagingWriter;

  constructor(
    commands: CommandBus,
    @Inject(READ_STORE) store: ReadStore,
    @Inject(CLOCK) clock: Clock,
    private readonly consumption: Consumption,
    private readonly push: PushAvailability,
    private readonly pages: WireMessages,
    private readonly answers: AnswerRoom,
  ) {
    this.reader = new ResourceReader(store);
    this.writer = new MessagingWriter(commands, clock);
  }

  @Post(withVerb('subscription', 'pull'))
  @HttpCode(200)
  @MessagingRoute('subscriptions:pull')
  @ApiOperation({
    summary: 'The messages from the offset of the subscription on',
    description:
      'They come again until they are acknowledged. `returnImmediately` false waits: up to 30 s for the first message, then up to 3 s until there are `maxMessages`.',
  })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: pullBody.schema })
  async pull(@Param() { subscription: name }: SubscriptionPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const signal = untilGone(reply);
    const project = projectOf(request);
    const answer = this.answers.open(project.projectId, signal);
    if (signal.aborted) answer.close();
    else reply.raw.once('close', () => answer.close());
    const { subscription, consumer } = await findConsumer(this.reader, project, name);
    await this.requireMayPull(request, subscription);
    const topicId = topicOf(consumer);
    const { maxMessages, returnImmediately } = bodyAs(request, pullBody, errors.invalidPullParameters);
    const wanted = {
      limit: limitOf(maxMessages),
      wait: returnImmediately === 'false',
      pages: new AnswerPages(this.pages, answer),
    };
    const pulled = await this.consumption.pull({ ...consumer, topicId }, wanted, this.writer.context(request), signal);
    if (wanted.wait && pulled?.messages.length === 0) topicOf((await findConsumer(this.reader, project, name)).consumer); // gone meanwhile?
    noteReadability(reply, pulled?.readable ?? true);
    sendPaced(reply, pullAnswer(project, name, pulled?.messages ?? []));
  }

  @Post(withVerb('subscription', 'acknowledge'))
  @HttpCode(200)
  @MessagingRoute('subscriptions:acknowledge', 'document')
  @ApiOperation({ summary: 'Acknowledges what was pulled, up to the last of the messages named' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: acknowledgeBody.schema })
  async acknowledge(
    @Param() { subscription: name }: SubscriptionPath,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const project = projectOf(request);
    const { ackIds } = await largeBodyAs(request, acknowledgeBody, errors.invalidAckParameter);
    const { subscription, consumer } = await findConsumer(this.reader, project, name);
    const highest = await highestOffset(project, name, ackIds);
    if (highest === undefined) throw errors.invalidAckId();
    const { readable } = await this.consumption.acknowledge(
      consumer,
      highest,
      subscription.ackDeadlineSeconds,
      this.writer.context(request),
    );
    noteReadability(reply, readable);
    sendJC(reply, {});
  }

  /** Messaging contract 1.7. @throws MessagingError C07, F01 */
  private async requireMayPull(request: FastifyRequest, { subscriptionId, push }: SubscriptionDocument): Promise<void> {
    const call = messagingCall(request);
    const { roles } = call.caller;
    if (push && !roles.includes('service_admin')) {
      if (!roles.includes('push_worker')) throw errors.forbidden();
      await this.push.requireAvailable();
    }
    const consumer = onlyAccessible(call.caller, 'consumer');
    if (consumer !== undefined && !(await this.reader.acl(projectOf(request), subscriptionId)).includes(consumer)) throw errors.forbidden();
  }
}
