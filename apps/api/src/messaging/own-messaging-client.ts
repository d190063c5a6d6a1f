import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  type AttachedSubscription,
  MessagesRefused,
  MessagingClient,
  type PublishedTopic,
  type SeenPlace,
  type StoredMessage,
} from '#api/shared/messaging-client.js';
import type { Message } from '#domain/messaging/messages/message-events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { LONGEST_TIMER_MS } from '#infra/platform/coordination/alarm.js';
import { AcknowledgeMessages } from './cursors/commands.js';
import { PullMessages } from './cursors/pull-messages.js';
import { SubscriptionLookup } from './cursors/subscription-lookup.js';
import { MessagingError } from './errors.js';
import { PatientArrivals } from './messages/message-arrivals.js';
import { MessageLog } from './messages/message-log.js';
import { PublishMessages } from './messages/publish-messages.js';
import { SubscribedMessages } from './messages/selection/selected-messages.js';

/** The messaging service for other services of the process. It executes the same commands as its routes. */
@Injectable()
export class OwnMessagingClient extends MessagingClient {
  constructor(
    private readonly bus: CommandBus,
    private readonly subscriptions: SubscriptionLookup,
    private readonly log: MessageLog,
    private readonly subscribed: SubscribedMessages,
    private readonly arrivals: PatientArrivals,
  ) {
    super();
  }

  override async publish(context: CommandContext, topic: PublishedTopic, messages: readonly Message[], bytes: number): Promise<void> {
    try {
      await this.bus.execute(new PublishMessages(context, { topic, messages, bytes }));
    } catch (error) {
      throw error instanceof MessagingError ? new MessagesRefused(error.message, { cause: error }) : error;
    }
  }

  override async subscription(projectId: string, subscriptionId: string): Promise<AttachedSubscription | undefined> {
    const found = await this.subscriptions.byId(projectId, subscriptionId);
    const topicId = found?.ref.topicId;
    if (!found || typeof topicId !== 'string') return undefined;
    return { ref: { ...found.ref, topicId }, ackDeadlineSeconds: found.subscription.ackDeadlineSeconds };
  }

  override async pull(
    context: CommandContext,
    { ref }: AttachedSubscription,
    { limit, maxBytes }: Readonly<{ limit: number; maxBytes: number }>,
  ): Promise<readonly StoredMessage[]> {
    const messages = this.subscribed.stored(ref);
    const source = {
      page: (topicId: string, from: number, most: number) => messages.page(topicId, from, most, maxBytes),
      ...(messages.passed && { passed: messages.passed.bind(messages) }),
    };
    return (
      (await this.bus.execute(new PullMessages(context, { subscription: ref, options: { source, limit, wait: false, reacts: true } })))
        ?.messages ?? []
    );
  }

  override async acknowledge(context: CommandContext, { ref, ackDeadlineSeconds }: AttachedSubscription, highest: number): Promise<void> {
    await this.bus.execute(new AcknowledgeMessages(context, { subscription: ref, highest, ackDeadlineSeconds }));
  }

  override async more({ ref }: AttachedSubscription, { next, offset }: SeenPlace, signal: AbortSignal): Promise<void> {
    const awaited = { topicId: ref.topicId, subscription: ref, after: Math.max(next, offset), cursor: offset };
    await this.arrivals.wait(awaited, LONGEST_TIMER_MS, signal);
  }

  override messages(topicId: string, from: number, limit: number, maxBytes: number): Promise<readonly StoredMessage[]> {
    return this.log.page(topicId, from, limit, maxBytes);
  }
}
