import { MessageLog } from '#api/messaging/messages/message-log.js';
import { SubscribedMessages } from '#api/messaging/messages/selection/selected-messages.js';
import { commandWith } from '#api/shared/commands/command-of.js';
import type { SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { CursorGateway } from './cursor-gateway.js';

type OfSubscription = Readonly<{ subscription: SubscriptionRef }>;

/**
 * Acknowledges the outstanding messages of a subscription up to an offset. `highest`: the largest offset acknowledged;
 * `ackDeadlineSeconds`: the current one.
 * @throws DomainError `NO_ACK_PENDING`, `WRONG_ACK`, `ACK_TIMEOUT`
 */
export class AcknowledgeMessages extends commandWith(
  [CursorGateway, SubscribedMessages],
  async (
    { subscription, ...acknowledged }: OfSubscription & Readonly<{ highest: number; ackDeadlineSeconds: number }>,
    { context },
    cursors,
    messages,
  ) => {
    await cursors.retain(subscription, context);
    const next = messages.behind(subscription, acknowledged.highest);
    return cursors.execute(subscription, { type: 'AcknowledgeBatch', ...acknowledged, next }, context);
  },
) {}

/** Moves a subscription back or forth. Outstanding messages cannot be acknowledged any more. @throws DomainError `OFFSET_OUT_OF_BOUNDS` */
export class ModifyOffset extends commandWith(
  [CursorGateway, OffsetQueries, MessageLog],
  async ({ subscription, offset }: OfSubscription & Readonly<{ offset: number }>, { context }, cursors, offsets, log) => {
    const [bounds, known] = await Promise.all([log.bounds(subscription.topicId), offsets.cursor(subscription)]);
    await cursors.retain(subscription, context, known);
    return cursors.execute(subscription, { type: 'ModifyOffset', offset, ...bounds }, context);
  },
) {}

/** Messages before `min` have expired. A cursor before `min` moves there. If an outstanding message has expired, all are dropped. */
export class RaiseOffset extends commandWith(
  [CursorGateway, OffsetQueries],
  async ({ subscription, min }: OfSubscription & Readonly<{ min: number }>, { context }, cursors, offsets) => {
    await cursors.retain(subscription, context, await offsets.cursor(subscription));
    return cursors.execute(subscription, { type: 'RaiseOffset', min }, context);
  },
) {}
