import { isDeepStrictEqual } from 'node:util';
import { AccountReader } from '#api/messaging/accounts/account-reader.js';
import { consumerOf } from '#api/messaging/cursors/consumer-lookup.js';
import type { Consumer, Consumption } from '#api/messaging/cursors/consumption.js';
import { wordingOf } from '#api/messaging/domain-errors.js';
import * as errors from '#api/messaging/errors.js';
import type { MessageLog, MessagePages, StoredMessage } from '#api/messaging/messages/message-log.js';
import { publishTimeText } from '#api/messaging/messages/message-texts.js';
import { ResourceReader } from '#api/messaging/resources/resource-reader.js';
import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import { systemContext } from '#infra/event-store/system-events.js';
import type { Logger } from '#infra/logging/logger.js';
import type { PushSubscriptions } from '#infra/push/push-engine.js';
import type { PushBatch, PushedRange, PushTarget } from '#infra/push/worker.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import type { ProjectReference } from '#projections/messaging/accounts/account-documents.js';
import { resourceCollections, resourceKey, type SubscriptionDocument } from '#projections/messaging/resources/resource-documents.js';
import { PartitionSetAside, type ReadStore } from '#projections/shared/read-store.js';

type Parts = Readonly<{ store: ReadStore; consumption: Consumption; log: MessageLog; clock: Clock; logger: Logger }>;
type Found = Readonly<{ consumer: Consumer; subscription: SubscriptionDocument }>;

/** Bytes after which a delivery ends; one message is always delivered. */
const MOST_BYTES = 1024 * 1024;

/** A pull that does not wait need not be told when to stop. */
const NEVER = new AbortController().signal;

const parse = <Document>(bytes: Buffer): Document => JSON.parse(bytes.toString('utf8')) as Document;

/** Nothing when there are no messages. */
const batchOf = (
  project: ProjectReference,
  { name }: SubscriptionDocument,
  topicId: string,
  stored: readonly StoredMessage[],
): PushBatch | null => {
  const [first, last] = [stored[0], stored.at(-1)];
  if (!first || !last) return null;
  const messages = stored.map(({ offset, attributes, data, publishTime }) => ({
    messageId: `${offset}`,
    attributes,
    data,
    publishTime: publishTimeText(publishTime),
  }));
  const bytes = stored.reduce((sum, message) => sum + message.bytes, 0);
  return {
    subscription: `projects/${project.name}/subscriptions/${name}`,
    messages,
    topicId,
    from: first.offset,
    lastOffset: last.offset,
    bytes,
  };
};

/** The push subscriptions of all projects, and their messages, taken and acknowledged by the commands that consumers use. */
export class PushedSubscriptions implements PushSubscriptions {
  private readonly accounts: AccountReader;
  private readonly resources: ResourceReader;
  private readonly pages: MessagePages<StoredMessage>;

  constructor(private readonly parts: Parts) {
    const { log } = parts;
    this.pages = { page: (topicId, from, limit) => log.page(topicId, from, limit, MOST_BYTES) };
    this.accounts = new AccountReader(parts.store);
    this.resources = new ResourceReader(parts.store);
  }

  async targets(): Promise<readonly PushTarget[]> {
    const found = await this.resources.view.range(resourceCollections.subscriptionsPushed, {});
    return found.flatMap(({ key, value }): PushTarget[] => {
      const { subscriptionId, push } = parse<SubscriptionDocument>(value);
      return push ? [{ projectId: key.slice(0, key.indexOf('/')), subscriptionId, push }] : [];
    });
  }

  /** @throws MessagingError in words for those who see the status of the subscription */
  pull(target: PushTarget): Promise<PushBatch | null> {
    return this.worded(target, this.next(target));
  }

  /** @throws MessagingError likewise */
  again(target: PushTarget, range: PushedRange): Promise<PushBatch | null> {
    return this.worded(target, this.reread(target, range));
  }

  /** @throws MessagingError likewise */
  acknowledge(target: PushTarget, batch: PushBatch): Promise<void> {
    return this.worded(target, this.settle(target, batch));
  }

  private async next(target: PushTarget): Promise<PushBatch | null> {
    const { consumption } = this.parts;
    const { pages } = this;
    const found = await this.find(target);
    // Settings that were replaced get no message more, however long it takes until the worker hears of it.
    if (!found || !isDeepStrictEqual(found.subscription.push, target.push)) return null;
    const { topicId } = found.consumer;
    if (topicId === null) throw errors.topicOfSubscriptionGone();
    const consumer = { ...found.consumer, topicId };
    // A pull that delivers nothing would still be an event.
    if (!(await consumption.hasMore(consumer))) return null;
    const project = await this.accounts.project(target.projectId);
    if (!project) return null;
    const pulled = await consumption.pull(consumer, { limit: target.push.maxMessages, wait: false, pages }, this.context(), NEVER);
    return pulled && batchOf(project, found.subscription, topicId, pulled.messages);
  }

  private async reread(target: PushTarget, { topicId, from, lastOffset }: PushedRange): Promise<PushBatch | null> {
    const found = await this.find(target);
    if (!found || !isDeepStrictEqual(found.subscription.push, target.push)) return null;
    if (found.consumer.topicId === null) throw errors.topicOfSubscriptionGone();
    const standing = await this.parts.consumption.standing(found.consumer);
    if (standing.topicId !== topicId || standing.offset !== from) return null;
    const [project] = await this.accounts.projects([target.projectId]);
    if (!project) return null;
    const messages = await this.pages.page(topicId, from, lastOffset + 1 - from);
    if (messages[0]?.offset !== from || messages.at(-1)?.offset !== lastOffset) return null;
    return batchOf(project, found.subscription, topicId, messages);
  }

  /** Deliveries may take longer than there is time to acknowledge them: then they are pulled once more, as nothing else has been meanwhile. */
  private async settle(target: PushTarget, { from, lastOffset }: PushedRange): Promise<void> {
    const { consumption } = this.parts;
    const found = await this.find(target);
    if (!found) return;
    const { consumer, subscription } = found;
    const acknowledge = () => consumption.acknowledge(consumer, lastOffset, subscription.ackDeadlineSeconds, this.context());
    try {
      await acknowledge();
    } catch (error) {
      const { topicId } = consumer;
      if (!(error instanceof DomainError && error.code === 'ACK_TIMEOUT') || topicId === null) throw error;
      const request = { limit: lastOffset + 1 - from, wait: false, pages: this.pages };
      const pulled = await consumption.pull({ ...consumer, topicId }, request, this.context(), NEVER);
      if (pulled?.messages[0]?.offset !== from || pulled.messages.at(-1)?.offset !== lastOffset) throw error;
      await acknowledge();
    }
  }

  private async find({ projectId, subscriptionId }: PushTarget): Promise<Found | undefined> {
    const bytes = await this.resources.view.get(resourceCollections.subscriptionsById, resourceKey(projectId, subscriptionId));
    if (!bytes) return undefined;
    const subscription = parse<SubscriptionDocument>(bytes);
    return { subscription, consumer: await consumerOf(this.resources, projectId, subscription) };
  }

  /** What is no rule of the contract stays in the log. */
  private async worded<T>({ subscriptionId }: PushTarget, act: Promise<T>): Promise<T> {
    try {
      return await act;
    } catch (error) {
      if (error instanceof errors.MessagingError) throw error;
      if (error instanceof PartitionSetAside) throw errors.setAside();
      const rule = error instanceof DomainError ? wordingOf(error) : undefined;
      if (!rule) this.parts.logger.warn({ err: error, subscriptionId }, 'a push subscription cannot be served');
      throw rule ?? errors.backendError();
    }
  }

  private context(): CommandContext {
    return systemContext('push', 'messaging', this.parts.clock());
  }
}
