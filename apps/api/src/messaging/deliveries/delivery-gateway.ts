import { Inject, Injectable } from '@nestjs/common';
import { LogRetention } from '#api/messaging/messages/log-retention.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CLOCK } from '#api/shared/tokens.js';
import type { SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import { type DeliveryAction, deliveries } from '#domain/messaging/deliveries/deliveries.js';
import { type DeliveryEvent, deliveriesStream, type WholeDeliveries } from '#domain/messaging/deliveries/delivery-events.js';
import type { Cause } from '#domain/shared/causation.js';
import type { Clock } from '#domain/shared/clock.js';
import type { CommandContext, Execution } from '#domain/shared/execution.js';
import { Turnstile } from '#infra/platform/scheduling/turnstile.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';

/** Maximum number of commands to one subscription at a time; below the number that may wait for a stream. */
const COMMANDS_AT_A_TIME = 500;

/**
 * `before`: ranges that an earlier call with the same `Idempotency-Key` has settled; `null` if there was none. `shown`: resolves with true if reads
 * show the record.
 */
export type RecordedProgress = Readonly<{ before: readonly number[] | null; shown: Promise<boolean> }>;

/** A subscription, and the process `server` that serves it. */
export type SubscriptionServer = Readonly<{ subscription: SubscriptionRef; server: string }>;

/** Records the progress of messages in subscriptions (messaging contract 7.1). */
@Injectable()
export class DeliveryGateway {
  private readonly turnstile = new Turnstile(COMMANDS_AT_A_TIME);

  constructor(
    private readonly gateway: CommandGateway,
    private readonly retention: LogRetention,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Current time, `YYYY-MM-DDTHH:MM:SS.sssZ`. */
  now(): string {
    return new Date(this.clock()).toISOString();
  }

  /** Context of records without a call. `cause`: default none, for what takes time alone. */
  ownContext(cause: Cause | null = null): CommandContext {
    return systemContext('deliveries', 'messaging', this.clock(), cause);
  }

  /** Begins to serve a subscription: from now on no other process can record for it. Resolves with its whole state. */
  async serve(by: SubscriptionServer): Promise<WholeDeliveries> {
    await this.retention.forDeliveries(by.subscription.subscriptionId, false);
    const { events } = await this.gateway.execute(this.command(by, { type: 'ServeDeliveries' }, this.ownContext()), false);
    const [whole] = events;
    if (whole?.type !== 'DeliveriesRecorded') throw new Error('nothing was recorded of a subscription that is to be served');
    return whole.data;
  }

  /** Resolves as soon as the record is durable. @throws DomainError of the rules of deliveries; the errors of the stream processor */
  async record(by: SubscriptionServer, action: DeliveryAction, context: CommandContext): Promise<RecordedProgress> {
    const { subscriptionId } = by.subscription;
    if (context.idempotency) await this.retention.forDeliveries(subscriptionId, true);
    return new Promise((resolve, reject) => {
      let shown: Promise<boolean> = Promise.resolve(true);
      const onExecuted = (execution: Execution): void => {
        context.onExecuted?.(execution);
        const events = execution.events as readonly DeliveryEvent[];
        const settled = events.flatMap(({ type, data }) => (type === 'DeliveriesSettled' ? data.settled : []));
        resolve({ before: execution.repeated ? settled : null, shown });
      };
      const outcome = this.turnstile.within(subscriptionId, () =>
        this.gateway.execute(this.command(by, action, { ...context, onExecuted })),
      );
      shown = outcome.then(({ readable }) => readable);
      shown.catch(reject);
    });
  }

  /** Uses the time after all waiting, not that of the context. */
  private command({ subscription, server }: SubscriptionServer, action: DeliveryAction, context: CommandContext) {
    const stream = deliveriesStream(subscription.subscriptionId);
    return { stream, decider: deliveries, command: { ...subscription, server, ...action }, context: { ...context, time: this.now() } };
  }
}
