import { randomUUID } from 'node:crypto';
import type { Provider } from '@nestjs/common';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { MessageLog } from '#api/messaging/messages/message-log.js';
import { PushAvailability } from '#api/messaging/push-availability.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CommandOf, CommandWith, type DataOf } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { handles, passOn } from '#api/shared/commands/handlers.js';
import type { PushRequest } from '#domain/messaging/push/push-configuration.js';
import type { ResourceEvent } from '#domain/messaging/resources/resources.js';
import type { SubscriptionOptions } from '#domain/messaging/resources/subscription-options.js';
import { wireInstant } from '#projections/messaging/layout.js';
import { ResourceQueries, type SubscriptionDocument } from '#projections/messaging/resources/queries.js';
import { type InProject, type ProjectResourceCommand, toResources } from './project-resources.js';

/** Settings of a new subscription. `topic`: a name; `push`: `null` for a pull subscription. */
type SubscriptionSettings = Readonly<{
  topic: string;
  ackDeadlineSeconds: number;
  push: PushRequest | null;
  options?: SubscriptionOptions | undefined;
}>;

type CreatedSubscription = Readonly<{
  subscription: Pick<SubscriptionDocument, 'name' | 'topic' | 'push' | 'ackDeadlineSeconds' | 'createdOn' | 'options'>;
  readable: boolean;
}>;

/** Creates a subscription to a topic. It gets the messages published from now on. @throws MessagingError N03, C07, I07 */
export class CreateSubscription extends CommandWith<
  InProject & Readonly<{ name: string; settings: SubscriptionSettings }>,
  CreatedSubscription
> {}

/** `deleted`: the subscription before its deletion. */
type DeletedSubscription = Readonly<{ deleted: SubscriptionDocument; readable: boolean }>;

/** @throws MessagingError N04 */
export class DeleteSubscription extends CommandWith<DataOf<ProjectResourceCommand, 'DeleteSubscription'>, DeletedSubscription> {}

/** Sets the acknowledgement deadline in seconds, also for outstanding messages. */
export class ModifyAckDeadline extends CommandOf<ProjectResourceCommand, 'ModifyAckDeadline', ResourceEvent> {}

/** Deletes a subscription that was unused for long. */
export class ExpireSubscription extends CommandOf<ProjectResourceCommand, 'ExpireSubscription', ResourceEvent> {}

export const subscriptionHandlers: readonly Provider[] = [
  ...passOn(toResources, { ModifyAckDeadline, ExpireSubscription }),

  handles(
    CreateSubscription,
    [CommandGateway, ResourceQueries, MessageLog, PushAvailability],
    async ({ context, data: { projectId, name, settings } }, gateway, resources, log, availability) => {
      const { topic, ackDeadlineSeconds, options } = settings;
      const { topicId } = found(await resources.topic(projectId, topic), errors.topicNotFound);
      const { deadLetterPolicy } = options ?? {};
      if (deadLetterPolicy) found(await resources.topic(projectId, deadLetterPolicy.topic), errors.topicNotFound);
      const push = await availability.requested(settings.push);
      const startOffset = await log.head(topicId);
      const attached = { subscriptionId: randomUUID(), name, topic, topicId, startOffset };
      const subscription = { ...attached, ackDeadlineSeconds, push, ...(options && { options }) };
      const { events, readable } = await gateway.execute(toResources(context, { type: 'CreateSubscription', projectId, ...subscription }));
      const { data, metadata } = eventOf(events, 'SubscriptionCreated');
      return { subscription: { ...data, createdOn: wireInstant(metadata.time) }, readable };
    },
  ),

  handles(DeleteSubscription, [CommandGateway, ResourceQueries], async ({ context, data }, gateway, resources) => {
    const deleted = found(await resources.subscription(data.projectId, data.name), errors.subscriptionNotFound);
    const { readable } = await gateway.execute(toResources(context, { type: 'DeleteSubscription', ...data }));
    return { deleted, readable };
  }),
];
