import { randomUUID } from 'node:crypto';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { LogRetention } from '#api/messaging/messages/log-retention.js';
import { commandTo, commandWith, type DataOf } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { wireInstant } from '#projections/messaging/layout.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { type ProjectResourceCommand, toResources, writeResource } from './project-resources.js';

/** Deletes a topic with its messages. Its subscriptions stay. */
export class DeleteTopic extends commandTo(toResources, 'DeleteTopic') {}

/** Removes the schema of a topic, if it has one. */
export class DetachSchema extends commandTo(toResources, 'DetachSchema') {}

/** `schema`: name of a schema of the project; `null` for none. `createdOn`: in wire form. */
export class CreateTopic extends commandWith([], async (data: Omit<DataOf<ProjectResourceCommand, 'CreateTopic'>, 'topicId'>, call) => {
  const command = { type: 'CreateTopic', topicId: randomUUID(), ...data } as const;
  const { events, readable } = await writeResource(call, command, { type: 'DeleteTopic', name: data.name });
  return { createdOn: wireInstant(eventOf(events, 'TopicCreated').metadata.time), readable };
}) {}

/** Changes settings of a topic. Messages older than a new retention disappear at once. @throws MessagingError N03 */
export class ChangeTopic extends commandWith(
  [ResourceQueries, LogRetention],
  async (
    { projectId, topic: name, changes }: DataOf<ProjectResourceCommand, 'ChangeTopic'>,
    { context, gateway },
    resources,
    retention,
  ) => {
    const known = found(await resources.topic(projectId, name), errors.topicNotFound);
    const command = { type: 'ChangeTopic', projectId, topic: name, changes } as const;
    const { events, readable } = await gateway.execute(toResources(context, command));
    const [changed] = events.filter(({ type }) => type === 'TopicSettingsReplaced');
    const shown = async () => (await resources.topic(projectId, name)) ?? known;
    const topic = changed?.type === 'TopicSettingsReplaced' ? { ...known, settings: changed.data.settings } : await shown();
    if (changes.messageRetentionSeconds !== undefined) {
      // The topic may have changed again since, by another call or, if this call is a repeat, long ago.
      const current = async () => (readable ? resources.topic(projectId, name) : undefined);
      await retention.followTopic((await current()) ?? topic, current);
    }
    return { topic, readable };
  },
) {}

/** Sets the schema of a topic, and replaces an existing one. @throws MessagingError N03 */
export class AttachSchema extends commandWith(
  [ResourceQueries],
  async (data: DataOf<ProjectResourceCommand, 'AttachSchema'>, { context, gateway }, resources) => {
    const attaching = toResources(context, { type: 'AttachSchema', ...data });
    const check = async () => found(await resources.topic(data.projectId, data.topic), errors.topicNotFound);
    return gateway.executeAfter(attaching, check, () => gateway.execute(attaching));
  },
) {}
