import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { AcknowledgeMessages } from '#api/messaging/cursors/commands.js';
import { PullMessages, type ReadableSubscription } from '#api/messaging/cursors/pull-messages.js';
import { type FoundSubscription, SubscriptionLookup } from '#api/messaging/cursors/subscription-lookup.js';
import * as errors from '#api/messaging/errors.js';
import type { MessageSource } from '#api/messaging/messages/message-log.js';
import { SubscribedMessages } from '#api/messaging/messages/selection/selected-messages.js';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import { CLOCK, LOGGER } from '#api/shared/tokens.js';
import type { SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import type { Cause } from '#domain/shared/causation.js';
import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { PushSubscriptions } from '#infra/edges/push/push-engine.js';
import type { PushBatch, PushedRange, PushTarget } from '#infra/edges/push/worker.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import { AccountQueries, type ProjectReference } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries, type SubscriptionDocument } from '#projections/messaging/resources/queries.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { toHttpErrors } from './push-errors.js';
import { MOST_BYTES, pushMessage } from './push-message.js';

/** Passed-over messages after which a cursor moves on without a delivery. */
const WORTH_RECORDING = 1_000;

/** `null` if there are no messages. */
const batchOf = (
  project: ProjectReference,
  { name }: SubscriptionDocument,
  topicId: string,
  stored: readonly StoredMessage[],
): PushBatch | null => {
  const [first, last] = [stored[0], stored.at(-1)];
  if (!first || !last) return null;
  const bytes = stored.reduce((sum, message) => sum + message.bytes, 0);
  return {
    subscription: `projects/${project.name}/subscriptions/${name}`,
    messages: stored.map(pushMessage),
    topicId,
    from: first.offset,
    lastOffset: last.offset,
    bytes,
    cause: first.cause,
  };
};

/** The push subscriptions of all projects, and their messages, pulled and acknowledged by the same commands as those of consumers. */
@Injectable()
export class PushedSubscriptions implements PushSubscriptions {
  constructor(
    private readonly bus: CommandBus,
    private readonly lookup: SubscriptionLookup,
    private readonly resources: ResourceQueries,
    private readonly accounts: AccountQueries,
    private readonly offsets: OffsetQueries,
    private readonly messages: SubscribedMessages,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  targets(): Promise<readonly PushTarget[]> {
    return this.resources.pushed();
  }

  /** @throws MessagingError its text appears in the status of the subscription */
  pull(target: PushTarget): Promise<PushBatch | null> {
    return toHttpErrors(this.logger, target, this.next(target));
  }

  /** @throws MessagingError likewise */
  again(target: PushTarget, range: PushedRange): Promise<PushBatch | null> {
    return toHttpErrors(this.logger, target, this.reread(target, range));
  }

  /** @throws MessagingError likewise */
  acknowledge(target: PushTarget, batch: PushBatch): Promise<void> {
    return toHttpErrors(this.logger, target, this.settle(target, batch));
  }

  private async next(target: PushTarget): Promise<PushBatch | null> {
    const { bus } = this;
    const found = await this.find(target);
    // After settings were replaced, no more messages are pushed to the old endpoint, even before the worker learns of it.
    if (!found || !isDeepStrictEqual(found.subscription.push, target.push)) return null;
    const { topicId } = found.ref;
    if (topicId === null) throw errors.topicOfSubscriptionGone();
    const ref = { ...found.ref, topicId };
    const source = this.sourceOf(ref);
    if (!(await this.isDue(ref, source))) return null;
    const project = await this.accounts.project(target.projectId);
    if (!project) return null;
    const pulled = await bus.execute(
      new PullMessages(this.context(null), {
        subscription: ref,
        options: { source, limit: target.push.maxMessages, wait: false, reacts: true },
      }),
    );
    return pulled && batchOf(project, found.subscription, topicId, pulled.messages);
  }

  private async reread(target: PushTarget, { topicId, from, lastOffset }: PushedRange): Promise<PushBatch | null> {
    const found = await this.find(target);
    if (!found || !isDeepStrictEqual(found.subscription.push, target.push)) return null;
    if (found.ref.topicId === null) throw errors.topicOfSubscriptionGone();
    const cursor = await this.offsets.cursor(found.ref);
    if (cursor.topicId !== topicId || cursor.offset !== from) return null;
    const [project] = await this.accounts.projects([target.projectId]);
    if (!project) return null;
    const messages = await this.sourceOf(found.ref).page(topicId, from, lastOffset + 1 - from);
    if (messages[0]?.offset !== from || messages.at(-1)?.offset !== lastOffset) return null;
    return batchOf(project, found.subscription, topicId, messages);
  }

  /** A delivery may outlast the acknowledgement deadline. Then its messages are pulled again, because no others have been pulled since. */
  private async settle(target: PushTarget, { from, lastOffset, cause }: PushBatch): Promise<void> {
    const { bus } = this;
    const found = await this.find(target);
    if (!found) return;
    const { ref, subscription } = found;
    const acknowledge = () =>
      bus.execute(
        new AcknowledgeMessages(this.context(cause), {
          subscription: ref,
          highest: lastOffset,
          ackDeadlineSeconds: subscription.ackDeadlineSeconds,
        }),
      );
    try {
      await acknowledge();
    } catch (error) {
      const { topicId } = ref;
      if (!(error instanceof DomainError && error.code === 'ACK_TIMEOUT') || topicId === null) throw error;
      const options = { source: this.sourceOf(ref), limit: lastOffset + 1 - from, wait: false };
      const pulled = await bus.execute(new PullMessages(this.context(cause), { subscription: { ...ref, topicId }, options }));
      if (pulled?.messages[0]?.offset !== from || pulled.messages.at(-1)?.offset !== lastOffset) throw error;
      await acknowledge();
    }
  }

  /** Returns whether a pull would deliver something or pass over much. A pull without either would still append an event. */
  private async isDue(ref: ReadableSubscription, { page, passed }: MessageSource<StoredMessage>): Promise<boolean> {
    if (!(await this.offsets.hasMessages(ref))) return false;
    if (!passed) return true;
    const { topicId } = ref;
    const { offset } = await this.offsets.cursor(ref);
    return (await page(topicId, offset, 1)).length > 0 || passed(topicId, offset) - offset >= WORTH_RECORDING;
  }

  private sourceOf(ref: SubscriptionRef): MessageSource<StoredMessage> {
    const source = this.messages.stored(ref);
    return {
      page: (topicId, from, limit) => source.page(topicId, from, limit, MOST_BYTES),
      ...(source.passed && { passed: source.passed.bind(source) }),
    };
  }

  private find({ projectId, subscriptionId }: PushTarget): Promise<FoundSubscription | undefined> {
    return this.lookup.byId(projectId, subscriptionId);
  }

  private context(cause: Cause | null): CommandContext {
    return systemContext('push', 'messaging', this.clock(), cause);
  }
}
