import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { MessagingError } from '#api/messaging/errors.js';
import { MessageLog } from '#api/messaging/messages/message-log.js';
import { publishTimeText } from '#api/messaging/messages/message-texts.js';
import { PublishMessages } from '#api/messaging/messages/publish-messages.js';
import { SOURCE } from '#api/shared/dead-letters.js';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import type { Delivery } from '#domain/messaging/deliveries/held-delivery.js';
import type { Message } from '#domain/messaging/messages/message-events.js';
import { type Cause, causeOf } from '#domain/shared/causation.js';
import type { CommandContext, Execution } from '#domain/shared/execution.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries, type TopicDocument } from '#projections/messaging/resources/queries.js';
import { DeliveryGateway } from '../delivery-gateway.js';
import type { DeadLetterOutcome, ExhaustedSubscription } from './dead-letter-queue.js';

/** A place in the log of a topic: that of a delivery of a subscription, or of a dead letter. */
type Place = Readonly<{ subscriptionId?: string; topicId: string; offset: number }>;

/**
 * Identity under which a message is sent once. A call that moves the subscription changes it, because messages that are then delivered
 * again are to be sent again. A redriven dead letter has the same identity in every subscription.
 */
export const identityOf = (
  what: 'dead letter' | 'redriven',
  { subscriptionId, topicId, offset }: Place,
  seeks: number,
): readonly string[] => [
  what,
  ...(subscriptionId === undefined ? [] : [subscriptionId]),
  topicId,
  `${offset}`,
  ...(seeks > 0 ? [`${seeks}`] : []),
];

type LetterTopic = Pick<TopicDocument, 'topicId' | 'settings'>;

/** @param context its key lets the message be stored once */
export const publishOnce = (
  context: CommandContext,
  projectId: string,
  { topicId, settings }: LetterTopic,
  message: Message,
): PublishMessages => {
  // The current schema does not apply to an accepted message. Otherwise the message would be delivered and refused for ever.
  const topic = { projectId, topicId, schemaId: null, ...(settings && { settings }) };
  return new PublishMessages(context, { topic, messages: [message], bytes: message.data.length });
};

/** Sends messages that have used up their attempts to the dead letter topics of their subscriptions (messaging contract 7.2). */
@Injectable()
export class DeadLetters {
  constructor(
    private readonly bus: CommandBus,
    private readonly resources: ResourceQueries,
    private readonly accounts: AccountQueries,
    private readonly log: MessageLog,
    private readonly gateway: DeliveryGateway,
    private readonly hashes: CredentialHashes,
    private readonly telemetry: Telemetry,
  ) {}

  /** Publishes a message to the dead letter topic; repeated calls publish it once. */
  async send({ by, options, seeks }: ExhaustedSubscription, { offset, attempt }: Delivery): Promise<DeadLetterOutcome> {
    const { projectId, subscriptionId, topicId } = by.subscription;
    const { deadLetterPolicy } = options;
    if (!deadLetterPolicy || topicId === null) return 'topic gone';
    const [topic, subscription, [project], [message]] = await Promise.all([
      this.resources.topic(projectId, deadLetterPolicy.topic),
      this.resources.subscriptionById({ projectId, subscriptionId }),
      this.accounts.projects([projectId]),
      this.log.page(topicId, offset, 1),
    ]);
    if (message?.offset !== offset) return 'expired';
    if (!topic || !subscription || !project) return 'topic gone';
    const source = `projects/${project.name}/subscriptions/${subscription.name}`;
    try {
      const identity = identityOf('dead letter', { subscriptionId, topicId, offset }, seeks);
      const { isNew, letter } = await this.publish(projectId, topic, letterOf(message, source, attempt), identity, message.cause);
      if (isNew) this.telemetry.deadLetters.inc();
      return letter;
    } catch (error) {
      if (error instanceof MessagingError) return 'topic gone'; // the service does not accept such messages any more
      throw error;
    }
  }

  /** Returns whether this service published the message as a dead letter: any publisher can set the attributes. */
  async isLetter(topicId: string, offset: number): Promise<boolean> {
    const own = this.gateway.ownContext().actor;
    const author = await this.log.author(topicId, offset);
    return author?.kind === own.kind && author.id === own.id;
  }

  /**
   * Publishes a message under its identity: repeats within 48 hours store nothing. `isNew`: whether this call stored it. `letter`: its event; of
   * a repeated call the cause, if the event has expired.
   */
  async publish(
    projectId: string,
    topic: LetterTopic,
    message: Message,
    identity: readonly string[],
    cause: Cause,
  ): Promise<Readonly<{ isNew: boolean; letter: Cause }>> {
    const key = this.hashes.of(JSON.stringify(identity));
    let outcome = { isNew: false, letter: cause };
    const onExecuted = ({ repeated, events: [event] }: Execution): void => {
      outcome = { isNew: !repeated, letter: event ? causeOf(event) : cause };
    };
    const context = { ...this.gateway.ownContext(cause), idempotency: { key, body: key }, onExecuted };
    await this.bus.execute(publishOnce(context, projectId, topic, message));
    return outcome;
  }
}

const letterOf = ({ offset, data, attributes, publishTime, orderingKey }: StoredMessage, source: string, attempt: number): Message => ({
  data,
  ...(orderingKey !== undefined && { orderingKey }),
  attributes: {
    ...attributes,
    [SOURCE.subscription]: source,
    [SOURCE.messageId]: `${offset}`,
    [SOURCE.publishTime]: publishTimeText(publishTime),
    [SOURCE.attempts]: `${attempt}`,
  },
});
