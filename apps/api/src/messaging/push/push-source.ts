import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { AcknowledgeMessages } from '#api/messaging/cursors/commands.js';
import { PullMessages, type ReadableSubscription } from '#api/messaging/cursors/pull-messages.js';
import { type FoundSubscription, SubscriptionLookup } from '#api/messaging/cursors/subscription-lookup.js';
import type { ScatteredSource } from '#api/messaging/deliveries/pulled-messages.js';
import * as errors from '#api/messaging/errors.js';
import { type AwaitedMessage, PatientArrivals } from '#api/messaging/messages/message-arrivals.js';
import type { MessageSource } from '#api/messaging/messages/message-log.js';
import { SubscribedMessages } from '#api/messaging/messages/selection/selected-messages.js';
import type { AnswerReservation } from '#api/shared/answers/answer-room.js';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import { CLOCK, LOGGER } from '#api/shared/tokens.js';
import type { SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import type { Cause } from '#domain/shared/causation.js';
import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { CursorSource, MessageWait, PulledBatch, PushedRange } from '#infra/edges/push/cursor-feed.js';
import type { PushTarget } from '#infra/edges/push/worker.js';
import { LONGEST_TIMER_MS } from '#infra/platform/coordination/alarm.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import { AccountQueries, type ProjectReference } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries, type SubscriptionDocument } from '#projections/messaging/resources/queries.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { toHttpErrors } from './push-errors.js';
import { pushMessage } from './push-message.js';
import { MOST_BYTES, PushedMessages, PushRoom, waitedPage } from './push-room.js';

/** Passed-over messages after which a cursor moves on without a delivery. */
const WORTH_RECORDING = 1_000;

const NEVER = new AbortController().signal;

/** Pages of which the last one is delivered. The memory of the one before is returned, so that each can wait for its own. */
const wholePages = (source: ScatteredSource<StoredMessage>): MessageSource<StoredMessage> => ({
  page: async (topicId, from, limit) => {
    source.dropped?.();
    const page = await waitedPage(source, topicId, from, limit, MOST_BYTES);
    if (!page) throw errors.notReady(); // an empty page would mean that there are no messages
    return page;
  },
  ...(source.passed && { passed: source.passed.bind(source) }),
});

/** `null` if there are no messages. */
const batchOf = (
  project: ProjectReference,
  { name }: SubscriptionDocument,
  topicId: string,
  stored: readonly StoredMessage[],
  reservation: AnswerReservation,
): PulledBatch | null => {
  const [first, last] = [stored[0], stored.at(-1)];
  if (!first || !last) return null;
  return {
    subscription: `projects/${project.name}/subscriptions/${name}`,
    messages: stored.map(pushMessage),
    topicId,
    from: first.offset,
    lastOffset: last.offset,
    count: stored.length,
    cause: first.cause,
    release: () => reservation.close(),
  };
};

/** The push subscriptions of all projects, and their messages, pulled and acknowledged by the same commands as those of consumers. */
@Injectable()
export class PushedSubscriptions implements CursorSource {
  constructor(
    private readonly bus: CommandBus,
    private readonly lookup: SubscriptionLookup,
    private readonly resources: ResourceQueries,
    private readonly accounts: AccountQueries,
    private readonly offsets: OffsetQueries,
    private readonly messages: SubscribedMessages,
    private readonly arrivals: PatientArrivals,
    private readonly room: PushRoom,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** All subscriptions to push now. */
  targets(): Promise<readonly PushTarget[]> {
    return this.resources.pushed(new TimeSlice());
  }

  /** @throws MessagingError its text appears in the status of the subscription */
  pull(target: PushTarget, signal: AbortSignal): Promise<PulledBatch | MessageWait | null> {
    return this.reserved(target, signal, (reservation) => this.next(target, reservation, signal));
  }

  /** @throws MessagingError likewise */
  again(target: PushTarget, range: PushedRange, signal: AbortSignal): Promise<PulledBatch | null> {
    return this.reserved(target, signal, (reservation) => this.reread(target, range, reservation));
  }

  /** @throws MessagingError likewise */
  acknowledge(target: PushTarget, batch: PulledBatch): Promise<void> {
    return toHttpErrors(this.logger, target, this.settle(target, batch));
  }

  /** The memory of a batch is kept until its release. */
  private async reserved<Pulled extends PulledBatch | MessageWait | null>(
    target: PushTarget,
    signal: AbortSignal,
    read: (reservation: AnswerReservation) => Promise<Pulled>,
  ): Promise<Pulled> {
    const reservation = this.room.open(target.projectId, signal);
    let isHeld = false;
    try {
      const pulled = await toHttpErrors(this.logger, target, read(reservation));
      isHeld = pulled !== null && typeof pulled === 'object';
      if (!isHeld) signal.throwIfAborted(); // it may have ended a wait for memory
      return pulled;
    } finally {
      if (!isHeld) reservation.close();
    }
  }

  private async next(target: PushTarget, reservation: AnswerReservation, signal: AbortSignal): Promise<PulledBatch | MessageWait | null> {
    const { bus } = this;
    const found = await this.find(target);
    // After settings were replaced, no more messages are pushed to the old endpoint, even before the worker learns of it.
    if (!found || !isDeepStrictEqual(found.subscription.push, target.push)) return null;
    const { topicId } = found.ref;
    if (topicId === null) throw errors.topicOfSubscriptionGone();
    const ref = { ...found.ref, topicId };
    const source = wholePages(new PushedMessages(this.messages.stored(ref), reservation));
    const awaited = await this.awaited(ref, source);
    if (awaited) return this.waitFor(awaited);
    const project = await this.accounts.project(target.projectId);
    if (!project) return null;
    const pulled = await bus.execute(
      new PullMessages(this.context(null), {
        subscription: ref,
        options: { source, limit: target.push.maxMessages, wait: false, reacts: true, signal },
      }),
    );
    return pulled && batchOf(project, found.subscription, topicId, pulled.messages, reservation);
  }

  private async reread(
    target: PushTarget,
    { topicId, from, lastOffset, count }: PushedRange,
    reservation: AnswerReservation,
  ): Promise<PulledBatch | null> {
    const found = await this.find(target);
    if (!found || !isDeepStrictEqual(found.subscription.push, target.push)) return null;
    if (found.ref.topicId === null) throw errors.topicOfSubscriptionGone();
    const cursor = await this.offsets.cursor(found.ref);
    if (cursor.topicId !== topicId || cursor.offset !== from) return null;
    const [project] = await this.accounts.projects([target.projectId]);
    if (!project) return null;
    const source = new PushedMessages(this.messages.stored(found.ref), reservation);
    const messages = await waitedPage(source, topicId, from, count, MOST_BYTES);
    if (messages?.[0]?.offset !== from || messages.at(-1)?.offset !== lastOffset) return null;
    return batchOf(project, found.subscription, topicId, messages, reservation);
  }

  /** A delivery may outlast the acknowledgement deadline. Then its messages are pulled again, because no others have been pulled since. */
  private async settle(target: PushTarget, { from, lastOffset, count, cause }: PulledBatch): Promise<void> {
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
      const options = { source: this.readSource(ref), limit: count, wait: false };
      const pulled = await bus.execute(new PullMessages(this.context(cause), { subscription: { ...ref, topicId }, options }));
      if (pulled?.messages[0]?.offset !== from || pulled.messages.at(-1)?.offset !== lastOffset) throw error;
      await acknowledge();
    }
  }

  /** `null` if a pull would deliver something or pass over much. A pull without either would still append an event. */
  private async awaited(ref: ReadableSubscription, { page, passed }: MessageSource<StoredMessage>): Promise<AwaitedMessage | null> {
    const { topicId } = ref;
    const { next, offset } = await this.offsets.place(ref);
    const awaited = { topicId, subscription: ref, after: offset, cursor: offset };
    if (next <= offset) return awaited;
    if (!passed || (await page(topicId, offset, 1)).length > 0) return null;
    const after = passed(topicId, offset);
    return after - offset >= WORTH_RECORDING ? null : { ...awaited, after };
  }

  /** A function of its own, because a worker keeps the wait, with all that is in its scope. */
  private waitFor(awaited: AwaitedMessage): MessageWait {
    return (signal) => this.arrivals.wait(awaited, LONGEST_TIMER_MS, signal);
  }

  /** Messages of a delivery that has its memory. A wait for more could block it and others for ever. */
  private readSource(ref: SubscriptionRef): MessageSource<StoredMessage> {
    const source = this.messages.stored(ref);
    const reservation = this.room.open(ref.projectId, NEVER);
    return wholePages({
      page: async (...wanted) => (await reservation.read(() => source.page(...wanted))) ?? null,
      ...(source.passed && { passed: source.passed.bind(source) }),
    });
  }

  private find({ projectId, subscriptionId }: PushTarget): Promise<FoundSubscription | undefined> {
    return this.lookup.byId(projectId, subscriptionId);
  }

  private context(cause: Cause | null): CommandContext {
    return systemContext('push', 'messaging', this.clock(), cause);
  }
}
