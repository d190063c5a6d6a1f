import type { SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import type { Message, MessagePublished } from '#domain/messaging/messages/message-events.js';
import type { TopicSettings } from '#domain/messaging/resources/topic-settings.js';
import type { Cause } from '#domain/shared/causation.js';
import type { CommandContext } from '#domain/shared/execution.js';

/** A message that can be delivered: its offset in the log of its topic, and the size of its `data`. `cause`: its event, as the cause of others. */
export type Deliverable = Readonly<{ offset: number; bytes: number; cause?: Cause }>;

export type StoredMessage = MessagePublished['data'] & Required<Deliverable>;

/** The topic of a publish call. `schemaId` may be that of a deleted schema. `settings` are omitted if the topic has none. */
export type PublishedTopic = Readonly<{ projectId: string; topicId: string; schemaId: string | null; settings?: TopicSettings }>;

/** A subscription to pull from, and its topic. */
export type AttachedSubscription = Readonly<{ ref: SubscriptionRef & Readonly<{ topicId: string }>; ackDeadlineSeconds: number }>;

/** As they were seen: the next offset of a topic, and the offset of the cursor of a subscription to it. */
export type SeenPlace = Readonly<{ next: number; offset: number }>;

/** The topic refuses these messages; the error text is the reason. */
export class MessagesRefused extends Error {
  override readonly name = 'MessagesRefused';
}

/** Calls of other services to the messaging service of this installation, which implements them. */
export abstract class MessagingClient {
  /**
   * Publishes all messages or none.
   * @param bytes of their data: only few large calls are stored at a time
   * @throws MessagesRefused; the errors of the stores
   */
  abstract publish(context: CommandContext, topic: PublishedTopic, messages: readonly Message[], bytes: number): Promise<void>;

  /** `undefined` if there is no such subscription, or its topic is gone. */
  abstract subscription(projectId: string, subscriptionId: string): Promise<AttachedSubscription | undefined>;

  /** Delivers messages from the cursor on, without waiting, in reaction to them. At most `limit`, and up to the one that reaches `maxBytes`. */
  abstract pull(
    context: CommandContext,
    subscription: AttachedSubscription,
    most: Readonly<{ limit: number; maxBytes: number }>,
  ): Promise<readonly StoredMessage[]>;

  /** Acknowledges messages up to and including an offset. @throws DomainError another consumer moved the cursor, or it took too long */
  abstract acknowledge(context: CommandContext, subscription: AttachedSubscription, highest: number): Promise<void>;

  /**
   * Resolves when there may be more messages than a look has found, or the cursor has moved, and on the signal.
   * @param seen before that look
   */
  abstract more(subscription: AttachedSubscription, seen: SeenPlace, signal: AbortSignal): Promise<void>;

  /** Messages of a topic from an offset on, pulled or not; at least one if there is any. Bounds as for {@link pull}. */
  abstract messages(topicId: string, from: number, limit: number, maxBytes: number): Promise<readonly StoredMessage[]>;
}
