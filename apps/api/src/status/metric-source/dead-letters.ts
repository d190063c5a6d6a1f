import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { MessagingError } from '#api/messaging/errors.js';
import type { StoredMessage } from '#api/messaging/messages/message-log.js';
import { PublishMessages } from '#api/messaging/messages/publish-messages.js';
import { CLOCK, LOGGER } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import { sha256 } from '#domain/shared/sha256.js';
import { systemContext } from '#infra/event-store/system-events.js';
import type { Logger } from '#infra/logging/logger.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';

/** A message that is no metric data, and why. */
export type DeadLetter = Readonly<{ message: StoredMessage; reason: string }>;

/** From where to where messages go that are no metric data. `topic`: a name; absent if there is none. */
export type DeadLetterPath = Readonly<{ projectId: string; sourceTopicId: string; topic?: string }>;

const LONGEST_REASON = 1_000;

/** Puts messages aside that are no metric data. */
@Injectable()
export class DeadLetters {
  constructor(
    private readonly bus: CommandBus,
    private readonly resources: ResourceQueries,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /**
   * Publishes the messages with their reasons as further attributes, each once. Resolves with how many the topic took; the others are logged: there is no
   * topic, or it takes no such messages because it has a schema. @throws the errors of the stores
   */
  async put(path: DeadLetterPath, letters: readonly DeadLetter[]): Promise<number> {
    if (letters.length === 0) return 0;
    const { projectId, sourceTopicId, topic: name } = path;
    const topic = name === undefined ? undefined : await this.resources.topic(projectId, name);
    if (!topic || topic.topicId === sourceTopicId) return this.discard(path, letters, 'there is no dead letter topic');
    return this.publish(path, { projectId, topicId: topic.topicId, schemaId: topic.schemaId }, letters);
  }

  private async publish(path: DeadLetterPath, topic: PublishMessages['topic'], letters: readonly DeadLetter[]): Promise<number> {
    const [first, last] = [letters[0], letters.at(-1)];
    if (!first || !last) return 0;
    // A repeat has the same letters: the messages of a batch never change.
    const key = sha256(`${path.sourceTopicId}/${first.message.offset}-${last.message.offset}/${letters.length} to ${topic.topicId}`);
    const context = { ...systemContext('metric-source', 'messaging', this.clock()), idempotency: { key, body: key } };
    const messages = letters.map(({ message: { data, attributes, offset }, reason }) => ({
      data,
      attributes: { ...attributes, 'logbook-reason': reason.slice(0, LONGEST_REASON).toWellFormed(), 'logbook-message-id': `${offset}` },
    }));
    const bytes = letters.reduce((sum, { message }) => sum + message.bytes, 0);
    try {
      await this.bus.execute(new PublishMessages(context, topic, messages, bytes));
      return letters.length;
    } catch (error) {
      if (!(error instanceof MessagingError)) throw error;
      if (letters.length === 1) return this.discard(path, letters, error.message);
    }
    let taken = 0;
    for (const letter of letters) taken += await this.publish(path, topic, [letter]);
    return taken;
  }

  private discard({ sourceTopicId }: DeadLetterPath, letters: readonly DeadLetter[], why: string): number {
    for (const { message, reason } of letters.slice(0, 10))
      this.logger.warn(
        { topicId: sourceTopicId, messageId: `${message.offset}`, reason: reason.slice(0, LONGEST_REASON), why },
        'a message is no metric data',
      );
    return 0;
  }
}
