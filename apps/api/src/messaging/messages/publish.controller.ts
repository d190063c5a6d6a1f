import { Inject, Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { json } from '#api/messaging/answers/answers.js';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { withVerb } from '#api/messaging/names.js';
import { Call, LargeCallContext, type MessagingCall } from '#api/messaging/parameters.js';
import { PUBLISHERS } from '#api/messaging/roles.js';
import { MessagingController, Post } from '#api/messaging/route.js';
import { requireInAcl } from '#api/messaging/visibility.js';
import type { Answer } from '#api/shared/http/answer.js';
import { shows } from '#api/shared/openapi/described.js';
import { exampleOfQuota } from '#api/shared/quota-example.js';
import { CONFIGURATION } from '#api/shared/tokens.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { doc } from '#domain/shared/shape.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { j3 } from '#projections/messaging/layout.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { publishBody, readMessages } from './message-body.js';
import { ProjectQuota } from './project-quota.js';
import { PublishMemory } from './publish-memory.js';
import { PublishMessages } from './publish-messages.js';

/** Accepts messages (messaging contract 3.6). */
@MessagingController('v1/projects/:project/topics', 'messaging: messages')
export class PublishController {
  constructor(
    private readonly bus: CommandBus,
    private readonly memory: PublishMemory,
    private readonly quota: ProjectQuota,
    private readonly resources: ResourceQueries,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'messagingLenient'>,
  ) {}

  @Post(withVerb('topic', 'publish'), {
    id: 'publishMessages',
    summary: 'Publishes messages: all of them, or none',
    description:
      'Each needs `data` (base64) that is not empty, `attributes` with at least one member, or both. Answers the ids of the messages in their order.',
    who: PUBLISHERS,
    limit: 'publish',
    body: publishBody,
    example: { messages: [{ data: 'aGVsbG8=', attributes: { site: 'A' } }] },
    errors: [errors.quotaExceeded(exampleOfQuota('messages'))],
    answers: shows({ messageIds: doc(['text'], 'offsets of the messages, in their order') }, { messageIds: ['0'] }),
  })
  async publish(
    @Call() { caller, project: { projectId }, body }: MessagingCall,
    @Param() { topic: name }: Readonly<{ topic: string }>,
    @LargeCallContext() callContext: () => Promise<CommandContext>,
  ): Promise<Answer> {
    const topic = found(await this.resources.topic(projectId, name), errors.topicNotFound);
    await requireInAcl(this.resources, { projectId, id: topic.topicId }, caller, 'publisher');
    const size = { bytes: body?.bytes.length ?? 0, values: body?.values ?? 0 };
    const { context, messages } = await this.memory.within(projectId, size, async () => ({
      context: await callContext(),
      messages: await readMessages(body, this.configuration.messagingLenient),
    }));
    const command = new PublishMessages(context, { topic: { ...topic, projectId }, messages, bytes: size.bytes });
    const amount = { messages: messages.length, bytes: size.bytes };
    const { messageIds, readable } = await this.quota.within(projectId, amount, () => this.bus.execute(command));
    return json(j3({ messageIds }), { readable });
  }
}
