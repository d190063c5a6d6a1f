import { randomUUID } from 'node:crypto';
import type { Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { MessageLog } from '#api/messaging/messages/message-log.js';
import { PushAvailability } from '#api/messaging/push/push-availability.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import type { PushRequest } from '#domain/messaging/push/push-configuration.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { wireInstant } from '#projections/messaging/layout.js';
import { ResourceQueries, type SubscriptionDocument } from '#projections/messaging/resources/queries.js';
import { type ResourceOutcome, resourcesOf } from './project-resources.js';

/** The settings of a new subscription. `topic`: a name; `push`: `null` if it is to be pulled. */
export type SubscriptionSettings = Readonly<{ topic: string; ackDeadlineSeconds: number; push: PushRequest | null }>;

export type CreatedSubscription = Readonly<{
  subscription: Pick<SubscriptionDocument, 'name' | 'topic' | 'push' | 'ackDeadlineSeconds' | 'createdOn'>;
  readable: boolean;
}>;

/** A subscription to a topic: it gets the messages published from now on. */
export class CreateSubscription extends Command<CreatedSubscription> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly name: string,
    readonly settings: SubscriptionSettings,
  ) {
    super();
  }
}

@CommandHandler(CreateSubscription)
class CreateSubscriptionHandler implements ICommandHandler<CreateSubscription> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly resources: ResourceQueries,
    private readonly log: MessageLog,
    private readonly push: PushAvailability,
  ) {}

  /** @throws MessagingError N03, C07, I07 */
  async execute({ context, projectId, name, settings }: CreateSubscription): Promise<CreatedSubscription> {
    const { topic, ackDeadlineSeconds } = settings;
    const { topicId } = found(await this.resources.topic(projectId, topic), errors.topicNotFound);
    const push = await this.push.requested(settings.push);
    const startOffset = await this.log.head(topicId);
    const { events, readable } = await this.gateway.execute({
      ...resourcesOf(projectId),
      context,
      command: { type: 'CreateSubscription', subscriptionId: randomUUID(), name, topic, topicId, startOffset, ackDeadlineSeconds, push },
    });
    const [created] = events;
    if (created?.type !== 'SubscriptionCreated') throw new Error('a creation made no subscription');
    return { subscription: { ...created.data, createdOn: wireInstant(created.metadata.time) }, readable };
  }
}

/** `deleted`: the subscription as it was. */
export type DeletedSubscription = Readonly<{ deleted: SubscriptionDocument; readable: boolean }>;

export class DeleteSubscription extends Command<DeletedSubscription> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly name: string,
  ) {
    super();
  }
}

@CommandHandler(DeleteSubscription)
class DeleteSubscriptionHandler implements ICommandHandler<DeleteSubscription> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly resources: ResourceQueries,
  ) {}

  /** @throws MessagingError N04 */
  async execute({ context, projectId, name }: DeleteSubscription): Promise<DeletedSubscription> {
    const deleted = found(await this.resources.subscription(projectId, name), errors.subscriptionNotFound);
    const command = { type: 'DeleteSubscription', name } as const;
    const { readable } = await this.gateway.execute({ ...resourcesOf(projectId), context, command });
    return { deleted, readable };
  }
}

/** Sets how long consumers have to acknowledge, in seconds; also for messages that are out. */
export class ModifyAckDeadline extends Command<ResourceOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly subscription: string,
    readonly ackDeadlineSeconds: number,
  ) {
    super();
  }
}

@CommandHandler(ModifyAckDeadline)
class ModifyAckDeadlineHandler implements ICommandHandler<ModifyAckDeadline> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, projectId, subscription, ackDeadlineSeconds }: ModifyAckDeadline): Promise<ResourceOutcome> {
    const command = { type: 'ModifyAckDeadline', subscription, ackDeadlineSeconds } as const;
    return this.gateway.execute({ ...resourcesOf(projectId), context, command });
  }
}

export const subscriptionCommandHandlers: readonly Type[] = [
  CreateSubscriptionHandler,
  DeleteSubscriptionHandler,
  ModifyAckDeadlineHandler,
];
