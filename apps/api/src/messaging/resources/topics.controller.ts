import { Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { empty, json } from '#api/messaging/answers.js';
import { bodyFrom, bodyOfKnown } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { type MessagingCaller, MessagingRoute } from '#api/messaging/http-policy.js';
import { listAnswer, mapParts } from '#api/messaging/long-list.js';
import { withVerb } from '#api/messaging/names.js';
import { inParts } from '#api/messaging/pagination.js';
import { Caller, CallerContext, PageQuery, Project } from '#api/messaging/parameters.js';
import { referencedSchema, subscriptionName } from '#api/messaging/references.js';
import { onlyAccessible } from '#api/messaging/visibility.js';
import { dictionary, type ReceivedBody, struct, text } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { RawBody } from '#api/shared/http/parameters.js';
import { schemaOf } from '#api/shared/openapi/shape.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { j3, jc } from '#projections/messaging/layout.js';
import type { Page } from '#projections/messaging/newest-first.js';
import { ResourceQueries, type TopicDocument } from '#projections/messaging/resources/queries.js';
import { topicView } from './resource-views.js';
import { AttachSchema, CreateTopic, DeleteTopic, DetachSchema } from './topic-commands.js';

const texts = dictionary(text);
const schemaMember = struct({ schema: text });

/** The schema that a body of texts refers to; empty without one. A body may be empty. @throws MessagingError B01 */
const schemaReference = (body: ReceivedBody | undefined): string => {
  if (!body?.bytes.length) return '';
  bodyFrom(body, texts, errors.invalidBody);
  return bodyFrom(body, schemaMember, errors.invalidBody).schema;
};

/** Topics without their messages, ACLs and metrics (messaging contract 3.5). */
@ApiTags('messaging: topics')
@ApiSecurity('x-api-key')
@Controller('v1/projects/:project/topics')
export class TopicsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly resources: ResourceQueries,
  ) {}

  @Get()
  @MessagingRoute('topics:list')
  @ApiOperation({ summary: 'The topics of a project, newest first; publishers see those they may publish to' })
  @ApiQuery({ name: 'pageSize', required: false, description: 'How many; all of them when absent or not positive' })
  @ApiQuery({ name: 'pageToken', required: false, description: '`nextPageToken` of the page before' })
  list(@PageQuery() page: Page, @Project() project: ProjectReference, @Caller() caller: MessagingCaller): Promise<Answer> {
    const accessibleTo = onlyAccessible(caller, 'publisher');
    const parts = inParts((part) => this.resources.topics(project.projectId, part, accessibleTo), page);
    return listAnswer(
      'topics',
      mapParts(parts, (topics) => this.views(project, topics)),
    );
  }

  @Get(':topic')
  @MessagingRoute('topics:show')
  @ApiOperation({ summary: 'One topic' })
  async show(@Project() project: ProjectReference, @Param('topic') name: string): Promise<Answer> {
    const [view] = await this.views(project, [await this.topic(project, name)]);
    return json(j3(view));
  }

  @Put(':topic')
  @MessagingRoute('topics:create')
  @ApiOperation({ summary: 'Creates a topic; the body may be empty' })
  @ApiBody({ schema: schemaOf(schemaMember), required: false })
  async create(
    @CallerContext() context: CommandContext,
    @Project() project: ProjectReference,
    @Param('topic') name: string,
    @RawBody() body: ReceivedBody | undefined,
  ): Promise<Answer> {
    const reference = schemaReference(body);
    const schema = reference === '' ? null : referencedSchema(reference, project);
    const { createdOn, readable } = await this.bus.execute(new CreateTopic(context, project.projectId, name, schema));
    return json(j3(topicView(project, { name, createdOn }, schema ?? undefined)), { readable });
  }

  @Delete(':topic')
  @MessagingRoute('topics:delete')
  @ApiOperation({ summary: 'Deletes a topic with its messages; its subscriptions stay' })
  async delete(
    @CallerContext() context: CommandContext,
    @Project() { projectId }: ProjectReference,
    @Param('topic') name: string,
  ): Promise<Answer> {
    const { readable } = await this.bus.execute(new DeleteTopic(context, projectId, name));
    return empty({ readable });
  }

  @Get(':topic/subscriptions')
  @MessagingRoute('subscriptions:listByTopic')
  @ApiOperation({ summary: 'The full names of the subscriptions of a topic, in the order of their creation' })
  async subscriptions(@Project() project: ProjectReference, @Param('topic') name: string): Promise<Answer> {
    const [, names] = await Promise.all([this.topic(project, name), this.resources.subscriptionsOf(project.projectId, name)]);
    return json(jc({ subscriptions: names.map((subscription) => subscriptionName(project, subscription)) }));
  }

  @Post(withVerb('topic', 'attachSchema'))
  @HttpCode(200)
  @MessagingRoute('topics:attachSchema')
  @ApiOperation({ summary: 'Gives a topic a schema, in place of the one it has' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: schemaOf(schemaMember) })
  async attachSchema(
    @CallerContext() context: CommandContext,
    @Project() project: ProjectReference,
    @Param('topic') topic: string,
    @RawBody() body: ReceivedBody | undefined,
  ): Promise<Answer> {
    const schema = await bodyOfKnown(
      () => referencedSchema(schemaReference(body), project),
      () => this.topic(project, topic),
    );
    const { readable } = await this.bus.execute(new AttachSchema(context, project.projectId, topic, schema));
    return empty({ readable });
  }

  @Post(withVerb('topic', 'detachSchema'))
  @HttpCode(200)
  @MessagingRoute('topics:detachSchema', 'none')
  @ApiOperation({ summary: 'Takes the schema from a topic, if it has one' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async detachSchema(
    @CallerContext() context: CommandContext,
    @Project() { projectId }: ProjectReference,
    @Param('topic') topic: string,
  ): Promise<Answer> {
    const { readable } = await this.bus.execute(new DetachSchema(context, projectId, topic));
    return empty({ readable });
  }

  /** @throws MessagingError N03 */
  private async topic({ projectId }: ProjectReference, name: string): Promise<TopicDocument> {
    return found(await this.resources.topic(projectId, name), errors.topicNotFound);
  }

  private async views(project: ProjectReference, topics: readonly TopicDocument[]): Promise<readonly object[]> {
    const ids = topics.map(({ schemaId }) => schemaId);
    const schemas = await this.resources.schemaNames(project.projectId, ids);
    return topics.map((topic) => topicView(project, topic, schemas.get(topic.schemaId ?? '')));
  }
}
