import { Inject, Injectable } from '@nestjs/common';
import { PushAvailability } from '#api/messaging/push-availability.js';
import { CLOCK, LOGGER, READ_STORE } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import { ChangeCounter } from '#infra/edges/push/change-counter.js';
import { CursorFeed } from '#infra/edges/push/cursor-feed.js';
import { PushEngine } from '#infra/edges/push/push-engine.js';
import type { PushFeed, PushTarget } from '#infra/edges/push/worker.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { LeasedMessages } from './leased-source.js';
import { PushedSubscriptions } from './push-source.js';

/** Delivers the messages of push subscriptions from this node, from `start` until the server ends. */
@Injectable()
export class PushService {
  private engine: PushEngine | undefined;
  private stopListening: (() => void) | undefined;

  constructor(
    private readonly subscriptions: PushedSubscriptions,
    private readonly leased: LeasedMessages,
    private readonly availability: PushAvailability,
    private readonly resources: ResourceQueries,
    private readonly telemetry: Telemetry,
    @Inject(READ_STORE) private readonly store: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** To be called once. Resolves when the pushing node is known. @param node name of this node for others, `<host>:<port>` */
  async start(node: string): Promise<void> {
    const { store, subscriptions, leased, clock: now, logger: log } = this;
    const { sender } = this.availability;
    this.availability.ownNode = node;
    const targetChanges = new ChangeCounter();
    this.stopListening = this.resources.onCommit(targetChanges.announce);
    const sent = (outcome: 'delivered' | 'failed'): void => this.telemetry.pushDeliveries.inc({ outcome });
    const targets = () => subscriptions.targets();
    const feedOf = (target: PushTarget): PushFeed =>
      target.leased ? { next: (signal) => leased.lease(target, signal) } : new CursorFeed(target, subscriptions, now);
    this.engine = new PushEngine({ store, targets, feedOf, sender, targetChanges, log, now, sent });
    await this.engine.start(node);
  }

  /** Called by Nest when the server ends, before it waits for open requests. */
  async onModuleDestroy(): Promise<void> {
    await this.engine?.stop();
    this.stopListening?.();
  }
}
