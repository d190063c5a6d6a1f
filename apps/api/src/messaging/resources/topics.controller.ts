import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { done, json } from '#api/messaging/answers/answers.js';
import { listAnswer } from '#api/messaging/answers/long-list.js';
import { inParts, LABELLED_PAGES } from '#api/messaging/answers/pagination.js';
import { bodyOfKnown } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { withVerb } from '#api/messaging/names.js';
import { SUBSCRIPTION_NAME, TOPIC, TOPICS } from '#api/messaging/openapi/components.js';
import { DONE } from '#api/messaging/openapi/done.js';
import * as examples from '#api/messaging/openapi/examples.js';
import { Call, type MessagingCall } from '#api/messaging/parameters.js';
import { referencedSchema, subscriptionName } from '#api/messaging/references.js';
import { ADMINS, PUBLISHERS } from '#api/messaging/roles.js';
import { Delete, Get, MessagingController, Patch, Post, Put } from '#api/messaging/route.js';
import { onlyAccessible } from '#api/messaging/visibility.js';
import type { Answer } from '#api/shared/http/answer.js';
import { shows } from '#api/shared/openapi/described.js';
import type { Static } from '#domain/shared/shape.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { j3, jc } from '#projections/messaging/layout.js';
import { ResourceQueries, type TopicDocument } from '#projections/messaging/resources/queries.js';
import { SchemaQueries } from '#projections/messaging/resources/schema-queries.js';
import type { ResourceOutcome } from './project-resources.js';
import { topicView } from './resource-views.js';
import { newTopicBody, requestedChanges, requestedTopic, schemaOfTopic, schemaOfTopicBody, topicChangeBody } from './topic-bodies.js';
import { AttachSchema, ChangeTopic, CreateTopic, DeleteTopic, DetachSchema } from './topic-commands.js';

/** Topics, except for their messages, ACLs and metrics (messaging contract 3.5). */
@MessagingController('v1/projects/:project/topics', 'messaging: topics')
export class TopicsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly resources: ResourceQueries,
    private readonly schemas: SchemaQueries,
  ) {}

  @Get('', {
    id: 'listTopics',
    summary: 'The topics of a project, newest first; publishers see those they may publish to',
    who: PUBLISHERS,
    query: LABELLED_PAGES,
    answers: shows(TOPICS),
  })
  list(@Call() { page, label, project, caller }: MessagingCall): Promise<Answer> {
    const wanted = { userId: onlyAccessible(caller, 'publisher'), label };
    const parts = inParts((part) => this.resources.topics(project.projectId, part, wanted), page);
    return listAnswer('topics', parts, (topics) => this.views(project, topics));
  }

  @Get(':topic', { id: 'getTopic', summary: 'One topic', who: PUBLISHERS, answers: shows(TOPIC) })
  async show(@Call() { project }: MessagingCall, @Param('topic') name: string): Promise<Answer> {
    const [view] = await this.views(project, [await this.topic(project, name)]);
    return json(j3(view));
  }

  @Put(':topic', {
    id: 'createTopic',
    summary: 'Creates a topic; the body may be empty',
    who: ADMINS,
    body: newTopicBody,
    bodyIsOptional: true,
    example: { schema: examples.TOPIC.schema },
    errors: [errors.invalidBody(), errors.wrongSchemaName(), errors.schemaNotFound(), errors.topicExists()],
    answers: shows(TOPIC),
  })
  async create(@Call() { context, project, body }: MessagingCall, @Param('topic') name: string): Promise<Answer> {
    const { schema: reference, ...asked } = requestedTopic(body);
    const schema = reference === '' ? null : referencedSchema(reference);
    const creation = new CreateTopic(context, { projectId: project.projectId, name, schema, ...asked });
    const { createdOn, readable } = await this.bus.execute(creation);
    return json(j3(topicView(project, { name, createdOn, ...asked }, schema ?? undefined)), { readable });
  }

  @Patch(':topic', {
    id: 'changeTopic',
    summary: 'Changes how long messages are kept, and labels: what the mask names',
    who: ADMINS,
    body: topicChangeBody,
    example: { topic: { messageRetentionDuration: '86400s' }, updateMask: 'messageRetentionDuration' },
    errors: [errors.invalidBody()],
    answers: shows(TOPIC),
  })
  async change(@Call() { context, project, body }: MessagingCall, @Param('topic') name: string): Promise<Answer> {
    const changes = await bodyOfKnown(
      () => requestedChanges(body),
      () => this.topic(project, name),
    );
    const { topic, readable } = await this.bus.execute(new ChangeTopic(context, { projectId: project.projectId, topic: name, changes }));
    const [view] = await this.views(project, [topic]);
    return json(j3(view), { readable });
  }

  @Delete(':topic', { id: 'deleteTopic', summary: 'Deletes a topic with its messages; its subscriptions stay', who: ADMINS, answers: DONE })
  async delete(@Call() { context, project: { projectId } }: MessagingCall, @Param('topic') name: string): Promise<Answer> {
    return done(this.bus.execute(new DeleteTopic(context, { projectId, name })));
  }

  @Get(':topic/subscriptions', {
    id: 'listTopicSubscriptions',
    summary: 'The full names of the subscriptions of a topic, in the order of their creation',
    who: ADMINS,
    answers: shows({ subscriptions: [SUBSCRIPTION_NAME] }, { subscriptions: [examples.SUBSCRIPTION.name] }),
  })
  async subscriptions(@Call() { project }: MessagingCall, @Param('topic') name: string): Promise<Answer> {
    const [, names] = await Promise.all([this.topic(project, name), this.resources.subscriptionsOf(project.projectId, name)]);
    return json(jc({ subscriptions: names.map((subscription) => subscriptionName(project, subscription)) }));
  }

  @Post(withVerb('topic', 'attachSchema'), {
    id: 'attachTopicSchema',
    summary: 'Gives a topic a schema, in place of the one it has; without a reference, none',
    who: ADMINS,
    body: schemaOfTopicBody,
    bodyIsOptional: true,
    example: { schema: examples.TOPIC.schema },
    errors: [errors.invalidBody(), errors.wrongSchemaName(), errors.schemaNotFound()],
    answers: DONE,
  })
  async attachSchema(@Call() { context, project, body }: MessagingCall, @Param('topic') topic: string): Promise<Answer> {
    const { projectId } = project;
    const schema = await bodyOfKnown(
      () => schemaOfTopic(body),
      () => this.topic(project, topic),
    );
    const change =
      schema === null ? new DetachSchema(context, { projectId, topic }) : new AttachSchema(context, { projectId, topic, schema });
    return done(this.bus.execute<AttachSchema | DetachSchema, ResourceOutcome>(change));
  }

  @Post(withVerb('topic', 'detachSchema'), {
    id: 'detachTopicSchema',
    summary: 'Takes the schema from a topic, if it has one',
    who: ADMINS,
    limit: 'none',
    answers: DONE,
  })
  async detachSchema(@Call() { context, project: { projectId } }: MessagingCall, @Param('topic') topic: string): Promise<Answer> {
    return done(this.bus.execute(new DetachSchema(context, { projectId, topic })));
  }

  /** @throws MessagingError N03 */
  private async topic({ projectId }: ProjectReference, name: string): Promise<TopicDocument> {
    return found(await this.resources.topic(projectId, name), errors.topicNotFound);
  }

  private async views(project: ProjectReference, topics: readonly TopicDocument[]): Promise<readonly Static<typeof TOPIC>[]> {
    const ids = topics.map(({ schemaId }) => schemaId);
    const names = await this.schemas.names(project.projectId, ids, new TimeSlice());
    return topics.map((topic) => topicView(project, topic, names.get(topic.schemaId ?? '')));
  }
}
