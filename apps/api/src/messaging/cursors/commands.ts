import type { Provider } from '@nestjs/common';
import { MessageLog } from '#api/messaging/messages/message-log.js';
import { SubscribedMessages } from '#api/messaging/messages/selection/selected-messages.js';
import type { Outcome } from '#api/shared/commands/command-gateway.js';
import { CommandWith } from '#api/shared/commands/command-of.js';
import { handles } from '#api/shared/commands/handlers.js';
import type { SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import type { CursorEvent } from '#domain/messaging/cursors/cursor-events.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { CursorGateway } from './cursor-gateway.js';

type OfSubscription = Readonly<{ subscription: SubscriptionRef }>;

/**
 * Acknowledges the outstanding messages of a subscription up to an offset. `highest`: the largest offset acknowledged;
 * `ackDeadlineSeconds`: the current one.
 * @throws DomainError `NO_ACK_PENDING`, `WRONG_ACK`, `ACK_TIMEOUT`
 */
export class AcknowledgeMessages extends CommandWith<
  OfSubscription & Readonly<{ highest: number; ackDeadlineSeconds: number }>,
  Outcome<CursorEvent>
> {}

/** Moves a subscription back or forth. Outstanding messages cannot be acknowledged any more. @throws DomainError `OFFSET_OUT_OF_BOUNDS` */
export class ModifyOffset extends CommandWith<OfSubscription & Readonly<{ offset: number }>, Outcome<CursorEvent>> {}

/** Messages before `min` have expired. A cursor before `min` moves there. If an outstanding message has expired, all are dropped. */
export class RaiseOffset extends CommandWith<OfSubscription & Readonly<{ min: number }>, Outcome<CursorEvent>> {}

export const offsetHandlers: readonly Provider[] = [
  handles(
    AcknowledgeMessages,
    [CursorGateway, SubscribedMessages],
    async ({ context, data: { subscription, ...acknowledged } }, cursors, messages) => {
      await cursors.retain(subscription, context);
      const next = messages.behind(subscription, acknowledged.highest);
      return cursors.execute(subscription, { type: 'AcknowledgeBatch', ...acknowledged, next }, context);
    },
  ),

  handles(
    ModifyOffset,
    [CursorGateway, OffsetQueries, MessageLog],
    async ({ context, data: { subscription, offset } }, cursors, offsets, log) => {
      const [bounds, known] = await Promise.all([log.bounds(subscription.topicId), offsets.cursor(subscription)]);
      await cursors.retain(subscription, context, known);
      return cursors.execute(subscription, { type: 'ModifyOffset', offset, ...bounds }, context);
    },
  ),

  handles(RaiseOffset, [CursorGateway], ({ context, data: { subscription, min } }, cursors) =>
    cursors.execute(subscription, { type: 'RaiseOffset', min }, context),
  ),
];
