import { Inject, Injectable } from '@nestjs/common';
import { FLAW, PUBLISHERS, SOURCE } from '#api/shared/dead-letters.js';
import { MessagesRefused, MessagingClient, type PublishedTopic, type StoredMessage } from '#api/shared/messaging-client.js';
import { CLOCK, LOGGER } from '#api/shared/tokens.js';
import { sha256 } from '#domain/shared/bytes/sha256.js';
import type { Clock } from '#domain/shared/clock.js';
import type { LetterOutcome } from '#domain/status/metric-source/set-aside.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';

/** A message that is not metric data, and the reason. */
export type DeadLetter = Readonly<{ message: StoredMessage; reason: string }>;

/** Path of messages that are not metric data. `subscription`, `topic`: names; without `topic` there is no dead letter topic. */
type DeadLetterPath = Readonly<{ tenantId: string; projectId: string; subscription: string; sourceTopicId: string; topic?: string }>;

/** `from`: full name of the subscription. */
type Source = Readonly<{ from: string; tenantId: string; sourceTopicId: string }>;

/** Maximum number of letters that wait for one append, because the queue of a topic is limited. */
const AT_ONCE = 250;
/** The same for a topic with a schema, of which each validation holds a copy. */
const AT_ONCE_VALIDATED = 8;

const LONGEST_REASON = 1_000;
/**
 * Maximum number of times that a message is set aside, because topics may form a circle over metric sources of several tenants. The last
 * time it goes to no topic.
 */
const MOST_TIMES = 3;
/** Per batch: a publisher of many must not fill the log of the server. */
const MOST_LOGGED = 3;

/** Number of times that a message was set aside before. */
const timesBefore = ({ attributes }: StoredMessage): number => {
  const times = attributes?.[FLAW.times] ?? '';
  return /^\d{1,9}$/.test(times) ? Number(times) : 0;
};

/** Sets messages aside that are not metric data. */
@Injectable()
export class DeadLetters {
  constructor(
    private readonly messaging: MessagingClient,
    private readonly resources: ResourceQueries,
    private readonly accounts: AccountQueries,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /**
   * Publishes each message once, with its reason as attributes. Resolves with the outcome of each. Some of the messages that reach no topic
   * are logged: there is none, it refuses them because it has a schema, or they were set aside too often. @throws the errors of the stores
   */
  async put(path: DeadLetterPath, letters: readonly DeadLetter[]): Promise<readonly LetterOutcome[]> {
    if (letters.length === 0) return [];
    const { tenantId, projectId, subscription, sourceTopicId, topic: name } = path;
    const topic = name === undefined ? undefined : await this.resources.topic(projectId, name);
    const project = topic && (await this.accounts.project(projectId));
    const from = `projects/${project?.name}/subscriptions/${subscription}`;
    const to = topic && topic.topicId !== sourceTopicId ? { ...topic, projectId } : undefined;
    const isLast = ({ message }: DeadLetter): boolean => timesBefore(message) + 1 >= MOST_TIMES;
    const dropped = letters.filter(isLast);
    const others = letters.filter((letter) => !isLast(letter));
    const discarded = to ? await this.publishAll({ from, tenantId, sourceTopicId }, to, others) : others;
    this.warn(sourceTopicId, discarded, 'a message is no metric data, and no dead letter topic takes it');
    this.warn(sourceTopicId, dropped, `a message is no metric data and was set aside ${MOST_TIMES} times: it is dropped`);
    const outcomes = new Map<DeadLetter, LetterOutcome>();
    for (const letter of discarded) outcomes.set(letter, 'discarded');
    for (const letter of dropped) outcomes.set(letter, 'dropped');
    return letters.map((letter) => outcomes.get(letter) ?? 'deadLettered');
  }

  private warn(topicId: string, lost: readonly DeadLetter[], text: string): void {
    for (const { message, reason } of lost.slice(0, MOST_LOGGED)) {
      const found = { topicId, messageId: `${message.offset}`, reason: reason.slice(0, LONGEST_REASON) };
      this.logger.warn({ ...found, others: lost.length - 1 }, text);
    }
  }

  /** Resolves with the messages that the topic refuses. */
  private async publishAll(source: Source, topic: PublishedTopic, letters: readonly DeadLetter[]): Promise<readonly DeadLetter[]> {
    const refused: DeadLetter[] = [];
    for (let start = 0; start < letters.length; ) {
      const others = topic.schemaId === null ? AT_ONCE : AT_ONCE_VALIDATED;
      const some = letters.slice(start, start + (start === 0 ? 1 : others)); // the first one sets the retention of the topic
      const areTaken = await Promise.all(some.map((letter) => this.publish(source, topic, letter)));
      refused.push(...some.filter((_, index) => !areTaken[index]));
      start += some.length;
    }
    return refused;
  }

  /** Resolves with whether the topic takes the message. Its key is its own: other messages of its batch may have expired at a repeat. */
  private async publish(
    { from, tenantId, sourceTopicId }: Source,
    topic: PublishedTopic,
    { message, reason }: DeadLetter,
  ): Promise<boolean> {
    const key = sha256(`${tenantId} ${sourceTopicId}/${message.offset} to ${topic.topicId}`);
    const context = {
      ...systemContext(PUBLISHERS.metricSource, 'messaging', this.clock(), message.cause),
      idempotency: { key, body: key },
    };
    const attributes = {
      ...message.attributes,
      [SOURCE.subscription]: from,
      [FLAW.reason]: reason.slice(0, LONGEST_REASON).toWellFormed(),
      [FLAW.messageId]: `${message.offset}`,
      [FLAW.times]: `${timesBefore(message) + 1}`,
    };
    try {
      await this.messaging.publish(context, topic, [{ data: message.data, attributes }], message.bytes);
      return true;
    } catch (error) {
      if (error instanceof MessagesRefused) return false;
      throw error;
    }
  }
}
