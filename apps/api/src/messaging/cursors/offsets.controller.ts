import { Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyAs } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { MessagingRoute, projectOf } from '#api/messaging/http-policy.js';
import { MessageLog } from '#api/messaging/messages/message-log.js';
import { MessagingWriter } from '#api/messaging/messaging-writer.js';
import { withVerb } from '#api/messaging/names.js';
import { ResourceReader } from '#api/messaging/resources/resource-reader.js';
import { sendEmpty, sendJ3, sendJC } from '#api/messaging/responses.js';
import { noteReadability } from '#api/shared/http/read-model-header.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import { isDay } from '#domain/shared/time.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { findConsumer } from './consumer-lookup.js';
import { Consumption } from './consumption.js';
import { instantParts, offsetBody } from './pull-body.js';

type SubscriptionPath = Readonly<{ subscription: string }>;

/** Where subscriptions stand in the logs of their topics (messaging contract 4.7). */
@ApiTags('messaging: subscriptions')
@ApiSecurity('x-api-key')
@Controller('v1/projects/:project/subscriptions')
export class OffsetsController {
  private readonly reader: ResourceReader;
  private readonly writer: MessagingWriter;

  constructor(
    commands: CommandBus,
    @Inject(READ_STORE) store: ReadStore,
    @Inject(CLOCK) clock: Clock,
    private readonly consumption: Consumption,
    private readonly log: MessageLog,
  ) {
    this.reader = new ResourceReader(store);
    this.writer = new MessagingWriter(commands, clock);
  }

  @Get(withVerb('subscription', 'offsets'))
  @MessagingRoute('subscriptions:offsets')
  @ApiOperation({ summary: 'The offset of the subscription, of the oldest message kept, and of the next one that comes' })
  async offsets(
    @Param() { subscription: name }: SubscriptionPath,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { consumer } = await findConsumer(this.reader, projectOf(request), name);
    const { max, min, current, stale } = await this.consumption.offsets(consumer);
    if (stale) {
      const { readable } = await this.consumption.raise(consumer, min, this.writer.context(request));
      noteReadability(reply, readable);
    }
    sendJ3(reply, { max, min, current });
  }

  @Post(withVerb('subscription', 'modifyOffset'))
  @HttpCode(200)
  @MessagingRoute('subscriptions:modifyOffset')
  @ApiOperation({ summary: 'Moves the subscription to an offset, back or forth; what is out cannot be acknowledged any more' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: offsetBody.schema })
  async modifyOffset(
    @Param() { subscription: name }: SubscriptionPath,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { offset } = bodyAs(request, offsetBody, errors.invalidOffset);
    const { consumer } = await findConsumer(this.reader, projectOf(request), name);
    const { readable } = await this.consumption.move(consumer, Number(offset), this.writer.context(request));
    noteReadability(reply, readable);
    sendEmpty(reply);
  }

  @Get(withVerb('subscription', 'timeToOffset'))
  @MessagingRoute('subscriptions:timeToOffset')
  @ApiOperation({ summary: 'The offset of the first message published at or after an instant' })
  @ApiQuery({ name: 'time', description: 'YYYY-MM-DDTHH:MM:SS.mmmZ' })
  async timeToOffset(
    @Param() { subscription: name }: SubscriptionPath,
    @Query() query: Readonly<Record<string, unknown>>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { consumer } = await findConsumer(this.reader, projectOf(request), name);
    const [day, time] = instantParts(firstOf(query.time) ?? '') ?? [];
    if (day === undefined || !isDay(day)) throw errors.invalidTime();
    if (consumer.topicId === null) throw errors.backendError();
    const offset = await this.log.firstSince(consumer.topicId, `${day}T${time}`);
    if (offset === undefined) throw errors.timestampOutOfBounds();
    sendJC(reply, { offset });
  }
}
