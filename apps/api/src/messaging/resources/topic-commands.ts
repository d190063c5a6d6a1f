import { randomUUID } from 'node:crypto';
import type { Provider } from '@nestjs/common';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { LogRetention } from '#api/messaging/messages/log-retention.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CommandOf, CommandWith, type DataOf } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { handles, passOn } from '#api/shared/commands/handlers.js';
import type { ResourceEvent } from '#domain/messaging/resources/resources.js';
import { wireInstant } from '#projections/messaging/layout.js';
import { ResourceQueries, type TopicDocument } from '#projections/messaging/resources/queries.js';
import { type ProjectResourceCommand, type ResourceOutcome, toResources } from './project-resources.js';

/** A new topic. `createdOn`: in wire form. */
type CreatedTopic = Readonly<{ createdOn: string; readable: boolean }>;

/** `schema`: name of a schema of the project; `null` for none. */
export class CreateTopic extends CommandWith<Omit<DataOf<ProjectResourceCommand, 'CreateTopic'>, 'topicId'>, CreatedTopic> {}

/** Deletes a topic with its messages. Its subscriptions stay. */
export class DeleteTopic extends CommandOf<ProjectResourceCommand, 'DeleteTopic', ResourceEvent> {}

/** A topic after a change. */
type ChangedTopic = Readonly<{ topic: TopicDocument; readable: boolean }>;

/** Changes settings of a topic. Messages older than a new retention disappear at once. @throws MessagingError N03 */
export class ChangeTopic extends CommandWith<DataOf<ProjectResourceCommand, 'ChangeTopic'>, ChangedTopic> {}

/** Sets the schema of a topic, and replaces an existing one. @throws MessagingError N03 */
export class AttachSchema extends CommandWith<DataOf<ProjectResourceCommand, 'AttachSchema'>, ResourceOutcome> {}

/** Removes the schema of a topic, if it has one. */
export class DetachSchema extends CommandOf<ProjectResourceCommand, 'DetachSchema', ResourceEvent> {}

export const topicHandlers: readonly Provider[] = [
  ...passOn(toResources, { DeleteTopic, DetachSchema }),

  handles(CreateTopic, [CommandGateway], async ({ context, data }, gateway) => {
    const command = { type: 'CreateTopic', topicId: randomUUID(), ...data } as const;
    const { events, readable } = await gateway.execute(toResources(context, command));
    return { createdOn: wireInstant(eventOf(events, 'TopicCreated').metadata.time), readable };
  }),

  handles(
    ChangeTopic,
    [CommandGateway, ResourceQueries, LogRetention],
    async ({ context, data: { projectId, topic: name, changes } }, gateway, resources, retention) => {
      const known = found(await resources.topic(projectId, name), errors.topicNotFound);
      const command = { type: 'ChangeTopic', projectId, topic: name, changes } as const;
      const { events, readable } = await gateway.execute(toResources(context, command));
      const [changed] = events.filter(({ type }) => type === 'TopicSettingsReplaced');
      const topic = changed?.type === 'TopicSettingsReplaced' ? { ...known, settings: changed.data.settings } : known;
      if (changes.messageRetentionSeconds !== undefined) {
        // The topic may have changed again since, by another call or, if this call is a repeat, long ago.
        const current = async () => (readable ? resources.topic(projectId, name) : undefined);
        await retention.followTopic((await current()) ?? topic, current);
      }
      return { topic, readable };
    },
  ),

  handles(AttachSchema, [CommandGateway, ResourceQueries], async ({ context, data }, gateway, resources) => {
    found(await resources.topic(data.projectId, data.topic), errors.topicNotFound);
    return gateway.execute(toResources(context, { type: 'AttachSchema', ...data }));
  }),
];
