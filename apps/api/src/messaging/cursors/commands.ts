import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { MessageLog } from '#api/messaging/messages/message-log.js';
import type { Outcome } from '#api/shared/commands/command-gateway.js';
import type { SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import type { CursorEvent } from '#domain/messaging/cursors/cursor-events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { CursorGateway } from './cursor-gateway.js';

/**
 * Acknowledges the outstanding messages of a subscription up to an offset.
 * @throws DomainError `NO_ACK_PENDING`, `WRONG_ACK`, `ACK_TIMEOUT`
 */
export class AcknowledgeMessages extends Command<Outcome<CursorEvent>> {
  /** @param highest the largest offset acknowledged; @param ackDeadlineSeconds as it is now */
  constructor(
    readonly context: CommandContext,
    readonly subscription: SubscriptionRef,
    readonly highest: number,
    readonly ackDeadlineSeconds: number,
  ) {
    super();
  }
}

/** Moves a subscription to an offset, back or forth; what is outstanding cannot be acknowledged any more. @throws DomainError `OFFSET_OUT_OF_BOUNDS` */
export class ModifyOffset extends Command<Outcome<CursorEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly subscription: SubscriptionRef,
    readonly offset: number,
  ) {
    super();
  }
}

/** Messages before `min` have expired: a cursor that stands before it moves there, and what is outstanding is dropped if it is one of them. */
export class RaiseOffset extends Command<Outcome<CursorEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly subscription: SubscriptionRef,
    readonly min: number,
  ) {
    super();
  }
}

@CommandHandler(AcknowledgeMessages)
export class AcknowledgeMessagesHandler implements ICommandHandler<AcknowledgeMessages> {
  constructor(private readonly cursors: CursorGateway) {}

  async execute({ context, subscription, highest, ackDeadlineSeconds }: AcknowledgeMessages): Promise<Outcome<CursorEvent>> {
    await this.cursors.retain(subscription, context);
    return this.cursors.execute(subscription, { type: 'AcknowledgeBatch', highest, ackDeadlineSeconds }, context);
  }
}

@CommandHandler(ModifyOffset)
export class ModifyOffsetHandler implements ICommandHandler<ModifyOffset> {
  constructor(
    private readonly cursors: CursorGateway,
    private readonly offsets: OffsetQueries,
    private readonly log: MessageLog,
  ) {}

  async execute({ context, subscription, offset }: ModifyOffset): Promise<Outcome<CursorEvent>> {
    const [bounds, known] = await Promise.all([this.log.bounds(subscription.topicId), this.offsets.cursor(subscription)]);
    await this.cursors.retain(subscription, context, known);
    return this.cursors.execute(subscription, { type: 'ModifyOffset', offset, ...bounds }, context);
  }
}

@CommandHandler(RaiseOffset)
export class RaiseOffsetHandler implements ICommandHandler<RaiseOffset> {
  constructor(private readonly cursors: CursorGateway) {}

  execute({ context, subscription, min }: RaiseOffset): Promise<Outcome<CursorEvent>> {
    return this.cursors.execute(subscription, { type: 'RaiseOffset', min }, context);
  }
}
