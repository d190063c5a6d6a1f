import { Controller, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as errors from '#api/messaging/errors.js';
import { MessagingRoute, messagingCall, projectOf } from '#api/messaging/http-policy.js';
import { MessagingWriter } from '#api/messaging/messaging-writer.js';
import { withVerb } from '#api/messaging/names.js';
import { ResourceReader } from '#api/messaging/resources/resource-reader.js';
import { sendJ3 } from '#api/messaging/responses.js';
import { onlyAccessible } from '#api/messaging/visibility.js';
import { CLOCK, CONFIGURATION, READ_STORE } from '#api/shared/tokens.js';
import { messagesStream } from '#domain/messaging/messages/message-events.js';
import { messages } from '#domain/messaging/messages/messages.js';
import type { Clock } from '#domain/shared/clock.js';
import type { Configuration } from '#infra/config/configuration.js';
import { MessageValidator } from '#infra/schemas/validation/message-validator.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { LargeCalls } from './large-calls.js';
import { LogRetention } from './log-retention.js';
import { publishBody, readMessages, requireBase64 } from './message-body.js';
import { MessageValidation } from './message-validation.js';

type TopicPath = Readonly<{ topic: string }>;

/** Takes messages (messaging contract 3.6). */
@ApiTags('messaging: messages')
@ApiSecurity('x-api-key')
@Controller('v1/projects/:project/topics')
export class MessagesController {
  private readonly reader: ResourceReader;
  private readonly writer: MessagingWriter;
  private readonly validation: MessageValidation;

  constructor(
    commands: CommandBus,
    @Inject(READ_STORE) store: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly retention: LogRetention,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly largeCalls: LargeCalls,
    validator: MessageValidator,
  ) {
    this.reader = new ResourceReader(store);
    this.writer = new MessagingWriter(commands, clock);
    this.validation = new MessageValidation(store, validator);
  }

  @Post(withVerb('topic', 'publish'))
  @HttpCode(200)
  @MessagingRoute('topics:publish', 'publish')
  @ApiOperation({
    summary: 'Publishes messages: all of them, or none',
    description:
      'Each needs `data` (base64) that is not empty, `attributes` with at least one member, or both. Answers the ids of the messages in their order.',
  })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: publishBody.schema })
  async publish(@Param() { topic: name }: TopicPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const project = projectOf(request);
    const { topicId, schemaId } = await this.reader.topic(project, name);
    const publisher = onlyAccessible(messagingCall(request).caller, 'publisher');
    if (publisher !== undefined && !(await this.reader.acl(project, topicId)).includes(publisher)) throw errors.forbidden();
    const published = await this.largeCalls.reading(request, () => readMessages(request));
    const judged = await this.validation.require(project, schemaId, published);
    if (!judged && this.configuration.messagingStrictBase64) await requireBase64(published);
    await this.retention.forMessages(topicId);
    const now = new Date(this.clock()).toISOString();
    const write = {
      stream: messagesStream(topicId),
      decider: messages,
      command: { type: 'PublishMessages', projectId: project.projectId, messages: published, now },
    } as const;
    const events = await this.largeCalls.within(request, () => this.writer.write(request, reply, write));
    sendJ3(reply, { messageIds: events.map(({ revision }) => String(revision)) });
  }
}
