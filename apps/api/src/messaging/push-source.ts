import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import type { Logger } from '#infra/logging/logger.js';
import type { PushSubscriptions } from '#infra/push/push-engine.js';
import type { PushBatch, PushTarget } from '#infra/push/worker.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { resourceCollections, resourceKey, type SubscriptionDocument } from '#projections/messaging/resource-documents.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { AccountReader } from './account-reader.js';
import { consumerOf } from './consumer-lookup.js';
import type { Consumer, Consumption } from './consumption.js';
import { wordingOf } from './domain-errors.js';
import * as errors from './errors.js';
import type { MessageLog } from './message-log.js';
import { publishTimeText } from './message-texts.js';
import { ResourceReader } from './resource-reader.js';

type Parts = Readonly<{ store: ReadStore; consumption: Consumption; log: MessageLog; clock: Clock; logger: Logger }>;
type Found = Readonly<{ consumer: Consumer; subscription: SubscriptionDocument }>;

/** A pull that does not wait need not be told when to stop. */
const NEVER = new AbortController().signal;

const parse = <Document>(bytes: Buffer): Document => JSON.parse(bytes.toString('utf8')) as Document;

/** The push subscriptions of all projects, and their messages, taken and acknowledged by the commands that consumers use. */
export class PushedSubscriptions implements PushSubscriptions {
  private readonly accounts: AccountReader;
  private readonly resources: ResourceReader;

  constructor(private readonly parts: Parts) {
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
  acknowledge(target: PushTarget, { lastOffset }: PushBatch): Promise<void> {
    return this.worded(target, this.settle(target, lastOffset));
  }

  private async next(target: PushTarget): Promise<PushBatch | null> {
    const { consumption, log: pages } = this.parts;
    const found = await this.find(target);
    // Settings that were replaced get no message more, however long it takes until the worker hears of it.
    if (!found || !isDeepStrictEqual(found.subscription.push, target.push)) return null;
    const { topicId } = found.consumer;
    if (topicId === null) throw errors.topicOfSubscriptionGone();
    const consumer = { ...found.consumer, topicId };
    // A pull that delivers nothing would still be an event.
    if (!(await consumption.hasMore(consumer))) return null;
    const [project] = await this.accounts.projects([target.projectId]);
    if (!project) return null;
    const pulled = await consumption.pull(consumer, { limit: target.push.maxMessages, wait: false, pages }, this.context(), NEVER);
    const last = pulled?.messages.at(-1);
    if (!pulled || !last) return null;
    const messages = pulled.messages.map(({ offset, attributes, data, publishTime }) => ({
      messageId: `${offset}`,
      attributes,
      data,
      publishTime: publishTimeText(publishTime),
    }));
    return { subscription: `projects/${project.name}/subscriptions/${found.subscription.name}`, messages, lastOffset: last.offset };
  }

  private async settle(target: PushTarget, lastOffset: number): Promise<void> {
    const found = await this.find(target);
    if (!found) return;
    await this.parts.consumption.acknowledge(found.consumer, lastOffset, found.subscription.ackDeadlineSeconds, this.context());
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
      const rule = error instanceof DomainError ? wordingOf(error) : undefined;
      if (!rule) this.parts.logger.warn({ err: error, subscriptionId }, 'a push subscription cannot be served');
      throw rule ?? errors.backendError();
    }
  }

  private context(): CommandContext {
    const id = randomUUID();
    const time = new Date(this.parts.clock()).toISOString();
    return { actor: { kind: 'system', id: 'push' }, service: 'messaging', requestId: id, correlationId: id, causationId: id, time };
  }
}
