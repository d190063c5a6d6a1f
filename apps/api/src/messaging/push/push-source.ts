import { isDeepStrictEqual } from 'node:util';
import type { CommandBus } from '@nestjs/cqrs';
import { AccountReader } from '#api/messaging/accounts/account-reader.js';
import { AcknowledgeMessages } from '#api/messaging/cursors/commands.js';
import { PullMessages } from '#api/messaging/cursors/pull-messages.js';
import type { FoundSubscription, SubscriptionLookup } from '#api/messaging/cursors/subscription-lookup.js';
import { wordingOf } from '#api/messaging/domain-errors.js';
import * as errors from '#api/messaging/errors.js';
import type { MessageLog, MessageSource, StoredMessage } from '#api/messaging/messages/message-log.js';
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
import { resourceCollections, type SubscriptionDocument } from '#projections/messaging/resources/resource-documents.js';
import type { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { PartitionSetAside, type ReadStore } from '#projections/shared/read-store.js';

export type PushSourceParts = Readonly<{
  store: ReadStore;
  bus: CommandBus;
  lookup: SubscriptionLookup;
  offsets: OffsetQueries;
  log: MessageLog;
  clock: Clock;
  logger: Logger;
}>;

/** Bytes after which a delivery ends; one message is always delivered. */
const MOST_BYTES = 1024 * 1024;

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
  private readonly source: MessageSource<StoredMessage>;

  constructor(private readonly parts: PushSourceParts) {
    const { log } = parts;
    this.source = { page: (topicId, from, limit) => log.page(topicId, from, limit, MOST_BYTES) };
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
    const { bus, offsets } = this.parts;
    const { source } = this;
    const found = await this.find(target);
    // Settings that were replaced get no message more, however long it takes until the worker hears of it.
    if (!found || !isDeepStrictEqual(found.subscription.push, target.push)) return null;
    const { topicId } = found.ref;
    if (topicId === null) throw errors.topicOfSubscriptionGone();
    const ref = { ...found.ref, topicId };
    // A pull that delivers nothing would still be an event.
    if (!(await offsets.hasMessages(ref))) return null;
    const project = await this.accounts.project(target.projectId);
    if (!project) return null;
    const pulled = await bus.execute(new PullMessages(this.context(), ref, { source, limit: target.push.maxMessages, wait: false }));
    return pulled && batchOf(project, found.subscription, topicId, pulled.messages);
  }

  private async reread(target: PushTarget, { topicId, from, lastOffset }: PushedRange): Promise<PushBatch | null> {
    const found = await this.find(target);
    if (!found || !isDeepStrictEqual(found.subscription.push, target.push)) return null;
    if (found.ref.topicId === null) throw errors.topicOfSubscriptionGone();
    const cursor = await this.parts.offsets.cursor(found.ref);
    if (cursor.topicId !== topicId || cursor.offset !== from) return null;
    const [project] = await this.accounts.projects([target.projectId]);
    if (!project) return null;
    const messages = await this.source.page(topicId, from, lastOffset + 1 - from);
    if (messages[0]?.offset !== from || messages.at(-1)?.offset !== lastOffset) return null;
    return batchOf(project, found.subscription, topicId, messages);
  }

  /** Deliveries may take longer than there is time to acknowledge them: then they are pulled once more, as nothing else has been meanwhile. */
  private async settle(target: PushTarget, { from, lastOffset }: PushedRange): Promise<void> {
    const { bus } = this.parts;
    const found = await this.find(target);
    if (!found) return;
    const { ref, subscription } = found;
    const acknowledge = () => bus.execute(new AcknowledgeMessages(this.context(), ref, lastOffset, subscription.ackDeadlineSeconds));
    try {
      await acknowledge();
    } catch (error) {
      const { topicId } = ref;
      if (!(error instanceof DomainError && error.code === 'ACK_TIMEOUT') || topicId === null) throw error;
      const options = { source: this.source, limit: lastOffset + 1 - from, wait: false };
      const pulled = await bus.execute(new PullMessages(this.context(), { ...ref, topicId }, options));
      if (pulled?.messages[0]?.offset !== from || pulled.messages.at(-1)?.offset !== lastOffset) throw error;
      await acknowledge();
    }
  }

  private find({ projectId, subscriptionId }: PushTarget): Promise<FoundSubscription | undefined> {
    return this.parts.lookup.byId(projectId, subscriptionId);
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
