import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { SubscriptionLookup } from '#api/messaging/cursors/subscription-lookup.js';
import type { LoggedOffsets } from '#api/messaging/messages/logged-offsets.js';
import { ACTS_BY_ITSELF, CLOCK, EVENT_STORE, LOGGER } from '#api/shared/tokens.js';
import type { Cursor } from '#domain/messaging/cursors/cursor-events.js';
import type { Clock } from '#domain/shared/clock.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { isOutage } from '#infra/platform/program/outage.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import { ResourceQueries, type SubscriptionReference } from '#projections/messaging/resources/queries.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { PartitionSetAside } from '#projections/shared/read-store.js';
import { ExpireSubscription } from './subscription-commands.js';

/** Pause between two passes: the shortest expiry of a subscription is a day. */
const INTERVAL_MS = 600_000;
const LONGEST_PAUSE_MS = 3 * INTERVAL_MS;
/** Pause after a start, or during an outage of the stores. */
const SOON_MS = 2_000;
/**
 * The recorded last pull may be this much older than the last one. A node records at most one an hour of the pulls that change nothing, and the rules
 * accept at most one an hour.
 */
const RECORDED_WITHIN_MS = 2 * 3_600_000;

/** Deletes subscriptions that nobody has pulled from for the time in their options. Every node looks for them, and each is deleted once. */
@Injectable()
export class SubscriptionExpiry {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;
  /** Idleness before this instant does not count: while the service or its stores were down, nobody could pull. */
  private availableSince = 0;
  private lookedAt: number | undefined;

  constructor(
    private readonly bus: CommandBus,
    private readonly resources: ResourceQueries,
    private readonly lookup: SubscriptionLookup,
    @Inject(OffsetQueries) private readonly offsets: LoggedOffsets,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
    @Inject(ACTS_BY_ITSELF) private readonly acts: boolean,
    @Inject(EVENT_STORE) private readonly events: Pick<EventStore, 'trouble'>,
  ) {}

  /** Called by Nest. */
  onApplicationBootstrap(): void {
    if (!this.acts) return;
    this.availableSince = this.clock();
    this.schedule(SOON_MS);
  }

  /** Called by Nest. Resolves when no pass is running. */
  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private schedule(delayMs: number): void {
    this.timer = setTimeout(() => {
      this.running = this.pass().then((next) => {
        if (!this.stopped) this.schedule(next);
      });
    }, delayMs).unref();
  }

  /** Checks all subscriptions once. Resolves with the time until the next pass. */
  private async pass(): Promise<number> {
    this.noteTime();
    try {
      if ((await this.events.trouble()) !== null) return this.notAvailable(); // read models are shown during an outage of the log, too
      for await (const page of this.resources.expiring(new TimeSlice())) {
        for (const reference of page) await this.look(reference);
        if (this.stopped) break;
      }
      return INTERVAL_MS;
    } catch (error) {
      if (isOutage(error)) return this.notAvailable();
      this.logger.warn({ err: error }, 'subscriptions that nobody uses are deleted later');
      return INTERVAL_MS;
    }
  }

  /** After a long time without a look the machine was suspended, or its clock was set. */
  private noteTime(): void {
    const now = this.clock();
    if (this.lookedAt !== undefined && now - this.lookedAt > LONGEST_PAUSE_MS) this.availableSince = now;
    this.lookedAt = now;
  }

  private notAvailable(): number {
    this.availableSince = this.clock();
    return SOON_MS;
  }

  private async look(reference: SubscriptionReference): Promise<void> {
    const { projectId, subscriptionId } = reference;
    this.noteTime();
    try {
      const found = await this.lookup.byId(projectId, subscriptionId);
      const seconds = found?.subscription.options?.expiresAfterSeconds;
      if (!found || seconds === undefined) return;
      const isUnused = ({ lastPull }: Cursor): boolean => {
        const used = lastPull === null ? Date.parse(found.subscription.createdOn) : Date.parse(lastPull) + RECORDED_WITHIN_MS;
        return this.clock() - Math.max(used, this.availableSince) > seconds * 1_000;
      };
      if (!isUnused(await this.offsets.cursor(found.ref))) return;
      const logged = await this.offsets.cursorInLog(found.ref); // read models may stand still, while pulls go on
      if (!logged || !isUnused(logged)) return;
      const context = systemContext('subscription-expiry', 'messaging', this.clock(), null);
      await this.bus.execute(new ExpireSubscription(context, { projectId, subscriptionId }));
    } catch (error) {
      if (!(error instanceof PartitionSetAside)) throw error;
    }
  }
}
