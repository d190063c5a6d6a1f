import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { SubscriptionLookup } from '#api/messaging/cursors/subscription-lookup.js';
import { Deliveries } from '#api/messaging/deliveries/deliveries.js';
import { PullDeliveries } from '#api/messaging/deliveries/pull-deliveries.js';
import * as errors from '#api/messaging/errors.js';
import { SubscribedMessages } from '#api/messaging/messages/selection/selected-messages.js';
import type { AnswerReservation } from '#api/shared/answers/answer-room.js';
import { CLOCK, LOGGER } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { PushBatch, PushTarget } from '#infra/edges/push/worker.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { Turnstile } from '#infra/platform/scheduling/turnstile.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { toHttpErrors } from './push-errors.js';
import { pushMessage } from './push-message.js';
import { MOST_BYTES, PushedMessages, PushRoom } from './push-room.js';

/** Lease until the messages are read: much longer than that takes. */
const WAITING_LEASE_MS = 3_600_000;
/** Lease from the delivery on: longer than that takes. */
const LEASE_SECONDS = 60;

/** Messages of push subscriptions that are acknowledged one by one. The node that pushes serves them. */
@Injectable()
export class LeasedMessages {
  /** Of several deliveries of a subscription one at a time looks and waits for messages. */
  private readonly turns = new Turnstile(1);

  constructor(
    @Inject(SubscriptionLookup) private readonly lookup: Pick<SubscriptionLookup, 'byId'>,
    @Inject(Deliveries) private readonly deliveries: Pick<Deliveries, 'of'>,
    @Inject(PullDeliveries) private readonly pulls: Pick<PullDeliveries, 'pull'>,
    @Inject(AccountQueries) private readonly accounts: Pick<AccountQueries, 'projects'>,
    @Inject(SubscribedMessages) private readonly messages: Pick<SubscribedMessages, 'stored'>,
    @Inject(PushRoom) private readonly room: Pick<PushRoom, 'open'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** Leases the next available messages. @throws MessagingError its text appears in the status of the subscription */
  async lease(target: PushTarget, signal: AbortSignal): Promise<PushBatch | null> {
    const leave = await this.turns.enter(target.subscriptionId, signal);
    try {
      return await this.reserved(target, signal);
    } finally {
      leave();
    }
  }

  private async reserved(target: PushTarget, signal: AbortSignal): Promise<PushBatch | null> {
    const reservation = this.room.open(target.projectId, signal);
    let batch: PushBatch | null = null;
    try {
      batch = await toHttpErrors(this.logger, target, this.next(target, reservation, signal));
      return batch;
    } finally {
      if (!batch) reservation.close();
    }
  }

  private async next(target: PushTarget, reservation: AnswerReservation, signal: AbortSignal): Promise<PushBatch | null> {
    const found = await this.lookup.byId(target.projectId, target.subscriptionId);
    if (!found || !isDeepStrictEqual(found.subscription.push, target.push)) return null;
    if (found.ref.topicId === null) throw errors.topicOfSubscriptionGone();
    const [project] = await this.accounts.projects([target.projectId]);
    if (!project) return null;
    const served = await this.deliveries.of(found);
    const source = new PushedMessages(this.messages.stored(found.ref), reservation);
    const delivered = await this.pulls.pull(served, found, {
      source,
      limit: target.push.maxMessages,
      maxBytes: MOST_BYTES,
      wait: true,
      onlyFirst: true,
      shortestLeaseMs: WAITING_LEASE_MS,
      signal,
    });
    if (!delivered || delivered.length === 0) return null;
    const leases = delivered.map(({ message: { offset }, attempt }) => ({ offset, attempt }));
    const context = () => systemContext('push', 'messaging', this.clock(), delivered[0]?.message.cause ?? null);
    return {
      subscription: `projects/${project.name}/subscriptions/${found.subscription.name}`,
      messages: delivered.map(({ message }) => pushMessage(message)),
      startedAt: this.clock(),
      release: () => reservation.close(),
      renew: () => {
        const now = performance.now();
        if (served.ended.aborted || !leases.every((lease) => served.leases.isLeased(lease, now))) return false;
        served.extend(leases, LEASE_SECONDS);
        return true;
      },
      acknowledge: async () => {
        await toHttpErrors(this.logger, target, served.acknowledge(leases, context()));
      },
      giveBack: async () => {
        await toHttpErrors(this.logger, target, served.giveBack(leases, context()));
      },
      takeBack: () => served.takeBack(leases),
    };
  }
}
