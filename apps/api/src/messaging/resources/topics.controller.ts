import { randomUUID } from 'node:crypto';
import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyAs } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { MessagingRoute, messagingCall, projectOf } from '#api/messaging/http-policy.js';
import { mapParts, sendListParts } from '#api/messaging/long-list.js';
import { withVerb } from '#api/messaging/names.js';
import { inParts, pageOf } from '#api/messaging/pagination.js';
import { referencedSchema, subscriptionName } from '#api/messaging/references.js';
import { sendEmpty, sendJ3, sendJC } from '#api/messaging/responses.js';
import { onlyAccessible } from '#api/messaging/visibility.js';
import { dictionary, struct, text } from '#api/shared/bodies/body-shape.js';
import { bodyOf } from '#api/shared/http/request-context.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import { wireInstant } from '#projections/messaging/layout.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { ResourceReader } from './resource-reader.js';
import { topicView } from './resource-views.js';
import { ResourceWriter } from './resource-writer.js';

type TopicPath = Readonly<{ topic: string }>;
type Parameters = Readonly<Record<string, unknown>>;

const texts = dictionary(text);
const schemaMember = struct({ schema: text });

/** The schema that a body of texts refers to; empty without one. A body may be empty. @throws MessagingError B01 */
const schemaReference = (request: FastifyRequest): string => {
  if (!bodyOf(request)?.length) return '';
  bodyAs(request, texts, errors.invalidBody);
  return bodyAs(request, schemaMember, errors.invalidBody).schema;
};

/** Topics, but for their messages, ACLs and metrics (messaging contract 3.5). */
@ApiTags('messaging: topics')
@ApiSecurity('x-api-key')
@Controller('v1/projects/:project/topics')
export class TopicsController {
  private readonly reader: ResourceReader;
  private readonly writer: ResourceWriter;

  constructor(commands: CommandBus, @Inject(READ_STORE) store: ReadStore, @Inject(CLOCK) clock: Clock) {
    this.reader = new ResourceReader(store);
    this.writer = new ResourceWriter(commands, clock);
  }

  @Get()
  @MessagingRoute('topics:list')
  @ApiOperation({ summary: 'The topics of a project, newest first; publishers see those they may publish to' })
  @ApiQuery({ name: 'pageSize', required: false, description: 'How many; all of them when absent or not positive' })
  @ApiQuery({ name: 'pageToken', required: false, description: '`nextPageToken` of the page before' })
  async list(@Query() query: Parameters, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const page = pageOf(query);
    const project = projectOf(request);
    const accessibleTo = onlyAccessible(messagingCall(request).caller, 'publisher');
    const parts = inParts((part) => this.reader.topics(project, part, accessibleTo), page);
    const shown = mapParts(parts, async (items) => {
      const schemas = await this.reader.schemas(
        project,
        items.map(({ schemaId }) => schemaId),
      );
      return items.map((topic) => topicView(project, topic, schemas.get(topic.schemaId ?? '')?.name));
    });
    await sendListParts(reply, 'topics', shown);
  }

  @Get(':topic')
  @MessagingRoute('topics:show')
  @ApiOperation({ summary: 'One topic' })
  async show(@Param() { topic: name }: TopicPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const project = projectOf(request);
    const topic = await this.reader.topic(project, name);
    const schemas = await this.reader.schemas(project, [topic.schemaId]);
    sendJ3(reply, topicView(project, topic, schemas.get(topic.schemaId ?? '')?.name));
  }

  @Put(':topic')
  @MessagingRoute('topics:create')
  @ApiOperation({ summary: 'Creates a topic; the body may be empty' })
  @ApiBody({ schema: schemaMember.schema, required: false })
  async create(@Param() { topic: name }: TopicPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const project = projectOf(request);
    const reference = schemaReference(request);
    const schema = reference === '' ? null : referencedSchema(reference, project);
    const [created] = await this.writer.write(request, reply, { type: 'CreateTopic', topicId: randomUUID(), name, schema });
    if (!created) throw new Error('a creation made no topic');
    sendJ3(reply, topicView(project, { name, createdOn: wireInstant(created.metadata.time) }, schema ?? undefined));
  }

  @Delete(':topic')
  @MessagingRoute('topics:delete')
  @ApiOperation({ summary: 'Deletes a topic with its messages; its subscriptions stay' })
  async delete(@Param() { topic: name }: TopicPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.writer.write(request, reply, { type: 'DeleteTopic', name });
    sendEmpty(reply);
  }

  @Get(':topic/subscriptions')
  @MessagingRoute('subscriptions:listByTopic')
  @ApiOperation({ summary: 'The full names of the subscriptions of a topic, in the order of their creation' })
  async subscriptions(@Param() { topic: name }: TopicPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const project = projectOf(request);
    const [, names] = await Promise.all([this.reader.topic(project, name), this.reader.subscriptionsOf(project, name)]);
    sendJC(reply, { subscriptions: names.map((subscription) => subscriptionName(project, subscription)) });
  }

  @Post(withVerb('topic', 'attachSchema'))
  @HttpCode(200)
  @MessagingRoute('topics:attachSchema')
  @ApiOperation({ summary: 'Gives a topic a schema, in place of the one it has' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: schemaMember.schema })
  async attachSchema(@Param() { topic }: TopicPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const project = projectOf(request);
    await this.reader.topic(project, topic);
    const schema = referencedSchema(schemaReference(request), project);
    await this.writer.write(request, reply, { type: 'AttachSchema', topic, schema });
    sendEmpty(reply);
  }

  @Post(withVerb('topic', 'detachSchema'))
  @HttpCode(200)
  @MessagingRoute('topics:detachSchema', 'none')
  @ApiOperation({ summary: 'Takes the schema from a topic, if it has one' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async detachSchema(@Param() { topic }: TopicPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.writer.write(request, reply, { type: 'DetachSchema', topic });
    sendEmpty(reply);
  }
}
